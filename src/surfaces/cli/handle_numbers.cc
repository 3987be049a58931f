#include "surfaces/cli/handle_numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "surfaces/opening/policy_file.h"
#include "toolkit/handles/handle_store.h"

namespace helve::cli {

namespace {

constexpr std::uint64_t kBlock = toolkit::HandleStoreOptions::kNumbersReserved;
constexpr std::uint64_t kBlocksMax = 1'000'000;  // numbers then have nine digits
constexpr int kTries = 100;
constexpr Duration kPause = std::chrono::milliseconds(10);

Result<std::uint64_t> reserve_in(Env& env, const std::filesystem::path& folder) {
  HELVE_TRY(env.files().make_directories(folder));
  std::unique_ptr<FileLock> lock;
  for (int i = 0; lock == nullptr; ++i) {
    auto locked = env.files().lock(folder / "handle-numbers.lock");
    if (locked) {
      lock = *std::move(locked);
    } else if (i == kTries || locked.error().code != ErrorCode::Unavailable) {
      return std::move(locked).error();
    } else {
      env.clock().sleep_for(kPause);
    }
  }
  const std::filesystem::path file = folder / "handle-numbers";
  std::uint64_t next = 0;
  const auto text = opening::read_small_file(file, env);
  if (text) {
    const auto read = std::from_chars(text->data(), text->data() + text->size(), next);
    if (read.ec != std::errc()) return Error{ErrorCode::InvalidInput, "the counter is damaged"};
  } else if (text.error().code != ErrorCode::NotFound) {
    return text.error();
  }
  if (next >= kBlocksMax * kBlock) next = 0;
  HELVE_TRY(write_file_atomically(env, file, fmt::format("{}\n", next + kBlock)));
  return next;
}

}  // namespace

std::uint64_t reserve_handle_numbers(Env& env, const std::filesystem::path& folder) {
  if (!folder.empty()) {
    if (const auto reserved = reserve_in(env, folder)) return *reserved;
  }
  return (1 + env.random().next_u64() % (kBlocksMax - 1)) * kBlock;
}

}  // namespace helve::cli
