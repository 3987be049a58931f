#include "toolkit/audit/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/digest.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kBegin = R"({"v":1,"seq":)";
constexpr std::string_view kPrev = R"(,"prev":")";
constexpr std::string_view kHash = R"(,"hash":")";
constexpr std::string_view kEnd = R"("})";
constexpr std::string_view kStart =
    "0000000000000000000000000000000000000000000000000000000000000000";
constexpr std::size_t kKeyIdDigits = 16;

bool is_hash(std::string_view text) {
  return text.size() == kAuditHashDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f');
         });
}

// The number at the start, without leading zeros, taken off the text.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (digits > 1 && text.front() == '0') return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

}  // namespace

std::string_view chain_start() { return kStart; }

std::string to_text(const ChainPlace& place) { return fmt::format("{}:{}", place.seq, place.hash); }

Result<ChainPlace> parse_chain_place(std::string_view text) {
  std::string_view rest = text;
  const auto seq = take_number(rest);
  if (!seq || !take(rest, ":") || !is_hash(rest)) {
    return Error{ErrorCode::InvalidInput, "a head is the number of a record, ':' and its hash",
                 "helve audit head FILE prints it"};
  }
  return ChainPlace{*seq, std::string(rest)};
}

ChainHash::ChainHash(std::string key) : key_(std::move(key)) {
  if (!key_.empty()) {
    key_id_ = hmac_sha256_hex(key_, "helve audit key").substr(0, kKeyIdDigits);
  }
}

std::string ChainHash::of(std::string_view bytes) const {
  return key_.empty() ? digest_hex(DigestKind::Sha256, bytes) : hmac_sha256_hex(key_, bytes);
}

ChainPlace append_chain_line(std::string& out, const std::optional<ChainPlace>& before,
                             std::uint64_t seq, std::string_view content, const ChainHash& hash) {
  const std::size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), R"({}{}{}{}",{}}})", kBegin, seq, kPrev,
                 before ? std::string_view(before->hash) : kStart, content);
  ChainPlace place{seq, hash.of(std::string_view(out).substr(begin))};
  out.pop_back();
  out.append(kHash).append(place.hash).append(kEnd) += '\n';
  return place;
}

std::optional<ChainLine> parse_chain_line(std::string_view line) {
  ChainLine parsed;
  std::string_view rest = line;
  if (!take(rest, kBegin)) return std::nullopt;
  const auto seq = take_number(rest);
  if (!seq || !take(rest, kPrev)) return std::nullopt;
  parsed.seq = *seq;
  parsed.prev = rest.substr(0, kAuditHashDigits);
  rest.remove_prefix(parsed.prev.size());
  if (!is_hash(parsed.prev) || !take(rest, "\",")) return std::nullopt;
  constexpr std::size_t kTail = kHash.size() + kAuditHashDigits + kEnd.size();
  if (rest.size() < kTail || !rest.ends_with(kEnd)) return std::nullopt;
  std::string_view tail = rest.substr(rest.size() - kTail);
  if (!take(tail, kHash)) return std::nullopt;
  parsed.hash = tail.substr(0, kAuditHashDigits);
  if (!is_hash(parsed.hash)) return std::nullopt;
  parsed.content = rest.substr(0, rest.size() - kTail);
  return parsed;
}

bool has_true_hash(std::string_view line, const ChainLine& parsed, const ChainHash& hash) {
  constexpr std::size_t kTail = kHash.size() + kAuditHashDigits + kEnd.size();
  std::string hashed(line.substr(0, line.size() - kTail));
  hashed += '}';
  return is_equal_secret(hash.of(hashed), parsed.hash);
}

}  // namespace helve::toolkit
