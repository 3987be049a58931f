// The optimizer compared with the reference evaluator on random data and random queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/reference/choices.h"
#include "tests/reference/comparison.h"

namespace helve::reference {

struct RoundOptions {
  std::size_t quads_max = 40;
  std::size_t nodes_max = 10;
  std::size_t queries = 20;  // about one dataset
  bool is_large = false;     // thousands of triples: several batches of rows, several threads
  bool has_all_setups = false;
  std::uint64_t turn = 0;  // which pass is switched off
};

struct Tally {
  std::uint64_t queries = 0;  // that were compared
  std::uint64_t runs = 0;     // of the engine
  std::uint64_t skipped = 0;
  std::uint64_t unsaid = 0;  // no text says them
  std::uint64_t with_rows = 0;
};

// One dataset and some queries about it. The first difference, made small, as text for people.
std::optional<std::string> run_round(Choices& choices, const RoundOptions& options, Tally& tally);

}  // namespace helve::reference
