// Source: what any database tells of itself to the tools. graph_source.h has what graphs answer,
// table_source.h what SQL databases do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace helve {

enum class SourceKind : std::uint8_t { Graph, Tables };

struct SourceInfo {
  std::string name;         // as the caller named it: "sample"
  std::string uri;          // a path or an address
  std::string engine;       // "helve 0.1.0"
  std::string authority;    // whose data it is, where that is known
  std::string description;  // in a sentence; may be empty
  std::vector<std::string> features;
  bool is_remote = false;
  SourceKind kind = SourceKind::Graph;
};

// Thread-safe.
class Source {
 public:
  virtual ~Source() = default;
  virtual const SourceInfo& info() const = 0;
  // Changes whenever the data may have changed; equal fingerprints mean equal answers.
  virtual std::string fingerprint() const = 0;
};

}  // namespace helve
