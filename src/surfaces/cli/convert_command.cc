// helve convert: the same statements in another syntax.
#include <fmt/core.h>

#include <atomic>
#include <utility>

#include "base/compression.h"
#include "base/stdio.h"
#include "base/text.h"
#include "sources/rdf/document.h"
#include "sources/rdf/writer.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/load_input.h"
#include "surfaces/cli/output_file.h"
#include "surfaces/cli/progress_bar.h"

namespace helve::cli {

namespace {

// Passes statements on and counts them for the progress bar.
class CountingSink final : public rdf::StatementSink {
 public:
  explicit CountingSink(rdf::StatementSink& next) : next_(next) {}
  Result<void> statement(const rdf::StatementView& statement) override {
    count_.fetch_add(1, std::memory_order_relaxed);
    return next_.statement(statement);
  }
  void prefix(std::string_view name, std::string_view iri) override { next_.prefix(name, iri); }
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  rdf::StatementSink& next_;
  std::atomic<std::uint64_t> count_{0};
};

Result<rdf::Format> output_format(const ConvertOptions& options, rdf::Format input) {
  if (options.to) return *options.to;
  if (options.output == "-") {
    return rdf::format_has_graphs(input) ? rdf::Format::NQuads : rdf::Format::NTriples;
  }
  if (const auto format = rdf::format_of_path(options.output)) return *format;
  return Error{ErrorCode::InvalidInput,
               fmt::format("the name '{}' does not tell which format to write", options.output),
               "say --to turtle, trig, ntriples, nquads or rdfxml"};
}

struct Converted {
  std::uint64_t statements = 0;
  rdf::ReadReport report;
};

Result<Converted> convert_into(rdf::Document& document, const ConvertOptions& options,
                               rdf::Format format, ByteSink& out, CommandContext& context) {
  auto compressed = open_compressor(compression_by_name(options.output), out);
  auto writer =
      rdf::make_writer(format, *compressed, {.pretty = !options.is_streaming}, context.op);
  CountingSink counter(*writer);
  const ProgressBar bar(context.progress_terminal(), [&] {
    return ProgressState{document.bytes_total(), document.bytes_read(), counter.count(),
                         "converting"};
  });
  const rdf::ReadOptions read_options{.base_iri = options.input.base_iri,
                                      .document_name = document.name(),
                                      .lenient = options.input.is_lenient};
  HELVE_ASSIGN(rdf::ReadReport report, document.read(read_options, context.op, counter));
  HELVE_TRY(writer->finish());
  HELVE_TRY(compressed->finish());
  return Converted{counter.count(), std::move(report)};
}

}  // namespace

Result<void> run_convert(const ConvertOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  HELVE_ASSIGN(auto documents, open_inputs(options.input, context));
  rdf::Document& document = documents.front();
  HELVE_ASSIGN(const rdf::Format format, output_format(options, document.format()));
  Converted converted;
  if (options.output == "-") {
    HELVE_ASSIGN(converted, convert_into(document, options, format, context.out, context));
    HELVE_TRY(context.out.flush());
  } else {
    HELVE_ASSIGN(OutputFile file, OutputFile::create(context.env, options.output));
    auto written = convert_into(document, options, format, file.sink(), context);
    if (!written) return file.explained(std::move(written).error());
    converted = *std::move(written);
    HELVE_TRY(file.finish());
  }
  report_skipped(converted.report.skipped, converted.report.problems, context);
  context.note(fmt::format("{} from {} to {} in {}", count_of(converted.statements, "statement"),
                           rdf::format_name(document.format()), rdf::format_name(format),
                           format_duration(context.env.clock().now() - start)));
  return {};
}

}  // namespace helve::cli
