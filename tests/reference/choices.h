// Choices: where random data and queries take their decisions from: a seed, or the bytes of a
// fuzzer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace helve::reference {

// The same seed or the same bytes give the same choices.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  // One byte for each choice; a seed made of all bytes where there are no more.
  explicit Choices(std::span<const std::uint8_t> bytes) : random_(hash_of(bytes)), bytes_(bytes) {}

  // 0 .. count - 1. REQUIRES: count > 0.
  std::size_t below(std::size_t count) {
    if (!bytes_.empty() && count <= 256) {
      const std::size_t choice = bytes_.front() % count;
      bytes_ = bytes_.subspan(1);
      return choice;
    }
    return random_() % count;
  }
  bool chance(std::size_t percent) { return below(100) < percent; }

  template <typename T, std::size_t N>
  const T& pick(const std::array<T, N>& choices) {
    return choices[below(N)];
  }
  template <typename T>
  const T& pick(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  static std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
    for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3U;
    return hash;
  }

  std::mt19937_64 random_;
  std::span<const std::uint8_t> bytes_;
};

}  // namespace helve::reference
