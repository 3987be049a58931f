#include "base/redaction.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/percent.h"
#include "base/secret_shapes.h"

namespace helve {

namespace {

constexpr std::size_t kPieceMin = 4;  // the first bytes of a form, by which it is looked for

bool is_letter_or_digit(char c) {
  const char lower = ascii_lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

std::string hex_digits(std::string_view bytes, std::string_view digits) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

// %2F as %2f.
std::string with_small_digits(std::string text) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 3)) {
    for (const std::size_t i : {at + 1, at + 2}) text[i] = ascii_lower(text[i]);
  }
  return text;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(what)) {
      out += by;
      at += what.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

// The digits that a secret has within a longer text in base64, where `before` bytes of another
// group of three stand before it: those at its ends depend on what is beside it.
std::string base64_inside(std::string_view secret, std::size_t before, std::string_view digits) {
  std::string padded(before, '\0');
  padded += secret;
  std::string text;
  for (std::size_t i = 0; i + 2 < padded.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return std::uint32_t{static_cast<unsigned char>(padded[i + k])};
    };
    const std::uint32_t group = byte(0) << 16U | byte(1) << 8U | byte(2);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += digits[group >> shift & 63U];
  }
  return before == 0 ? text : text.substr(std::min(text.size(), before + 1));
}

void add_base64(std::string_view secret, std::set<std::string>& forms) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::string_view kUrlDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::size_t kTelling = 8;  // fewer digits may be part of any text
  for (std::size_t before = 0; before < 3; ++before) {
    for (const std::string_view digits : {kDigits, kUrlDigits}) {
      std::string form = base64_inside(secret, before, digits);
      if (form.size() >= kTelling) forms.insert(std::move(form));
    }
  }
}

std::string json_escaped(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  return quoted.substr(1, quoted.size() - 2);
}

std::set<std::string> forms_of(const std::string& secret) {
  std::set<std::string> forms{secret};
  const std::string percent = percent_encoded(secret);
  forms.insert(percent);
  forms.insert(with_small_digits(percent));
  forms.insert(replaced(percent, "%20", "+"));
  forms.insert(hex_digits(secret, "0123456789abcdef"));
  forms.insert(hex_digits(secret, "0123456789ABCDEF"));
  forms.insert(json_escaped(secret));
  forms.insert(replaced(json_escaped(secret), "/", "\\/"));
  forms.insert(json_escaped(json_escaped(secret)));
  forms.insert(replaced(secret, "'", "''"));
  forms.insert(replaced(replaced(secret, "\\", "\\\\"), "'", "\\'"));
  const std::string xml =
      replaced(replaced(replaced(secret, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
  forms.insert(xml);
  forms.insert(replaced(replaced(xml, "\"", "&quot;"), "'", "&#39;"));
  add_base64(secret, forms);
  return forms;
}

std::size_t piece_hash(const char* at) {
  std::uint32_t piece = 0;
  std::memcpy(&piece, at, kPieceMin);
  return (piece * 2'654'435'761U) >> 19U;  // 13 bits
}

// All forms of all secrets; never changed once it is made.
struct Known {
  struct Form {
    std::string text;
    bool is_for_data = false;
  };
  std::set<std::string> secrets;
  std::vector<Form> forms;  // the longest first
  std::bitset<8'192> pieces;

  void add(const std::string& secret) {
    for (const std::string& form : forms_of(secret)) {
      forms.push_back({form, secret.size() >= kSecretInDataMin});
      pieces.set(piece_hash(form.data()));
    }
    std::stable_sort(forms.begin(), forms.end(),
                     [](const Form& a, const Form& b) { return a.text.size() > b.text.size(); });
    secrets.insert(secret);
  }

  // The length of the longest form that begins there; 0: none.
  std::size_t length_at(std::string_view text, std::size_t at, bool is_data) const {
    if (at + kPieceMin > text.size() || !pieces.test(piece_hash(text.data() + at))) return 0;
    for (const Form& form : forms) {
      if ((form.is_for_data || !is_data) && text.substr(at).starts_with(form.text)) {
        return form.text.size();
      }
    }
    return 0;
  }
};

// What was once handed out lives on, and never ends: readers take no lock, and the last words of
// other statics may still come here. A process is given few secrets.
struct Register {
  std::mutex mutex;
  std::vector<std::unique_ptr<const Known>> all;
};
Register& the_register() {
  static auto* one = new Register;
  return *one;
}
std::atomic<const Known*> known_now{nullptr};  // null: there are none

std::string without_known(std::string_view text, const Known& known, bool is_data) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at + kPieceMin <= text.size();) {
    const std::size_t length = known.length_at(text, at, is_data);
    if (length == 0) {
      ++at;
      continue;
    }
    out += text.substr(copied, at - copied);
    out += is_data ? kRedactedInData : kRedacted;
    at += length;
    copied = at;
  }
  return out += text.substr(copied);
}

// Names that tell that a secret follows, as ends of longer ones too: db_password.
constexpr auto kTellingNames = std::to_array<std::string_view>(
    {"password", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "apikey", "api-key",
     "access_key", "accesskey", "secret_key", "private_key", "client_secret", "credential",
     "credentials", "authorization", "bearer"});

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

bool ends_in_telling_name(std::string_view name) {
  return std::any_of(kTellingNames.begin(), kTellingNames.end(), [&](std::string_view telling) {
    if (name.size() < telling.size()) return false;
    const std::size_t begin = name.size() - telling.size();
    const bool is_whole = begin == 0 || name[begin - 1] == '_' || name[begin - 1] == '-';
    return is_whole && is_same_in_any_case(name.substr(begin), telling);
  });
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
}

// Where a value ends that begins at `at`, behind the quote where there is one: at its closing quote
// (twice is a part of it, in SQL), or at what no bare value has.
std::size_t end_of_value(std::string_view text, std::size_t at, std::string_view quote) {
  if (quote.empty()) return std::min(text.find_first_of(" \t\r\n,;&)}]>\"'\\", at), text.size());
  if (quote == "\\\"") return std::min(text.find(quote, at), text.size());
  for (; at < text.size(); ++at) {
    const bool is_twice = text.substr(at, 2) == "''";
    if (text[at] == quote.front() && !is_twice) break;
    if ((text[at] == '\\' || is_twice) && at + 1 < text.size()) ++at;
  }
  return at;
}

// A mark, a reference, a type or nothing at all is no secret.
bool is_harmless(std::string_view value) {
  if (value.empty() || value.starts_with("env:") || value.starts_with("file:")) return true;
  if (value.starts_with(kRedacted.substr(0, kRedacted.size() - 1))) return true;
  constexpr std::string_view kMarks = "?$:%@.*<([{";
  return kMarks.find(value.front()) != std::string_view::npos ||
         is_same_in_any_case(value, "null") || is_same_in_any_case(value, "none") ||
         is_same_in_any_case(value, "true") || is_same_in_any_case(value, "false");
}

bool is_plain_word(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const char lower = ascii_lower(c);
    return lower >= 'a' && lower <= 'z';
  });
}

