#include "sources/remote/endpoint_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sources/remote/answer_reader.h"

namespace helve::remote {

namespace {

class RowCollector final : public RowSink {
 public:
  explicit RowCollector(SmallRows& rows) : rows_(rows) {}
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    auto& row = rows_.emplace_back();
    row.reserve(cells.size());
    for (const auto& cell : cells) {
      row.push_back(cell ? std::optional(rdf::Term(*cell)) : std::nullopt);
    }
    return {};
  }

 private:
  SmallRows& rows_;
};

tl::expected<GraphRun, EndpointFailure> run_small(EndpointClient& client, const std::string& query,
                                                  std::uint64_t rows_max, RowSink& sink,
                                                  const OpContext& context) {
  auto answer = client.ask(query, AnswerKind::Solutions, context);
  if (!answer) return tl::unexpected(std::move(answer).error());
  GraphRun run;
  read_answer(*std::move(answer), rows_max, sink, client.state(), context, run);
  if (!run.error) {
    client.note_success();
    return run;
  }
  return tl::unexpected(EndpointFailure{cause_named(run.cause).value_or(EndpointCause::WrongAnswer),
                                        *run.error, run.may_retry, std::nullopt});
}

}  // namespace

tl::expected<SmallRows, EndpointFailure> ask_rows(EndpointClient& client, const std::string& query,
                                                  std::uint64_t rows_max,
                                                  const OpContext& context) {
  SmallRows rows;
  RowCollector collector(rows);
  auto run = run_small(client, query, rows_max, collector, context);
  if (!run) return tl::unexpected(std::move(run).error());
  rows.is_whole = run->incomplete.empty();
  return rows;
}

tl::expected<bool, EndpointFailure> ask_whether(EndpointClient& client, const std::string& query,
                                                const OpContext& context) {
  SmallRows rows;
  RowCollector collector(rows);
  auto run = run_small(client, query, 1, collector, context);
  if (!run) return tl::unexpected(std::move(run).error());
  if (!run->boolean) return tl::unexpected(neither_yes_nor_no(client.options().name));
  return *run->boolean;
}

tl::expected<std::uint64_t, EndpointFailure> ask_number(EndpointClient& client,
                                                        const std::string& query,
                                                        const OpContext& context) {
  auto rows = ask_rows(client, query, 1, context);
  if (!rows) return tl::unexpected(std::move(rows).error());
  return rows->empty() || rows->front().empty() ? 0 : number_in(rows->front().front());
}

tl::expected<GraphCount, EndpointFailure> ask_count(EndpointClient& client,
                                                    const std::string& query,
                                                    const OpContext& context) {
  SmallRows rows;
  RowCollector collector(rows);
  auto run = run_small(client, query, 1, collector, context);
  if (!run) return tl::unexpected(std::move(run).error());
  const bool has_cell = !rows.empty() && !rows.front().empty() && rows.front().front();
  const std::string text = has_cell ? rows.front().front()->value : std::string();
  GraphCount count;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count.n);
  if (read.ec != std::errc() || read.ptr != end) {
    return tl::unexpected(
        EndpointFailure{EndpointCause::WrongAnswer,
                        {ErrorCode::Unavailable,
                         fmt::format("{} answered a count without a number", client.state().name),
                         "try a simpler query; if that fails too, the endpoint has a problem"},
                        false,
                        std::nullopt});
  }
  count.is_exact = run->incomplete.empty();
  return count;
}

std::uint64_t number_in(const std::optional<rdf::Term>& cell) {
  if (!cell) return 0;
  std::uint64_t number = 0;
  std::from_chars(cell->value.data(), cell->value.data() + cell->value.size(), number);
  return number;
}

OpContext with_time(const OpContext& context, Duration time, Env& env) {
  OpContext shorter = context;
  shorter.deadline = Deadline(env.clock(), std::min(time, context.deadline.remaining()));
  return shorter;
}

}  // namespace helve::remote
