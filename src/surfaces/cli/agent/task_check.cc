// helve tasks check.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/digest.h"
#include "base/text.h"
#include "sources/sparql/algebra/parser.h"
#include "surfaces/cli/agent/task_set_command.h"
#include "surfaces/cli/any_source.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/table.h"

namespace helve::cli {

namespace {

using agent::TaskCase;
using agent::TaskSet;

constexpr std::uint64_t kRowsMax = 100'000;           // of one reference
constexpr std::size_t kBytesMax = 64 * kMiB;          // of their texts
constexpr Duration kTime = std::chrono::seconds(60);  // for one, where no --timeout says otherwise

// Rows as lines of N-Triples terms.
class RowTexts final : public RowSink, public rdf::StatementSink {
 public:
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row cells) override {
    std::string line;
    for (const auto& cell : cells) {
      if (cell) rdf::append_ntriples(line, *cell);
      line += '\t';
    }
    return add(std::move(line));
  }
  Result<void> statement(const rdf::StatementView& statement) override {
    std::string line;
    for (const rdf::TermView* term :
         {&statement.subject, &statement.predicate, &statement.object}) {
      rdf::append_ntriples(line, *term);
      line += '\t';
    }
    return add(std::move(line));
  }

  Result<void> add(std::string line) {
    bytes_ += line.size();
    if (bytes_ > kBytesMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the rows have more than {}", format_bytes(kBytesMax))};
    }
    lines_.push_back(std::move(line));
    return {};
  }
  // Without regard to their order, unless that counts.
  std::string digest(bool is_ordered) {
    if (!is_ordered) std::sort(lines_.begin(), lines_.end());
    return digest_hex(DigestKind::Sha256, fmt::format("{}", fmt::join(lines_, "\n")));
  }
  std::uint64_t rows() const { return lines_.size(); }

