// Reading RDF documents as a stream of statements, in bounded memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/format.h"
#include "sources/rdf/term.h"

namespace helve::rdf {

// Receives what a reader finds. An error from statement() stops the reader and is its result.
class StatementSink {
 public:
  virtual ~StatementSink() = default;
  // The views are valid during the call only.
  virtual Result<void> statement(const StatementView& statement) = 0;
  // A prefix declared by the document, e.g. ("ex", "http://example.org/").
  virtual void prefix(std::string_view name, std::string_view iri) {
    static_cast<void>(name);
    static_cast<void>(iri);
  }
};

struct ReadOptions {
  std::string base_iri;                 // empty: relative IRIs are errors
  std::string document_name = "input";  // for errors
  bool lenient = false;                 // skip bad statements instead of stopping at the first
  // Put before every blank node label, so that several documents can be loaded side by side.
  std::string blank_prefix;
  // Documents in memory only: how many bytes are done, kept up to date for whoever shows progress.
  std::atomic<std::uint64_t>* bytes_consumed = nullptr;
};

struct ReadReport {
  std::uint64_t statements = 0;
  std::uint64_t skipped = 0;    // bad statements, lenient only
  std::vector<Error> problems;  // the first Limits::problems_kept of them
};

// Strict: the first error, with document, line, column and what was expected, is the result;
// statements before it have been delivered. Lenient: errors of the input are counted and reported.
// context.check() is called every few thousand statements.
Result<ReadReport> read_document(Format format, ByteSource& source, const ReadOptions& options,
                                 const OpContext& context, StatementSink& sink);
// The same over a document that is in memory or mapped: nothing is copied.
Result<ReadReport> read_document(Format format, std::string_view text, const ReadOptions& options,
                                 const OpContext& context, StatementSink& sink);

}  // namespace helve::rdf
