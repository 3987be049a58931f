// Randomness from the kernel, and what every Random derives from its bytes.
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/env.h"
#include "base/real_env.h"

namespace helve {

namespace {

class KernelRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::getrandom(bytes.data(), bytes.size(), 0);
      // Other errors than an interruption mean a bad call; predictable bytes must never go out.
      HELVE_CHECK(n > 0 || (n < 0 && errno == EINTR));
      if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
};

}  // namespace

std::uint64_t Random::next_u64() {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  fill(bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

std::string Random::hex(std::size_t bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::vector<std::uint8_t> raw(bytes);
  fill(raw);
  std::string text;
  text.reserve(2 * bytes);
  for (const std::uint8_t byte : raw) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

Random& real_random() {
  static KernelRandom random;
  return random;
}

}  // namespace helve
