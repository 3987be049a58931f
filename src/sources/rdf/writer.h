// Writing RDF documents.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/format.h"
#include "sources/rdf/reader.h"

namespace helve::rdf {

struct WriteOptions {
  // Name and IRI; those received through prefix() are added. The first IRI given to a name wins.
  std::vector<std::pair<std::string, std::string>> prefixes;
  // Turtle and TriG: the whole document is collected, then written sorted, grouped and with blank
  // nodes nested, so that it can be read and diffed. False: written as it comes, in constant
  // memory.
  bool pretty = true;
};

// A sink that writes. finish() must be called once, at the end; a document is complete only after
// it.
class Writer : public StatementSink {
 public:
  virtual Result<void> finish() = 0;
};

// `out` must outlive the writer. Statements outside the default graph are InvalidInput for a format
// without graphs.
std::unique_ptr<Writer> make_writer(Format format, ByteSink& out, const WriteOptions& options,
                                    const OpContext& context);

}  // namespace helve::rdf
