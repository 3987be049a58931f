// The chain of an audit file: how records hang together, and how a line is written and read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace helve::toolkit {

inline constexpr std::size_t kAuditLineBytesMax = kMiB;  // without the line end
inline constexpr std::size_t kAuditKeyCharsMin = 16;
inline constexpr std::size_t kAuditHashDigits = 64;

// One record of a chain by number and hash. Numbers go on from file to file.
struct ChainPlace {
  std::uint64_t seq = 0;
  std::string hash;

  friend bool operator==(const ChainPlace&, const ChainPlace&) = default;
};

std::string to_text(const ChainPlace& place);                 // "17:ab12..."
Result<ChainPlace> parse_chain_place(std::string_view text);  // InvalidInput

// SHA-256, or HMAC-SHA-256 where there is a key.
class ChainHash {
 public:
  explicit ChainHash(std::string key = {});
  std::string of(std::string_view bytes) const;
  const std::string& key_id() const { return key_id_; }  // tells keys apart; empty: no key

 private:
  std::string key_;
  std::string key_id_;
};

// Appends {"v":1,"seq":17,"prev":"...",CONTENT,"hash":"..."} and a line end, and gives its place.
// The hash is of the line without the member "hash". `before` is nullopt for the first record ever.
ChainPlace append_chain_line(std::string& out, const std::optional<ChainPlace>& before,
                             std::uint64_t seq, std::string_view content, const ChainHash& hash);

// A line as it stands there. Views into it.
struct ChainLine {
  std::uint64_t seq = 0;
  std::string_view prev;
  std::string_view content;
  std::string_view hash;
};

// nullopt for what append_chain_line would not write. The hash is not checked.
std::optional<ChainLine> parse_chain_line(std::string_view line);
bool has_true_hash(std::string_view line, const ChainLine& parsed, const ChainHash& hash);

// What `prev` is where nothing is before.
std::string_view chain_start();

}  // namespace helve::toolkit
