#include "tests/reference/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <span>

#include "base/executor.h"
#include "base/memory_budget.h"
#include "base/op_context.h"
#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/engine/query_run.h"
#include "tests/support/fake_env.h"

namespace helve::reference {

using namespace sparql;

namespace {

constexpr std::size_t kRowsShown = 12;
constexpr std::size_t kRowsSpare = 10'000;

// Once there are far more rows than there should be, it is wrong: they need not be held.
struct EngineAnswer final : SolutionSink, rdf::StatementSink {
  explicit EngineAnswer(std::size_t expected) : rows_max(expected + kRowsSpare) {}

  Result<void> variables(const std::vector<std::string>& new_names) override {
    names = new_names;
    return {};
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    Row row;
    for (const auto& term : terms) append_cell(row, term);
    return keep(std::move(row));
  }
  Result<void> boolean(bool answer) override {
    is_true = answer;
    return {};
  }
  Result<void> statement(const rdf::StatementView& statement) override {
    Row row;
    for (const auto& term : {statement.subject, statement.predicate, statement.object}) {
      append_cell(row, term);
    }
    return keep(std::move(row));
  }
  Result<void> keep(Row row) {
    if (rows.size() == rows_max) {
      return Error(ErrorCode::LimitExceeded,
                   fmt::format("more than {} rows, expected {}", rows_max, rows_max - kRowsSpare));
    }
    rows.push_back(std::move(row));
    return {};
  }

  std::vector<std::string> names;
  std::vector<Row> rows;
  std::size_t rows_max;
  bool is_true = false;
};

Result<EngineAnswer> ask_engine(const TestedData& data, const Asked& asked, const Setup& setup,
                                std::size_t memory_max, std::size_t rows_expected) {
  static Executor executor(3);
  FakeEnv env;
  MemoryBudget memory("query", memory_max);
  OpContext context;
  context.memory = &memory;
  context.executor = &executor;
  context.deadline = Deadline(real_clock(), std::chrono::seconds(60));
  RunOptions options;
  options.is_union_default = asked.is_union_default;
  options.env = &env;
  options.passes = setup.passes;
  options.parallel_cost_min = 0;
  EngineAnswer answer(rows_expected);
  {
    HELVE_ASSIGN(QueryRun run,
                 QueryRun::start(asked.query, data.snapshot(setup.backend), options, context));
    if (run.kind() == QueryRun::Kind::Graph) {
      HELVE_TRY(run.send(static_cast<rdf::StatementSink&>(answer)));
    } else {
      HELVE_TRY(run.send(static_cast<SolutionSink&>(answer)));
    }
  }
  if (memory.bytes_used() != 0) {
    return Error(ErrorCode::Internal,
                 fmt::format("{} bytes are still charged", memory.bytes_used()));
  }
  return answer;
}

std::string shown(std::vector<Row> rows) {
  std::string out;
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsShown); ++i) out += "  " + rows[i] + "\n";
  if (rows.size() > kRowsShown) out += fmt::format("  and {} more\n", rows.size() - kRowsShown);
  return out;
}

// What `rows` have more than `others`, as multisets.
std::vector<Row> surplus(std::vector<Row> rows, std::vector<Row> others) {
  std::sort(rows.begin(), rows.end());
  std::sort(others.begin(), others.end());
  std::vector<Row> out;
  std::set_difference(rows.begin(), rows.end(), others.begin(), others.end(),
                      std::back_inserter(out));
  return out;
}

std::optional<std::string> group_difference(const RowGroup& group, std::span<const Row> found) {
  const std::vector<Row> rows(found.begin(), found.end());
  const std::vector<Row> wrong = surplus(rows, group.rows);
  const bool is_whole = group.taken == group.rows.size();
  const std::vector<Row> missing = is_whole ? surplus(group.rows, rows) : std::vector<Row>();
  if (wrong.empty() && missing.empty()) return std::nullopt;
  return fmt::format("rows that should not be there:\n{}rows that are missing:\n{}", shown(wrong),
                     shown(missing));
}