// The value behind a telling name that ends at `end`: `"token": "..."`, `password = '...'`,
// `Authorization: Bearer ...`.
std::optional<SecretPlace> value_behind(std::string_view text, std::size_t end) {
  std::size_t at = end;
  while (at < text.size() && (text[at] == '"' || text[at] == '\'' || text[at] == '\\')) ++at;
  at = skip(text, at, " \t");
  if (at == text.size() || (text[at] != '=' && text[at] != ':')) return std::nullopt;
  if (text.substr(at).starts_with("::")) return std::nullopt;  // a cast
  const bool is_prose = text.substr(at).starts_with(": ");     // "token: a word of ours"
  at = skip(text, at + 1, " \t=>");
  for (const std::string_view scheme : {"bearer ", "basic ", "token "}) {
    if (is_same_in_any_case(text.substr(at, scheme.size()), scheme)) {
      at = skip(text, at + scheme.size(), " ");
    }
  }
  std::string_view quote;
  for (const std::string_view one : {"\\\"", "\"", "'"}) {  // the first: JSON within JSON
    if (quote.empty() && text.substr(at).starts_with(one)) quote = one;
  }
  at += quote.size();
  const std::size_t last = end_of_value(text, at, quote);
  const std::string_view value = text.substr(at, last - at);
  if (is_harmless(value)) return std::nullopt;
  if (is_prose && quote.empty() && is_plain_word(value)) return std::nullopt;
  return SecretPlace{at, last};
}

std::string without_named(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_character(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const bool is_telling = ends_in_telling_name(text.substr(at, end - at));
    at = end;
    const auto place = is_telling ? value_behind(text, end) : std::nullopt;
    if (!place) continue;
    out += text.substr(copied, place->begin - copied);
    out += kRedacted;
    at = copied = place->end;
  }
  return out += text.substr(copied);
}

// scheme://user:password@host
std::string without_user_info(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at)) {
    at += 3;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'<>`/?#", at), text.size());
    const std::string_view authority = text.substr(at, end - at);
    const std::size_t host = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (host == std::string_view::npos || colon >= host || colon + 1 == host) continue;
    out += text.substr(copied, at + colon + 1 - copied);
    out += kRedacted;
    copied = at + host;
  }
  return out += text.substr(copied);
}

}  // namespace

bool is_telling_name(std::string_view name) { return ends_in_telling_name(name); }

void register_secret(std::string_view secret) {
  if (secret.size() < kKnownSecretMin) return;
  const std::string value(secret);
  const Known* known = known_now.load(std::memory_order_acquire);
  if (known != nullptr && known->secrets.contains(value)) return;
  Register& all = the_register();
  const std::lock_guard lock(all.mutex);
  known = known_now.load(std::memory_order_acquire);
  if (known != nullptr && known->secrets.contains(value)) return;
  auto more = known != nullptr ? std::make_unique<Known>(*known) : std::make_unique<Known>();
  more->add(value);
  known_now.store(more.get(), std::memory_order_release);
  all.all.push_back(std::move(more));
}

std::string redact(std::string_view text) {
  const Known* const known = known_now.load(std::memory_order_acquire);
  std::string out =
      known != nullptr ? without_known(text, *known, /*is_data=*/false) : std::string(text);
  return without_secrets(without_named(without_user_info(out)));
}

void redact_known(std::string& text) {
  const Known* const known = known_now.load(std::memory_order_acquire);
  if (known == nullptr) return;
  for (std::size_t at = 0; at + kPieceMin <= text.size(); ++at) {
    if (known->length_at(text, at, /*is_data=*/true) == 0) continue;
    text = without_known(text, *known, /*is_data=*/true);
    return;
  }
}

}  // namespace helve