 private:
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;
};

struct CheckedTask {
  std::string id;
  std::uint64_t rows = 0;
  bool has_more = false;
  Duration time{0};
  std::string digest;
  std::optional<Error> error;  // the reference did not run, or there is none
};

std::optional<Error> run_sparql(const TaskCase& task, const GraphSource& graph, RowTexts& rows,
                                const OpContext& op, bool& has_more) {
  sparql::ParseOptions options;
  options.known_prefixes = graph.prefixes();
  options.text_name = task.id;
  const auto parsed = sparql::parse_query(task.reference, options);
  if (!parsed) return parsed.error();
  const bool has_rows = std::holds_alternative<sparql::Select>(parsed->query.form) ||
                        std::holds_alternative<sparql::Ask>(parsed->query.form);
  const GraphRun run =
      has_rows ? graph.run(parsed->query, kRowsMax, static_cast<RowSink&>(rows), op)
               : graph.run(parsed->query, kRowsMax, static_cast<rdf::StatementSink&>(rows), op);
  has_more = run.has_more;
  if (run.error) return run.error;
  if (!run.boolean) return std::nullopt;
  const auto added = rows.add(*run.boolean ? "true" : "false");
  return added ? std::nullopt : std::optional(added.error());
}

std::optional<Error> run_sql(const TaskCase& task, const TableSource& tables, RowTexts& rows,
                             const OpContext& op, bool& has_more) {
  TableQuery query;
  query.sql = task.reference;
  query.rows_max = kRowsMax;
  const TableRun run = tables.run(query, rows, op);
  has_more = run.has_more;
  return run.error;
}

CheckedTask check_one(const TaskCase& task, const AnySource& source,
                      const CommandContext& context) {
  CheckedTask checked;
  checked.id = task.id;
  OpContext op = context.op;
  op.deadline = Deadline(context.env.clock(), context.timeout.value_or(kTime));
  const MonotonicTime begin = context.env.clock().now();
  const bool is_sql = task.language == learning::QueryLanguage::Sql;
  RowTexts rows;
  if (task.reference.empty()) {
    checked.error = Error{ErrorCode::InvalidInput, "it has no reference"};
  } else if (is_sql != (source.tables != nullptr)) {
    checked.error = Error{ErrorCode::InvalidInput,
                          is_sql ? "its reference is SQL, and the source is a graph"
                                 : "its reference is SPARQL, and the source is a SQL database"};
  } else if (is_sql) {
    checked.error = run_sql(task, *source.tables, rows, op, checked.has_more);
  } else {
    checked.error = run_sparql(task, *source.graph, rows, op, checked.has_more);
  }
  checked.time = context.env.clock().now() - begin;
  checked.rows = rows.rows();
  checked.digest = rows.digest(task.is_ordered);
  return checked;
}

struct CheckTotals {
  std::size_t empty = 0;
  std::size_t failed = 0;
  Duration time{0};
};

CheckTotals totals_of(const std::vector<CheckedTask>& checked) {
  CheckTotals totals;
  for (const CheckedTask& one : checked) {
    totals.failed += one.error ? 1 : 0;
    totals.empty += !one.error && one.rows == 0 ? 1 : 0;
    totals.time += one.time;
  }
  return totals;
}

std::string report_json(const TaskSet& set, const std::string& source,
                        const std::vector<CheckedTask>& checked) {
  const CheckTotals totals = totals_of(checked);
  return json_object([&](JsonWriter& json) {
    json.member("name", set.name);
    json.member("source", source);
    json.member("digest", set.digest);
    json.member("total", checked.size());
    json.member("empty", totals.empty);
    json.member("failed", totals.failed);
    json.member("seconds", seconds(totals.time));
    write_objects(json, "tasks", checked, [&](const CheckedTask& one) {
      json.member("id", one.id);
      json.member("rows", one.rows);
      if (one.has_more) json.member("has_more", true);
      json.member("rows_digest", one.digest);
      json.member("seconds", seconds(one.time));
      if (one.error) json.member("error", one.error->to_string());
    });
  });
}

std::string report_text(const TaskSet& set, const std::string& source,
                        const std::vector<CheckedTask>& checked, const Terminal& terminal) {
  constexpr std::size_t kListed = 200;
  const CheckTotals totals = totals_of(checked);
  std::string text =
      fmt::format("{} of {} on {} in {}: {} with rows, {} empty, {} failed\n\n",
                  count_of(checked.size(), "reference"), escape_for_terminal(set.name),
                  escape_for_terminal(source), format_duration(totals.time),
                  checked.size() - totals.empty - totals.failed, totals.empty, totals.failed);
  Table table{"task", {"rows", "ms"}, {}, 0};
  for (std::size_t i = 0; i < std::min(checked.size(), kListed); ++i) {
    const CheckedTask& one = checked[i];
    table.rows.push_back({one.id,
                          one.error ? "-" : format_count(one.rows) + (one.has_more ? "+" : ""),
                          fmt::format("{:.1f}", seconds(one.time) * 1000)});
  }
  table.rows_left_out = checked.size() - table.rows.size();
  return text + render(table, terminal);
}

}  // namespace

Result<void> run_tasks_check(const TaskSetOptions& options, CommandContext& context) {
  constexpr std::size_t kTold = 20;
  HELVE_ASSIGN(const TaskSet set, read_chosen_tasks(options, context));
  const std::string& asked = options.source.empty() ? set.source : options.source;
  if (asked.empty()) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("{} says of no source that it is about it", escape_for_terminal(options.set)),
        "name one: --source data.ttl"};
  }
  HELVE_ASSIGN(const AnySource source,
               open_any_source(opening::read_source(asked, context.env.files()), {}, context));
  std::vector<CheckedTask> checked;
  for (const TaskCase& task : set.cases) {
    if (context.op.cancel.is_cancelled()) return context.op.check();
    checked.push_back(check_one(task, source, context));
  }
  source.finish(context.op);
  HELVE_TRY(context.show(options.is_json ? report_json(set, asked, checked)
                                         : report_text(set, asked, checked, context.out_terminal)));
  const std::size_t failed = totals_of(checked).failed;
  if (failed == 0) return {};
  std::size_t told = 0;
  for (const CheckedTask& one : checked) {
    if (!one.error || told++ == kTold) continue;
    context.warn(fmt::format("{}: {}", escape_for_terminal(one.id),
                             escape_for_terminal(one.error->to_string())));
  }
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} of {} failed", failed, count_of(checked.size(), "reference")),
               "mend the references, or name the source that they are for"};
}

}  // namespace helve::cli