std::optional<std::string> difference(const ReferenceAnswer& expected, const EngineAnswer& found) {
  if (expected.kind == ReferenceAnswer::Kind::Boolean) {
    if (expected.is_true == found.is_true) return std::nullopt;
    return fmt::format("answered {}, expected {}", found.is_true, expected.is_true);
  }
  if (expected.names != found.names) return "other columns";
  const std::size_t rows = expected.rows();
  std::string problem;
  if (rows != found.rows.size()) {
    problem = fmt::format("{} rows, expected {}\n", found.rows.size(), rows);
  }
  std::size_t begin = 0;
  for (const RowGroup& group : expected.groups) {
    const std::size_t end = std::min(begin + group.taken, found.rows.size());
    const std::span<const Row> part(found.rows.data() + begin, end - begin);
    if (const auto other = group_difference(group, part)) {
      return fmt::format("{}at row {}, {}", problem, begin, *other);
    }
    begin = end;
  }
  if (problem.empty()) return std::nullopt;
  return problem + "the last of them:\n" +
         shown({found.rows.begin() + static_cast<std::ptrdiff_t>(begin), found.rows.end()});
}

}  // namespace

std::string Setup::name() const {
  std::string out = backend == Backend::Memory ? "memory" : "store";
  if (passes == PassSet::all()) return out + ", all passes";
  if (passes == PassSet::none()) return out + ", no passes";
  for (std::size_t i = 0; i < kPasses; ++i) {
    const auto pass = static_cast<Pass>(i);
    if (!passes.has(pass)) out += fmt::format(", without {}", name_of(pass));
  }
  return out;
}

std::vector<Setup> setups(std::uint64_t turn) {
  const PassSet all = PassSet::all();
  const auto pass = static_cast<Pass>(turn % kPasses);
  const auto backend = turn / kPasses % 4 == 0 ? Backend::Memory : Backend::Store;
  return {{all, Backend::Store},
          {all, Backend::Memory},
          {PassSet::none(), turn % 2 == 0 ? Backend::Store : Backend::Memory},
          {all.without(pass), backend},
          {PassSet::none().with(pass), Backend::Store}};
}

std::vector<Setup> store_setups(std::uint64_t turn) {
  const auto pass = static_cast<Pass>(turn % kPasses);
  return {{PassSet::all(), Backend::Store},
          {PassSet::none(), Backend::Store},
          {PassSet::all().without(pass), Backend::Store}};
}

std::vector<Setup> all_setups() {
  std::vector<Setup> out;
  for (const Backend backend : {Backend::Store, Backend::Memory}) {
    out.push_back({PassSet::all(), backend});
    out.push_back({PassSet::none(), backend});
    for (std::size_t i = 0; i < kPasses; ++i) {
      out.push_back({PassSet::all().without(static_cast<Pass>(i)), backend});
      out.push_back({PassSet::none().with(static_cast<Pass>(i)), backend});
    }
  }
  return out;
}

TestedData::TestedData(std::vector<MemoryQuad> quads)
    : quads_(std::move(quads)), memory_(make_memory(quads_)), store_(make_store(quads_)) {}

Compared compare(const TestedData& data, const Asked& asked, const std::vector<Setup>& with,
                 const CompareLimits& limits) {
  FakeEnv env;
  ReferenceOptions options;
  options.is_union_default = asked.is_union_default;
  options.steps_max = limits.steps_max;
  options.rows_max = limits.rows_max;
  options.env = &env;
  Compared out;
  const auto expected = evaluate(asked.query, data.snapshot(Backend::Memory), options);
  if (!expected) {
    out.verdict = Verdict::Skipped;
    out.difference = expected.error().to_string();
    return out;
  }
  out.has_rows = expected->is_true || !expected->groups.empty();
  for (const Setup& setup : with) {
    const auto found = ask_engine(data, asked, setup, limits.memory_max, expected->rows());
    ++out.runs;
    if (!found && found.error().message.find("deadline") != std::string::npos) {
      out.verdict = Verdict::Skipped;  // a busy machine, or a plan for bench/ to complain about
      out.difference = found.error().to_string();
      return out;
    }
    const auto other = found ? difference(*expected, *found)
                             : std::optional("the engine says: " + found.error().to_string());
    if (!other) continue;
    out.verdict = Verdict::Different;
    out.setup = setup.name();
    out.difference = *other;
    return out;
  }
  return out;
}

std::optional<Query> as_text_says(const Query& query) {
  ParseOptions options;
  options.is_strict = true;
  auto parsed = parse_query(to_sparql(query), options);
  if (!parsed) return std::nullopt;
  return std::move(parsed->query);
}

std::string report(const std::vector<MemoryQuad>& quads, const Asked& asked,
                   const Compared& compared) {
  return fmt::format("--- data\n{}--- query{}\n{}\n--- {}\n{}\n", to_trig(quads),
                     asked.is_union_default ? " (the default graph is the union)" : "",
                     to_sparql(asked.query), compared.setup, compared.difference);
}

}  // namespace helve::reference
