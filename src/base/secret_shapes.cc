#include "base/secret_shapes.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace helve {

namespace {

// How a token begins, and how many characters it has at least.
struct Shape {
  std::string_view prefix;
  std::size_t chars_min;
};

constexpr auto kShapes = std::to_array<Shape>({
    {"sk-", 20},         {"sk_live_", 20}, {"sk_test_", 20},
    {"rk_live_", 20},    {"ghp_", 30},     {"gho_", 30},
    {"ghs_", 30},        {"ghu_", 30},     {"ghr_", 30},
    {"github_pat_", 30}, {"glpat-", 20},   {"xoxb-", 20},
    {"xoxp-", 20},       {"xoxa-", 20},    {"xoxs-", 20},
    {"AKIA", 20},        {"ASIA", 20},     {"AIza", 35},
    {"ya29.", 30},       {"hf_", 30},      {"npm_", 36},
    {"pypi-", 40},       {"SG.", 40},      {"dop_v1_", 40},
    {"shpat_", 30},      {"eyJ", 40},      {"AGE-SECRET-KEY-1", 40},
    {"sntrys_", 40},     {"pat_", 40},
});

constexpr std::string_view kKeyBegin = "-----BEGIN ";
constexpr std::string_view kKeyMiddle = "PRIVATE KEY-----";
constexpr std::string_view kKeyEnd = "-----END ";

bool is_token_character(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == '+' || c == '/' ||
         c == '=';
}

// A key in armour, up to the end of its last line.
std::optional<SecretPlace> armoured_key(std::string_view text, std::size_t at) {
  constexpr std::size_t kKindMax = 40;  // "RSA ", "ENCRYPTED ", "OPENSSH "
  const std::size_t middle = text.substr(0, at + kKeyBegin.size() + kKindMax + kKeyMiddle.size())
                                 .find(kKeyMiddle, at + kKeyBegin.size());
  if (middle == std::string_view::npos) return std::nullopt;
  const std::size_t last = text.find(kKeyEnd, middle);
  if (last == std::string_view::npos) return SecretPlace{at, text.size()};
  return SecretPlace{at, std::min(text.find('\n', last), text.size())};
}

}  // namespace

std::optional<SecretPlace> find_secret(std::string_view text, std::size_t from) {
  std::size_t end = from;  // of the run of characters that tokens may have; known up to there
  for (std::size_t at = from; at < text.size();) {
    if (text[at] == '-' && text.substr(at).starts_with(kKeyBegin)) {
      if (auto key = armoured_key(text, at)) return key;
    }
    if (!is_letter_or_digit(text[at])) {
      ++at;
      continue;
    }
    end = std::max(end, at);
    while (end < text.size() && is_token_character(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_secret = std::any_of(kShapes.begin(), kShapes.end(), [&](const Shape& shape) {
      return word.size() >= shape.chars_min && word.starts_with(shape.prefix);
    });
    if (is_secret) return SecretPlace{at, end};
    // "key=sk-..." has its secret behind a character that tokens may have.
    while (at < end && is_letter_or_digit(text[at])) ++at;
  }
  return std::nullopt;
}

std::string without_secrets(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (const auto place = find_secret(text, at)) {
    out += text.substr(at, place->begin - at);
    out += "[redacted]";
    at = place->end;
  }
  out += text.substr(at);
  return out;
}

}  // namespace helve
