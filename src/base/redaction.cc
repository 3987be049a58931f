#include "base/redaction.h"

#include <algorithm>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/percent.h"
#include "base/secret_positions.h"
#include "base/secret_shapes.h"

namespace helve {

namespace {

constexpr std::size_t kPieceMin = 4;  // the first bytes of a form, by which it is looked for

// Whether it may stand anywhere without being a secret: a word or a name of a table ("customer",
// "ORDER_ITEMS"), or a short number.
bool is_ordinary(std::string_view secret) {
  constexpr std::size_t kWordMax = 16;  // longer ones are no words that somebody would use
  if (secret.find_first_not_of("0123456789") == std::string_view::npos) {
    return secret.size() < kSecretInDataMin;
  }
  bool has_small = false;
  bool has_capital_within = false;
  char before = ' ';
  for (const char c : secret) {
    const bool is_small = is_lower(c);
    const bool is_capital = is_upper(c);
    const bool is_between = c == '_' || c == '-' || c == '.' || c == ' ';
    if (!is_small && !is_capital && !is_between) return false;
    const bool begins = before == '_' || before == '-' || before == '.' || before == ' ';
    has_small = has_small || is_small;
    has_capital_within = has_capital_within || (is_capital && !begins);
    before = c;
  }
  return secret.size() <= kWordMax && !(has_small && has_capital_within);
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

std::set<std::string> base64_forms(std::string_view secret) {
  std::set<std::string> forms;
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
  return forms;
}

bool is_base64(char c) {
  return is_letter_or_digit(c) || c == '+' || c == '/' || c == '-' || c == '_';
}

// The digits at the ends of a form are not in it: they hold bits of its neighbours, too. One before
// it and three behind it may hold bits of the secret.
std::size_t end_of_base64(std::string_view text, std::size_t at) {
  const std::size_t digits_end = std::min(text.size(), at + 3);
  while (at < digits_end && is_base64(text[at])) ++at;
  const std::size_t padding_end = std::min(text.size(), at + 2);
  while (at < padding_end && text[at] == '=') ++at;
  return at;
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
    bool is_base64 = false;
  };
  std::set<std::string> secrets;
  std::vector<Form> forms;  // the longest first
  std::bitset<8'192> pieces;

  void add(const std::string& secret) {
    const bool is_plain_shown = is_ordinary(secret);
    const auto add_all = [&](const std::set<std::string>& texts, bool is_base64) {
      for (const std::string& form : texts) {
        if (is_plain_shown && form == secret) continue;
        forms.push_back({form, secret.size() >= kSecretInDataMin, is_base64});
        pieces.set(piece_hash(form.data()));
      }
    };
    add_all(forms_of(secret), false);
    add_all(base64_forms(secret), true);
    std::stable_sort(forms.begin(), forms.end(),
                     [](const Form& a, const Form& b) { return a.text.size() > b.text.size(); });
    secrets.insert(secret);
  }

  // The longest form that begins there, or null.
  const Form* form_at(std::string_view text, std::size_t at, bool is_data) const {
    if (at + kPieceMin > text.size() || !pieces.test(piece_hash(text.data() + at))) return nullptr;
    for (const Form& form : forms) {
      if ((form.is_for_data || !is_data) && text.substr(at).starts_with(form.text)) return &form;
    }
    return nullptr;
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
    const Known::Form* const form = known.form_at(text, at, is_data);
    if (form == nullptr) {
      ++at;
      continue;
    }
    const std::size_t begin =
        form->is_base64 && at > copied && is_base64(text[at - 1]) ? at - 1 : at;
    out += text.substr(copied, begin - copied);
    out += is_data ? kRedactedInData : kRedacted;
    at += form->text.size();
    if (form->is_base64) at = end_of_base64(text, at);
    copied = at;
  }
  return out += text.substr(copied);
}

bool is_known_secret(std::string_view word) {
  const Known* const known = known_now.load(std::memory_order_acquire);
  return known != nullptr && known->secrets.contains(std::string(word));
}

}  // namespace

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
  return without_secrets(without_named(without_user_info(out), is_known_secret));
}

void redact_known(std::string& text) {
  const Known* const known = known_now.load(std::memory_order_acquire);
  if (known == nullptr) return;
  for (std::size_t at = 0; at + kPieceMin <= text.size(); ++at) {
    if (known->form_at(text, at, /*is_data=*/true) == nullptr) continue;
    text = without_known(text, *known, /*is_data=*/true);
    return;
  }
}

}  // namespace helve
