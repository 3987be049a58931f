#include "sources/remote/silent_end.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sources/remote/endpoint_questions.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::remote {

namespace {

constexpr std::uint64_t kRoundRows = 1'000;

}  // namespace

bool is_round(std::uint64_t rows) {
  if (rows < kRoundRows) return false;
  if ((rows & (rows - 1)) == 0) return true;
  while (rows % 10 == 0) rows /= 10;
  return rows == 1 || rows == 2 || rows == 5 || rows == 25 || rows == 15 || rows == 3;
}

std::optional<SilentEnd> find_silent_end(EndpointClient& client, sparql::Query query,
                                         std::uint64_t rows, const OpContext& context) {
  sparql::Body& body = query.body();
  if (!is_round(rows) || body.limit == rows) return std::nullopt;
  body.offset = body.offset.value_or(0) + rows;
  body.limit = 1;
  const auto behind = ask_rows(client, to_sparql(query), 1, context);
  if (behind && behind->empty()) return std::nullopt;
  const std::string& name = client.options().name;
  if (behind) {
    return SilentEnd{fmt::format("{} stopped at {} rows without saying so: there are more", name,
                                 format_count(rows)),
                     true};
  }
  return SilentEnd{fmt::format("exactly {} rows came from {}, which may stop there silently",
                               format_count(rows), name),
                   false};
}

}  // namespace helve::remote
