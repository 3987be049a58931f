// Numbers of handles that are unique among the processes of a user, for servers without a session
// folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/env.h"

namespace helve::cli {

// Reserves a block of HandleStoreOptions::kNumbersReserved numbers in the folder and gives the
// first. Without a folder, or where it cannot be written: a block at random.
std::uint64_t reserve_handle_numbers(Env& env, const std::filesystem::path& folder);

}  // namespace helve::cli
