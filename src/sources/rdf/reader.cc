// One entry for all formats.
#include "sources/rdf/reader.h"

#include "sources/rdf/input_window.h"
#include "sources/rdf/ntriples_reader.h"
#include "sources/rdf/rdfxml_reader.h"
#include "sources/rdf/turtle_reader.h"

namespace helve::rdf {

namespace {

bool is_by_lines(Format format) { return format == Format::NTriples || format == Format::NQuads; }

// A text as a stream that tells how far it has been read.
class ReportingSource final : public ByteSource {
 public:
  ReportingSource(std::string_view text, std::atomic<std::uint64_t>& consumed)
      : text_(text), consumed_(consumed) {}
  Result<std::size_t> read(std::span<char> into) override {
    HELVE_ASSIGN(const std::size_t count, text_.read(into));
    consumed_.fetch_add(count, std::memory_order_relaxed);
    return count;
  }

 private:
  StringSource text_;
  std::atomic<std::uint64_t>& consumed_;
};

Result<ReadReport> read_window(InputWindow& window, Format format, const ReadOptions& options,
                               const OpContext& context, StatementSink& sink) {
  return is_by_lines(format) ? read_ntriples(window, format, options, context, sink)
                             : read_turtle(window, format, options, context, sink);
}

}  // namespace

Result<ReadReport> read_document(Format format, ByteSource& source, const ReadOptions& options,
                                 const OpContext& context, StatementSink& sink) {
  if (format == Format::RdfXml) return read_rdfxml(source, options, context, sink);
  const Limits& limits = context.limits;
  // A reader keeps at most one line or term, and needs room to see that it ends.
  const std::size_t kept_max = is_by_lines(format) ? limits.line_bytes_max : limits.term_bytes_max;
  InputWindow window(source, limits.window_bytes, kept_max + limits.window_bytes);
  return read_window(window, format, options, context, sink);
}

Result<ReadReport> read_document(Format format, std::string_view text, const ReadOptions& options,
                                 const OpContext& context, StatementSink& sink) {
  if (format == Format::RdfXml) {
    if (options.bytes_consumed == nullptr) return read_rdfxml(text, options, context, sink);
    ReportingSource source(text, *options.bytes_consumed);
    return read_rdfxml(source, options, context, sink);
  }
  InputWindow window(text);
  window.report_to(options.bytes_consumed);
  return read_window(window, format, options, context, sink);
}

}  // namespace helve::rdf
