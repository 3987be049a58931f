// helve load: makes an index folder of files.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "sources/store/snapshot_file.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/load_input.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/cli/progress_bar.h"
#include "surfaces/cli/query_input.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

struct Written {
  std::uint64_t bytes = 0;
  Duration writing{};
  Duration elapsed{};  // of everything
};

// Told before large files are read.
Result<void> check_output(const std::string& folder, bool is_forced, Env& env) {
  if (folder.empty()) {
    return Error{ErrorCode::InvalidInput, "the folder to make has no name", "-o DIR names it"};
  }
  const auto status = env.files().status(folder);
  if (!status) {
    if (status.error().code == ErrorCode::NotFound) return {};
    return status.error();
  }
  if (status->kind != FileKind::Directory) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is not a folder", folder),
                 "name a folder to be made"};
  }
  if (store::is_snapshot_folder(folder)) {
    if (is_forced) return {};
    return Error{ErrorCode::InvalidInput, fmt::format("there is an index in {} already", folder),
                 "--force replaces it"};
  }
  HELVE_ASSIGN(const auto names, env.files().list(folder));
  // What a load that was killed left behind is no one's.
  if (std::all_of(names.begin(), names.end(), store::is_snapshot_draft)) return {};
  return Error{ErrorCode::InvalidInput, fmt::format("the folder {} holds other files", folder),
               "name an empty folder, or one to be made"};
}

class LoadCommand {
 public:
  LoadCommand(const LoadCommandOptions& options, CommandContext& context)
      : options_(options), context_(context), input_(options.input) {}

  Result<void> run() {
    const MonotonicTime start = context_.env.clock().now();
    HELVE_TRY(find_sources());
    HELVE_TRY(check_output(options_.output, options_.is_forced, context_.env));
    HELVE_ASSIGN(auto documents, open_inputs(input_, context_));
    HELVE_ASSIGN(loaded_, load_inputs(std::move(documents), input_, context_, std::move(graphs_)));
    HELVE_TRY(write());
    written_.elapsed = context_.env.clock().now() - start;
    report_skipped(loaded_.report.skipped, loaded_.report.problems, context_);
    if (!options_.is_json) {
      print_report();
      return {};
    }
    HELVE_TRY(context_.out.write(json_report()));
    return context_.out.flush();
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
    HELVE_TRY(store::write_snapshot(*loaded_.snapshot, origin, options_.output, context_.op));
    HELVE_ASSIGN(const auto info, store::read_snapshot_info(options_.output, context_.op));
    written_.bytes = info.bytes;
    written_.writing = context_.env.clock().now() - start;
    return {};
  }

  double bytes_per_triple() const {
    const std::uint64_t triples = loaded_.snapshot->statistics().triples;
    return triples == 0 ? 0 : static_cast<double>(written_.bytes) / static_cast<double>(triples);
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
    std::string out;
    JsonWriter json(out, JsonStyle::Indented);
    json.begin_object();
    json.member("index", options_.output);
    json.member("statements_read", report.statements_read);
    json.member("skipped", report.skipped);
    json.member("triples", statistics.triples);
    json.member("statements", statistics.statements);
    json.member("terms", loaded_.snapshot->dictionary().size());
    json.member("bytes", written_.bytes);
    json.member("bytes_per_triple", bytes_per_triple());
    json.member("seconds", seconds(written_.elapsed));
    json.member("seconds_reading", seconds(report.reading));
    json.member("seconds_terms", seconds(report.terms));
    json.member("seconds_sorting", seconds(report.sorting));
    json.member("seconds_counting", seconds(report.counting));
    json.member("seconds_writing", seconds(written_.writing));
    json.end_object();
    out += '\n';
    return out;
  }

  const LoadCommandOptions& options_;
  CommandContext& context_;
  InputOptions input_;
  std::vector<std::string> graphs_;
  store::Loaded loaded_;
  Written written_;
};

}  // namespace

Result<void> run_load(const LoadCommandOptions& options, CommandContext& context) {
  return LoadCommand(options, context).run();
}

}  // namespace helve::cli
