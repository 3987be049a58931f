// helve convert: the same statements in another syntax.
#include <fmt/core.h>

#include <atomic>
#include <memory>
#include <utility>

#include "base/compression.h"
#include "base/stdio.h"
#include "base/text.h"
#include "sources/rdf/document.h"
#include "sources/rdf/writer.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/live_store.h"
#include "sources/store/statement_walk.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/load_input.h"
#include "surfaces/cli/open_graph.h"
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

Result<rdf::Format> output_format(const ConvertOptions& options, bool has_graphs) {
  if (options.to) return *options.to;
  if (options.output == "-") return has_graphs ? rdf::Format::NQuads : rdf::Format::NTriples;
  if (const auto format = rdf::format_of_path(options.output)) return *format;
  return Error{ErrorCode::InvalidInput,
               fmt::format("the name '{}' does not tell which format to write", options.output),
               "say --to turtle, trig, ntriples, nquads or rdfxml"};
}

// What is converted: a document or an index.
class Input {
 public:
  virtual ~Input() = default;
  virtual std::string_view format_name() const = 0;
  virtual bool has_graphs() const = 0;
  virtual ProgressState progress() const = 0;
  virtual Result<rdf::ReadReport> send(rdf::StatementSink& sink, const OpContext& context) = 0;
};

class DocumentInput final : public Input {
 public:
  DocumentInput(rdf::Document document, const InputOptions& options)
      : document_(std::move(document)),
        read_options_{.base_iri = options.base_iri,
                      .document_name = document_.name(),
                      .lenient = options.is_lenient} {}

  std::string_view format_name() const override { return rdf::format_name(document_.format()); }
  bool has_graphs() const override { return rdf::format_has_graphs(document_.format()); }
  ProgressState progress() const override {
    return {document_.bytes_total(), document_.bytes_read(), 0, "converting"};
  }
  Result<rdf::ReadReport> send(rdf::StatementSink& sink, const OpContext& context) override {
    return document_.read(read_options_, context, sink);
  }

 private:
  rdf::Document document_;
  rdf::ReadOptions read_options_;
};

class IndexInput final : public Input {
 public:
  explicit IndexInput(std::shared_ptr<const store::LiveSnapshot> snapshot)
      : snapshot_(std::move(snapshot)) {}

  std::string_view format_name() const override { return "index"; }
  bool has_graphs() const override { return !snapshot_->named_graphs().empty(); }
  ProgressState progress() const override { return {0, 0, 0, "converting"}; }
  Result<rdf::ReadReport> send(rdf::StatementSink& sink, const OpContext& context) override {
    HELVE_TRY(store::send_statements(*snapshot_, sink, context));
    return rdf::ReadReport{};
  }

 private:
  std::shared_ptr<const store::LiveSnapshot> snapshot_;
};

Result<std::unique_ptr<Input>> open_input(const InputOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto index, find_index(options, context.env));
  if (index) {
    HELVE_ASSIGN(auto snapshot, store::open_live_snapshot(*index, context.op, context.env));
    return std::make_unique<IndexInput>(std::move(snapshot));
  }
  HELVE_ASSIGN(auto documents, open_inputs(options, context));
  return std::make_unique<DocumentInput>(std::move(documents.front()), options);
}

struct Converted {
  std::uint64_t statements = 0;
  rdf::ReadReport report;
};

Result<Converted> convert_into(Input& input, const ConvertOptions& options, rdf::Format format,
                               ByteSink& out, CommandContext& context) {
  auto compressed = open_compressor(compression_by_name(options.output), out);
  auto writer =
      rdf::make_writer(format, *compressed, {.pretty = !options.is_streaming}, context.op);
  CountingSink counter(*writer);
  const ProgressBar bar(context.progress_terminal(), [&] {
    ProgressState state = input.progress();
    state.statements = counter.count();
    return state;
  });
  HELVE_ASSIGN(rdf::ReadReport report, input.send(counter, context.op));
  HELVE_TRY(writer->finish());
  HELVE_TRY(compressed->finish());
  return Converted{counter.count(), std::move(report)};
}

}  // namespace

Result<void> run_convert(const ConvertOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  HELVE_ASSIGN(const auto input, open_input(options.input, context));
  HELVE_ASSIGN(const rdf::Format format, output_format(options, input->has_graphs()));
  Converted converted;
  if (options.output == "-") {
    HELVE_ASSIGN(converted, convert_into(*input, options, format, context.out, context));
    HELVE_TRY(context.out.flush());
  } else {
    HELVE_ASSIGN(OutputFile file, OutputFile::create(context.env, options.output));
    auto written = convert_into(*input, options, format, file.sink(), context);
    if (!written) return file.explained(std::move(written).error());
    converted = *std::move(written);
    HELVE_TRY(file.finish());
  }
  report_skipped(converted.report.skipped, converted.report.problems, context);
  context.note(fmt::format("{} from {} to {} in {}", count_of(converted.statements, "statement"),
                           input->format_name(), rdf::format_name(format),
                           format_duration(context.env.clock().now() - start)));
  return {};
}

}  // namespace helve::cli
