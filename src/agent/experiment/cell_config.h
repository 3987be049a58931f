// What a cell is, to the letter: results of something else are no results of it.
#pragma once

#include "agent/experiment/cell_run.h"

namespace helve::agent {

// Seeds of repeats lie apart; those of cells are the same, so that cells are compared on the same
// luck.
std::uint64_t seed_of(std::uint64_t seed, std::size_t repeat);

// Of what the bank of a file says, counters too. Nothing where the path is empty.
Result<std::string> bank_digest(const std::filesystem::path& file, Env& env,
                                const OpContext& context);

// Limits of a run, for the record.
JsonValue limits_json(const RunLimits& limits);

// InvalidInput where the folder has the cell with another configuration; nothing is written.
Result<void> check_config(const CellJob& job);
// The same; where the folder has none, it gets this one.
Result<void> settle_config(const CellJob& job);

}  // namespace helve::agent
