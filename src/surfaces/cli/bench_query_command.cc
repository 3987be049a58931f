// helve bench-query: how long each round of each query takes on one graph. Reports line by
// line, as the programs of bench/peers do, so that bench/ can give up on one query and keep the
// rest.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <functional>

#include "base/digest.h"
#include "base/json_writer.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/open_graph.h"

namespace helve::cli {

namespace {

// Takes every term, as a reader would; can also say what they were, whatever the order of rows.
class Consumer final : public sparql::SolutionSink {
 public:
  explicit Consumer(bool keeps_digest) : keeps_digest_(keeps_digest) {}

  Result<void> variables(const std::vector<std::string>& names) override {
    static_cast<void>(names);
    return {};
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    ++rows_;
    text_.clear();
    for (const auto& term : terms) {
      if (term) bytes_ += term->value.size();
      if (!keeps_digest_) continue;
      if (&term != terms.data()) text_.push_back('\t');
      if (term) rdf::append_ntriples(text_, *term);
    }
    if (keeps_digest_) add_digest();
    return {};
  }
  Result<void> boolean(bool answer) override {
    rows_ = answer ? 1 : 0;
    return {};
  }

  std::uint64_t rows() const { return rows_; }
  std::string digest() const { return fmt::format("{:016x}", sum_); }

 private:
  void add_digest() {
    const std::string digits = digest_hex(DigestKind::Md5, text_).substr(0, 16);
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    sum_ += number;
  }

  bool keeps_digest_;
  std::string text_;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t sum_ = 0;
};

// No further rounds of a query that took this long altogether, and up to kShortRounds times as many
// of one that did not take kShort.
constexpr Duration kEnough = std::chrono::seconds(20);
constexpr Duration kShort = std::chrono::milliseconds(100);
constexpr std::size_t kShortRounds = 20;

Result<std::string> read_query_file(const std::string& path, Env& env) {
  HELVE_ASSIGN(const auto file, env.files().map(path));
  return std::string(file->text());
}

Result<void> answer(const std::string& text, const std::shared_ptr<const sparql::Snapshot>& data,
                    Consumer& consumer, CommandContext& context) {
  sparql::ParseOptions parse;
  parse.limits = context.op.limits;
  HELVE_ASSIGN(const sparql::ParsedQuery parsed, sparql::parse_query(text, parse));
  HELVE_ASSIGN(auto run, sparql::QueryRun::start(parsed.query, data, {}, context.op));
  HELVE_TRY(run.send(consumer));
  return {};
}

Result<void> write_event(CommandContext& context, std::string_view event,
                         const std::function<void(JsonWriter&)>& members) {
  std::string line;
  JsonWriter json(line, JsonStyle::Compact);
  json.begin_object();
  json.member("event", event);
  members(json);
  json.end_object();
  line += '\n';
  return context.show(line);
}

Result<void> measure_query(const std::string& path, std::size_t rounds,
                           const std::shared_ptr<const sparql::Snapshot>& data,
                           CommandContext& context) {
  HELVE_ASSIGN(const std::string text, read_query_file(path, context.env));
  const std::string name = std::filesystem::path(path).stem().string();
  Duration total{};
  for (std::size_t round = 0; round < rounds * kShortRounds; ++round) {
    if (total > (round < rounds ? kEnough : kShort)) break;
    Consumer consumer(false);
    const MonotonicTime start = context.env.clock().now();
    HELVE_TRY(answer(text, data, consumer, context));
    const Duration elapsed = context.env.clock().now() - start;
    total += elapsed;
    HELVE_TRY(write_event(context, "run", [&](JsonWriter& json) {
      json.member("query", name);
      json.member("seconds", seconds(elapsed));
    }));
  }
  Consumer consumer(true);
  HELVE_TRY(answer(text, data, consumer, context));
  return write_event(context, "answer", [&](JsonWriter& json) {
    json.member("query", name);
    json.member("rows", consumer.rows());
    json.member("digest", consumer.digest());
  });
}

}  // namespace

Result<void> run_bench_query(const BenchQueryOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  InputOptions input;
  input.paths = {options.data};
  input.uses_cache = false;  // a file is to be read
  HELVE_ASSIGN(const OpenedGraph graph, open_graph(input, context));
  const Duration elapsed = context.env.clock().now() - start;
  HELVE_TRY(write_event(context, "open", [&](JsonWriter& json) {
    json.member("seconds", seconds(elapsed));
    json.member("triples", graph.data->triples());
  }));
  for (const std::string& path : options.queries) {
    HELVE_TRY(measure_query(path, options.rounds, graph.data, context));
  }
  return {};
}

}  // namespace helve::cli
