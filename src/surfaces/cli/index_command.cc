// helve index: what is in an index folder, whether it is whole, and all of it as RDF.
#include <fmt/core.h>

#include "base/text.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/log_replay.h"
#include "sources/store/snapshot_file.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/table.h"

namespace helve::cli {

namespace {

struct IndexReport {
  const std::string& folder;
  const store::SnapshotInfo& info;
  const store::LiveSnapshot& snapshot;
  store::Statistics statistics;  // of what a query sees
  store::EntryCounts changes;    // since the index was made or compacted
  store::LogSize log;
};

// Those of the base, and those that changes brought: not every id there was stands for one.
std::uint64_t count_terms(const store::LiveSnapshot& snapshot) {
  std::uint64_t count = snapshot.base()->dictionary().size();
  const store::Delta& delta = snapshot.delta();
  for (std::size_t i = 0; i < delta.terms_end.size(); ++i) {
    for (std::uint64_t n = delta.terms->starts()[i]; n < delta.terms_end[i]; ++n) {
      count += delta.terms->has(rdf::Id(static_cast<rdf::Tag>(i + 1), n)) ? 1 : 0;
    }
  }
  return count;
}

std::uint64_t named_graphs(const store::Statistics& statistics) {
  std::uint64_t count = 0;
  for (const auto& graph : statistics.graphs) count += graph.graph.is_defined() ? 1 : 0;
  return count;
}

double bytes_per_triple(const IndexReport& report) {
  return ratio(report.info.bytes + report.log.bytes, report.statistics.triples);
}

std::string log_text(const store::LogSize& log) {
  std::string text = format_bytes(log.bytes);
  if (log.torn_bytes > 0) {
    text += fmt::format(", of which {} at its end are of a transaction that was not finished",
                        format_bytes(log.torn_bytes));
  }
  return text;
}

std::string index_to_text(const IndexReport& report, const Terminal& terminal) {
  const store::SnapshotInfo& info = report.info;
  const auto& statistics = report.statistics;
  std::string out = terminal.styled(Style::Accent, escape_for_terminal(report.folder)) +
                    terminal.styled(Style::Dim, fmt::format("  index, format {}  {}", info.format,
                                                            format_bytes(info.bytes))) +
                    "\n\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("  {:<10} {}\n", name, value);
  };
  if (!info.origin.created_by.empty()) line("Made by", escape_for_terminal(info.origin.created_by));
  for (std::size_t i = 0; i < info.origin.documents.size(); ++i) {
    line(i == 0 ? "From" : "", escape_for_terminal(info.origin.documents[i]));
  }
  line("Triples", fmt::format("{}, {:.1f} bytes each", format_count(statistics.triples),
                              bytes_per_triple(report)));
  if (statistics.statements != statistics.triples) {
    line("Statements", format_count(statistics.statements) + ", some in several graphs");
  }
  line("Terms", format_count(count_terms(report.snapshot)));
  if (const auto graphs = named_graphs(statistics); graphs > 0) {
    line("Graphs", count_of(graphs, "named graph"));
  }
  if (!report.changes.is_zero()) {
    line("Changes",
         fmt::format("{} added, {} removed, not merged yet", format_count(report.changes.added),
                     format_count(report.changes.removed)));
  }
  if (report.log.bytes > 0) line("Log", log_text(report.log));
  Table sections{fmt::format("Sections ({})", info.sections.size()), {"bytes"}, {}, 0};
  for (const auto& section : info.sections) {
    sections.rows.push_back({section.name, format_count(section.bytes)});
  }
  const std::string table = render(sections, terminal);
  return table.empty() ? out : out + "\n" + table;
}

std::string index_to_json(const IndexReport& report) {
  const store::SnapshotInfo& info = report.info;
  const auto& statistics = report.statistics;
  return json_object([&](JsonWriter& json) {
    json.member("index", report.folder);
    json.member("format", info.format);
    json.member("created_by", info.origin.created_by);
    write_texts(json, "documents", info.origin.documents);
    json.member("triples", statistics.triples);
    json.member("statements", statistics.statements);
    json.member("terms", count_terms(report.snapshot));
    json.member("named_graphs", named_graphs(statistics));
    json.member("version", report.snapshot.version());
    json.member("changes_added", report.changes.added);
    json.member("changes_removed", report.changes.removed);
    json.member("log_bytes", report.log.bytes);
    json.member("log_bytes_torn", report.log.torn_bytes);
    json.member("bytes", info.bytes);
    json.member("bytes_per_triple", bytes_per_triple(report));
    write_objects(json, "sections", info.sections, [&](const store::SnapshotSection& section) {
      json.member("name", section.name);
      json.member("bytes", section.bytes);
    });
  });
}

}  // namespace

Result<void> run_index_info(const IndexOptions& options, CommandContext& context) {
  HELVE_TRY(store::check_snapshot_folder(options.folder, context.env));
  HELVE_ASSIGN(const auto info, store::read_snapshot_info(options.folder, context.op));
  HELVE_ASSIGN(const auto snapshot, store::open_live_snapshot(options.folder, context.op));
  HELVE_ASSIGN(const auto log, store::measure_log(options.folder, *snapshot->base()));
  const IndexReport report{
      options.folder, info, *snapshot, snapshot->statistics(), snapshot->delta().counts(), log};
  return context.show(options.is_json ? index_to_json(report)
                                      : index_to_text(report, context.out_terminal));
}

Result<void> run_index_verify(const IndexOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  HELVE_TRY(store::check_snapshot_folder(options.folder, context.env));
  HELVE_TRY(store::verify_snapshot(options.folder, context.op));
  HELVE_ASSIGN(const auto info, store::read_snapshot_info(options.folder, context.op));
  HELVE_ASSIGN(const auto snapshot, store::open_live_snapshot(options.folder, context.op));
  HELVE_TRY(store::verify_counts(*snapshot, context.op));
  HELVE_ASSIGN(const auto log, store::measure_log(options.folder, *snapshot->base()));
  const std::uint64_t changes = snapshot->delta().changes();
  HELVE_TRY(context.show(fmt::format(
      "{} is whole{}: {} checked in {}\n", escape_for_terminal(options.folder),
      changes == 0 ? "" : fmt::format(", with {} not merged yet", count_of(changes, "change")),
      format_bytes(info.bytes + log.bytes), format_duration(context.env.clock().now() - start))));
  if (log.torn_bytes > 0) context.note("its log: " + log_text(log));
  return {};
}

// What convert does with an index, in constant memory.
Result<void> run_index_export(const IndexExportOptions& options, CommandContext& context) {
  HELVE_TRY(store::check_snapshot_folder(options.folder, context.env));
  ConvertOptions convert;
  convert.input.paths = {options.folder};
  convert.output = options.output;
  convert.is_streaming = true;
  if (!options.to.empty()) {
    HELVE_ASSIGN(convert.to, rdf::parse_format(options.to));
  }
  return run_convert(convert, context);
}

}  // namespace helve::cli
