// helve load: makes an index folder of files.
#include <fmt/core.h>

#include <memory>
#include <utility>

#include "base/text.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_folder.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/index_names.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/load_input.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/cli/progress_bar.h"
#include "surfaces/cli/query_input.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

struct Written {
  std::uint64_t bytes = 0;
  Duration writing{};
  Duration elapsed{};  // of everything
};

// Told before large files are read.
Result<void> check_output(const std::string& folder, store::IfPresent if_present, Env& env) {
  if (folder.empty()) {
    return Error{ErrorCode::InvalidInput, "the folder to make has no name", "-o DIR names it"};
  }
  if (folder == "-") {
    return Error{ErrorCode::InvalidInput,
                 "an index is a folder: it cannot be written to standard output",
                 "name a folder to be made; ./- is one with that name"};
  }
  return store::check_snapshot_target(folder, if_present, env);
}

class LoadCommand {
 public:
  LoadCommand(const LoadCommandOptions& options, CommandContext& context)
      : options_(options),
        context_(context),
        input_(options.input),
        if_present_(options.is_forced ? store::IfPresent::Replace : store::IfPresent::Refuse) {}

  Result<void> run() {
    const MonotonicTime start = context_.env.clock().now();
    HELVE_TRY(find_sources());
    HELVE_TRY(check_output(options_.output, if_present_, context_.env));
    // What is changed while the files are read would go with the index that is replaced.
    if (options_.is_forced && store::is_snapshot_folder(options_.output, context_.env)) {
      HELVE_ASSIGN(lock_, store::lock_for_writing(options_.output, context_.env));
    }
    HELVE_ASSIGN(auto documents, open_inputs(input_, context_));
    HELVE_ASSIGN(loaded_, load_inputs(std::move(documents), input_, context_, std::move(graphs_),
                                      context_.temp.empty() ? options_.output : context_.temp));
    HELVE_TRY(write());
    written_.elapsed = context_.env.clock().now() - start;
    report_skipped(loaded_.report.skipped, loaded_.report.problems, context_);
    if (!options_.is_json) {
      print_report();
      return {};
    }
    return context_.show(json_report());
  }

 private:
  Result<void> find_sources() {
    graphs_.resize(input_.paths.size());
    for (const std::string& word : options_.named_graphs) {
      HELVE_ASSIGN(QuerySource source, parse_named_graph(word));
      input_.paths.push_back(std::move(source.path));
      graphs_.push_back(std::move(source.graph));
    }
    if (input_.paths.empty()) {
      return Error{ErrorCode::InvalidInput, "no files are named", "helve load FILE... -o DIR"};
    }
    for (const std::string& path : input_.paths) {
      if (path == "-" || !store::is_snapshot_folder(path)) continue;
      return Error{ErrorCode::InvalidInput, fmt::format("{} is an index already", path),
                   "name the files that it was made from"};
    }
    return {};
  }

  Result<void> write() {
    const MonotonicTime start = context_.env.clock().now();
    const std::uint64_t triples = loaded_.snapshot->statistics().triples;
    const ProgressBar bar(context_.progress_terminal(), [triples] {
      return ProgressState{0, 0, triples, "writing"};
    });
    const store::SnapshotOrigin origin{input_.paths, std::string("helve ") + kVersion, {}};
    HELVE_TRY(store::write_snapshot(*loaded_.snapshot, origin, options_.output, context_.op,
                                    context_.env, if_present_, lock_.get()));
    if (loaded_.report.is_external) {
      // Its own files are free with that.
      HELVE_ASSIGN(loaded_.snapshot, store::open_snapshot(options_.output, context_.op));
    }
    write_names(*loaded_.snapshot, options_.output, context_);
    HELVE_TRY(context_.op.check());
    HELVE_ASSIGN(const auto info, store::read_snapshot_info(options_.output, context_.op));
    written_.bytes = info.bytes;
    written_.writing = context_.env.clock().now() - start;
    return {};
  }

  double bytes_per_triple() const {
    return ratio(written_.bytes, loaded_.snapshot->statistics().triples);
  }

  void print_report() const {
    const auto& statistics = loaded_.snapshot->statistics();
    const store::LoadReport& report = loaded_.report;
    context_.note(fmt::format(
        "{} from {} into {} in {}", count_of(report.statements_read, "statement"),
        count_of(input_.paths.size(), "file"), options_.output, format_duration(written_.elapsed)));
    context_.note(fmt::format("  {}, {}; {}, {:.1f} bytes per triple",
                              count_of(statistics.triples, "triple"),
                              count_of(loaded_.snapshot->dictionary().size(), "term"),
                              format_bytes(written_.bytes), bytes_per_triple()));
    context_.note(
        fmt::format("  reading in {}, terms in {}, sorting in {}, counting in {}, "
                    "writing in {}",
                    format_duration(report.reading), format_duration(report.terms),
                    format_duration(report.sorting), format_duration(report.counting),
                    format_duration(written_.writing)));
  }

  std::string json_report() const {
    const auto& statistics = loaded_.snapshot->statistics();
    const store::LoadReport& report = loaded_.report;
    return json_object([&](JsonWriter& json) {
      json.member("index", options_.output);
      json.member("statements_read", report.statements_read);
      json.member("skipped", report.skipped);
      json.member("triples", statistics.triples);
      json.member("statements", statistics.statements);
      json.member("terms", loaded_.snapshot->dictionary().size());
      json.member("bytes", written_.bytes);
      json.member("bytes_per_triple", bytes_per_triple());
      json.member("is_external", report.is_external);
      json.member("peak_memory_bytes", context_.op.memory->bytes_peak());
      json.member("seconds", seconds(written_.elapsed));
      json.member("seconds_reading", seconds(report.reading));
      json.member("seconds_terms", seconds(report.terms));
      json.member("seconds_sorting", seconds(report.sorting));
      json.member("seconds_counting", seconds(report.counting));
      json.member("seconds_writing", seconds(written_.writing));
    });
  }

  const LoadCommandOptions& options_;
  CommandContext& context_;
  InputOptions input_;
  store::IfPresent if_present_;
  std::unique_ptr<FileLock> lock_;  // of an index that is replaced
  std::vector<std::string> graphs_;
  store::Loaded loaded_;
  Written written_;
};

}  // namespace

Result<void> run_load(const LoadCommandOptions& options, CommandContext& context) {
  return LoadCommand(options, context).run();
}

}  // namespace helve::cli
