// Source: a graph or a SQL database that tools can be asked about. tools.h makes tools of one or
// several.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/cancel.h"
#include "helve/error.h"
#include "helve/export.h"

namespace helve::api {

// How a SPARQL endpoint is asked. Empty and none: as it is without. Secrets are named, never
// written: "env:NAME" or "file:PATH".
struct EndpointAccess {
  std::string user;             // with `password`: HTTP basic
  std::string password;         // a name of it
  std::string bearer;           // a name of it
  std::string header;           // such as X-API-Key
  std::string header_value;     // a name of it
  std::string ca_file;          // certificates to trust, instead of those of the machine
  std::string proxy;            // instead of that of the environment; "none": no proxy
  bool is_get = false;          // queries in the address: for servers that take no POST
  std::string void_place;       // address or file of its VoID description
  bool allows_private = false;  // its name may lead to this machine or its network
  std::optional<std::chrono::nanoseconds> connect_timeout;
  std::optional<std::chrono::nanoseconds> first_byte_timeout;
  std::optional<std::chrono::nanoseconds> pause;  // from one request to the next
  std::optional<std::uint64_t> requests_at_once;
  std::optional<std::uint64_t> retries;
  // Where what is learnt of it is kept between processes. Empty: nowhere.
  std::string profile_folder;
};

struct SourceOptions {
  // What tools and replies call it: letters, digits, '-', '_' and '.', at most 64. Empty: taken
  // from the file name ("solar-system" of "data/solar-system.trig.gz").
  std::string name;
  // Statements that cannot be read are left out instead of ending the reading.
  bool is_lenient = false;
  std::optional<std::chrono::nanoseconds> timeout;  // of connecting; none: as long as it takes
  CancelToken cancel;
  // For SQLite: the `helve` program, as ToolsOptions::worker_program.
  std::string worker_program;
  // Of a SQL database: tools may change it where their policy is not read_only. Off: nothing is
  // ever written to it, whatever a policy says.
  bool is_writable = false;
  EndpointAccess endpoint;  // of a SPARQL endpoint
};

// An open graph, immutable; or a SQL database, which is connected to when it is first asked. Copies
// share it; it is closed when the last copy and the last Tools that use it are gone. Thread-safe.
class HELVE_API Source {
 public:
  const std::string& name() const;
  const std::string& uri() const;
  bool is_remote() const;
  // Changes whenever the data may have changed.
  std::string fingerprint() const;

  struct State;
  explicit Source(std::shared_ptr<const State> state);     // for the library itself
  const State& state() const noexcept { return *state_; }  // for the library itself

 private:
  std::shared_ptr<const State> state_;
};

// Opens a graph or a database. `uri` is one of
//   a path or file: URI of an RDF document (Turtle, TriG, N-Triples, N-Quads, RDF/XML; plain, gzip,
//   zstd or bzip2), which is read into memory; or of an index folder made by `helve load`, which is
//   mapped;
//   "sample:", the bundled sample: the exploration of the solar system;
//   "sample-tables:", the bundled SQLite database of its tables, kept in the user's cache, or in
//   TMPDIR;
//   sqlite:PATH, postgresql://USER@HOST:PORT/DATABASE, mysql://USER@HOST:PORT/DATABASE. Passwords
//   are named, never written: ?password=env:NAME or file:PATH;
//   http://... or https://..., a SPARQL endpoint, which is asked when something is asked of it.
// Errors: NotFound, Denied, InvalidInput (no RDF, with file, line and column; no index; an unknown
// scheme, an address with a password in it), LimitExceeded, Cancelled.
HELVE_API Result<Source> connect(std::string_view uri, const SourceOptions& options = {});

// Several documents as one graph. Blank nodes of different documents stay different.
HELVE_API Result<Source> connect_files(const std::vector<std::string>& uris,
                                       const SourceOptions& options = {});

}  // namespace helve::api
