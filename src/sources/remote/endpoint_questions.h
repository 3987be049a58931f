// Small questions to an endpoint, for what it can tell of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sources/graph_source.h"
#include "sources/remote/endpoint_client.h"

namespace helve::remote {

struct SmallRows : std::vector<std::vector<std::optional<rdf::Term>>> {
  bool is_whole = true;  // false: the server says that it left some out
};

// A SELECT whose rows fit in memory: at most `rows_max` are read.
tl::expected<SmallRows, EndpointFailure> ask_rows(EndpointClient& client, const std::string& query,
                                                  std::uint64_t rows_max, const OpContext& context);
// WrongAnswer where neither yes nor no comes.
tl::expected<bool, EndpointFailure> ask_whether(EndpointClient& client, const std::string& query,
                                                const OpContext& context);
// The number in the only cell of the answer; 0 where there is none.
tl::expected<std::uint64_t, EndpointFailure> ask_number(EndpointClient& client,
                                                        const std::string& query,
                                                        const OpContext& context);

// Of a query that counts, which has one row whatever there is: an answer without a number is none,
// and what a server counted before it stopped early is not exact.
tl::expected<GraphCount, EndpointFailure> ask_count(EndpointClient& client,
                                                    const std::string& query,
                                                    const OpContext& context);

std::uint64_t number_in(const std::optional<rdf::Term>& cell);

// The context with at most this much time of what is left.
OpContext with_time(const OpContext& context, Duration time, Env& env);

}  // namespace helve::remote
