// Reading the answer of an endpoint into a sink, as far as rows are wanted.
#pragma once

#include <cstdint>

#include "sources/graph_source.h"
#include "sources/remote/endpoint_client.h"

namespace helve::remote {

// How it ended is in `run`: rows that came before an error have been delivered.
void read_answer(EndpointAnswer answer, std::uint64_t rows_max, RowSink& sink,
                 const EndpointState& state, const OpContext& context, GraphRun& run);
void read_answer(EndpointAnswer answer, std::uint64_t statements_max, rdf::StatementSink& sink,
                 const EndpointState& state, const OpContext& context, GraphRun& run);

}  // namespace helve::remote
