#include "sources/remote/remote_services.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sources/remote/answer_reader.h"
#include "sources/remote/silent_end.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::remote {

namespace {

class TableSink final : public RowSink {
 public:
  TableSink(sparql::SolutionTable& table, const OpContext& context)
      : table_(table), charge_(*context.memory, "the answer of a SERVICE") {}
  Result<void> columns(const std::vector<std::string>& names) override {
    return table_.variables(names);
  }
  Result<void> row(Row cells) override {
    std::size_t bytes = cells.size() * sizeof(rdf::Term);
    for (const auto& cell : cells) bytes += cell ? cell->value.size() : 0;
    HELVE_TRY(charge_.add(bytes));
    return table_.solution(cells);
  }

 private:
  sparql::SolutionTable& table_;
  MemoryCharge charge_;
};

Error too_many(std::string message) {
  return {ErrorCode::LimitExceeded, std::move(message), "narrow the part inside SERVICE"};
}

// A join with a part of the rows would give answers that are wrong, not only fewer.
Error left_out(const std::string& endpoint, const std::string& why) {
  return too_many(fmt::format("SERVICE <{}> may not have given all its rows: {}",
                              public_part_of_url(endpoint), why));
}

}  // namespace

Result<void> RemoteServices::check(const std::string& endpoint) {
  HELVE_TRY(read_http_address(endpoint));
  return {};
}

Result<EndpointClient*> RemoteServices::client_of(const std::string& endpoint) {
  const std::lock_guard lock(mutex_);
  if (const auto known = clients_.find(endpoint); known != clients_.end()) {
    return known->second.get();
  }
  if (clients_.size() >= options_.endpoints_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("queries have asked more than {} endpoints", options_.endpoints_max),
                 "ask them one after the other, and join by handles"};
  }
  HELVE_ASSIGN(auto client, make_client_(endpoint));
  return clients_.emplace(endpoint, std::move(client)).first->second.get();
}

Result<sparql::SolutionTable> RemoteServices::ask(const std::string& endpoint,
                                                  const sparql::Pattern& pattern,
                                                  const OpContext& context) {
  HELVE_ASSIGN(EndpointClient* const client, client_of(endpoint));
  sparql::Select select;
  select.is_star = true;
  select.body.where = pattern;
  sparql::Query query;
  query.form = std::move(select);
  auto answer = client->ask(to_sparql(query), AnswerKind::Solutions, context);
  if (!answer) return std::move(answer).error().error;
  sparql::SolutionTable table;
  TableSink sink(table, context);
  GraphRun run;
  read_answer(*std::move(answer), options_.rows_max, sink, client->state(), context, run);
  if (run.error) return *std::move(run.error);
  if (run.has_more) {
    return too_many(fmt::format("SERVICE <{}> has more than {} rows for this query",
                                public_part_of_url(endpoint), format_count(options_.rows_max)));
  }
  if (!run.incomplete.empty()) return left_out(endpoint, run.incomplete);
  client->note_success();
  if (const auto end = find_silent_end(*client, std::move(query), run.rows, context)) {
    return left_out(endpoint, end->incomplete);
  }
  return table;
}

}  // namespace helve::remote
