// Makes a query and its data smaller as long as a test on them still fails.
#pragma once

#include <functional>
#include <vector>

#include "sources/sparql/algebra/query.h"
#include "tests/support/dataset/memory_dataset.h"

namespace helve::reference {

struct Failing {
  std::vector<MemoryQuad> quads;
  sparql::Query query;
};

// Greedy; asks `fails` at most `attempts_max` times.
Failing shrink(Failing failing, const std::function<bool(const Failing&)>& fails,
               std::size_t attempts_max = 4'000);

// Queries that lack one thing of this one, the largest things first. Some are no queries.
std::vector<sparql::Query> smaller(const sparql::Query& query);

}  // namespace helve::reference
