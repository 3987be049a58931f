#include "base/secret_positions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/redaction.h"
#include "base/secret_shapes.h"

namespace helve {

namespace {

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

bool consists_of(std::string_view text, bool (*is_one)(char32_t)) {
  return std::all_of(text.begin(), text.end(), is_one);
}
bool is_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// Names that tell that a secret follows, as ends of longer ones too: db_password, dbPassword.
constexpr auto kTellingNames = std::to_array<std::string_view>(
    {"password", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "apikey", "api-key",
     "access_key", "accesskey", "secret_key", "private_key", "client_secret", "credential",
     "credentials", "authorization", "bearer"});
// The end of no other word, so that nothing need stand before them: PGPASSWORD.
constexpr auto kTellingEnds =
    std::to_array<std::string_view>({"password", "passwd", "passphrase", "apikey"});
// Ends that are words, too (first_pass), and what stands before them where they are passwords.
constexpr auto kShortEnds = std::to_array<std::string_view>({"pass", "pw"});
constexpr auto kOwners = std::to_array<std::string_view>(
    {"account", "admin", "auth", "database", "db",    "ftp",  "http", "login", "mail", "mariadb",
     "my",      "mysql", "pg",   "postgres", "proxy", "root", "smtp", "sql",   "user", "usr"});

// Whether `name` ends in `end`, which begins a word of it: db_pass, DB-PASS, dbPass.
bool ends_in_word(std::string_view name, std::string_view end) {
  if (name.size() < end.size()) return false;
  const std::size_t begin = name.size() - end.size();
  if (!is_same_in_any_case(name.substr(begin), end)) return false;
  if (begin == 0 || name[begin - 1] == '_' || name[begin - 1] == '-') return true;
  const bool is_capital = ascii_lower(name[begin]) != name[begin];
  return is_capital &&
         (is_digit(name[begin - 1]) || ascii_lower(name[begin - 1]) == name[begin - 1]);
}

// db_pass, MYSQL_PW, userPass.
bool is_short_telling_name(std::string_view name) {
  return std::any_of(kShortEnds.begin(), kShortEnds.end(), [&](std::string_view end) {
    if (name.size() <= end.size() || !ends_in_word(name, end)) return false;
    std::string_view owner = name.substr(0, name.size() - end.size());
    while (owner.ends_with('_') || owner.ends_with('-')) owner.remove_suffix(1);
    return std::any_of(kOwners.begin(), kOwners.end(),
                       [&](std::string_view one) { return ends_in_word(owner, one); });
  });
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
}

// Where values without quotes end. Many may begin before one end ("token=env:token=env:..."): it is
// searched once, so that redaction stays linear.
class BareEnds {
 public:
  explicit BareEnds(std::string_view text) : text_(text) {}

  // REQUIRES: no smaller than before.
  std::size_t after(std::size_t at) {
    if (!end_ || *end_ < at) {
      end_ = std::min(text_.find_first_of(" \t\r\n,;&)}]>\"'\\", at), text_.size());
    }
    return *end_;
  }

 private:
  std::string_view text_;
  std::optional<std::size_t> end_;
};

// Where a value in quotes ends that begins at `at`: at its closing quote (twice is a part of it, in
// SQL).
std::size_t end_of_quoted(std::string_view text, std::size_t at, std::string_view quote) {
  if (quote == "\\\"") return std::min(text.find(quote, at), text.size());
  for (; at < text.size(); ++at) {
    const bool is_twice = text.substr(at, 2) == "''";
    if (text[at] == quote.front() && !is_twice) break;
    if ((text[at] == '\\' || is_twice) && at + 1 < text.size()) ++at;
  }
  return at;
}

// A place for a value, not a value: ?, $1, :password, ${DB_PASSWORD}, %s, %(token)s, ***,
// <password. What only begins like one may be a password. (Bare values end before a closing
// bracket.)
bool is_placeholder(std::string_view value) {
  if (is_only(value, "?*.([{<") || value == "%s" || value == "%d") return true;
  if (value.front() == '(') return is_same_in_any_case(value.substr(1), "select");
  if (std::string_view("?$:@%<{").find(value.front()) == std::string_view::npos) return false;
  constexpr std::size_t kNameMax = 128;
  const std::string_view rest = value.substr(1, kNameMax);
  const std::size_t begin = skip(rest, 0, "{(:");
  const std::string_view name = rest.substr(begin, rest.find_first_of(")}>", begin) - begin);
  const std::string_view number = name.substr(name.starts_with('p') ? 1 : 0);  // :p1
  return (!number.empty() && consists_of(number, is_digit) && value.front() != '%') ||
         is_telling_name(name);
}

bool is_reference(std::string_view value) {
  return value.starts_with("env:") || value.starts_with("file:") ||
         value.starts_with(kRedacted.substr(0, kRedacted.size() - 1));
}

// A placeholder, a reference, a type or nothing at all is no secret.
bool is_harmless(std::string_view value) {
  if (value.empty() || is_reference(value)) return true;
  return is_placeholder(value) || is_same_in_any_case(value, "null") ||
         is_same_in_any_case(value, "none") || is_same_in_any_case(value, "true") ||
         is_same_in_any_case(value, "false");
}

// "pwd" is a password to some and a folder to a shell.
bool is_folder(std::string_view name, std::string_view value) {
  const bool is_of_shell = is_same_in_any_case(name, "pwd") || is_same_in_any_case(name, "oldpwd");
  // Bare values end before a backslash.
  const bool is_of_drive = value.size() >= 2 && is_letter(value[0]) && value[1] == ':' &&
                           (value.size() == 2 || value[2] == '/');
  return is_of_shell && (value.starts_with('/') || value.starts_with("~/") || value == "~" ||
                         value.starts_with("./") || is_of_drive);
}

std::string_view quote_at(std::string_view text, std::size_t at) {
  for (const std::string_view one : {"\\\"", "\"", "'"}) {  // the first: JSON within JSON
    if (text.substr(at).starts_with(one)) return one;
  }
  return {};
}

std::size_t skip_scheme(std::string_view text, std::size_t at) {
  for (const std::string_view scheme : {"bearer ", "basic ", "token "}) {
    if (is_same_in_any_case(text.substr(at, scheme.size()), scheme)) {
      at = skip(text, at + scheme.size(), " ");
    }
  }
  return at;
}

// The text of SQL that begins with a quote at `at`.
std::optional<SecretPlace> sql_text_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return std::nullopt;
  const std::size_t end = end_of_quoted(text, at + 1, text.substr(at, 1));
  if (is_harmless(text.substr(at + 1, end - at - 1))) return std::nullopt;
  return SecretPlace{at + 1, end};
}

// PASSWORD 'x' and PASSWORD('x') of statements that make users.
std::optional<SecretPlace> sql_password(std::string_view text, std::string_view name,
                                        std::size_t end) {
  if (!is_same_in_any_case(name, "password")) return std::nullopt;
  const std::size_t blank = skip(text, end, " \t\r\n");
  const bool is_call = blank < text.size() && text[blank] == '(';
  const std::size_t at = is_call ? skip(text, blank + 1, " \t\r\n") : blank;
  const bool is_text = at > end && at < text.size() && text[at] == '\'';
  return is_text ? sql_text_at(text, at) : std::nullopt;
}

// IDENTIFIED BY 'x', IDENTIFIED WITH plugin AS 'x', IDENTIFIED VIA plugin USING PASSWORD('x').
std::optional<SecretPlace> sql_identity(std::string_view text, std::string_view name,
                                        std::size_t end) {
  if (!is_same_in_any_case(name, "identified")) return std::nullopt;
  constexpr auto kWords = std::to_array<std::string_view>({"by", "as", "using", "password"});
  constexpr int kWordsMax = 5;
  for (int words = 0; words < kWordsMax; ++words) {
    const std::size_t at = skip(text, end, " \t\r\n(`");
    std::size_t last = at;
    while (last < text.size() && is_name_character(text[last])) ++last;
    const std::string_view word = text.substr(at, last - at);
    if (word.empty()) return std::nullopt;
    end = last;
    const bool is_before = std::any_of(kWords.begin(), kWords.end(), [&](std::string_view one) {
      return is_same_in_any_case(one, word);
    });
    const std::size_t value = skip(text, end, " \t\r\n(");
    if (is_before && value > end) {
      if (const auto place = sql_text_at(text, value)) return place;
    }
    if (last < text.size() && text[last] == '`') ++end;
  }
  return std::nullopt;
}

// The value behind a name that ends at `end`: `"token": "..."`, `password = '...'`,
// `Authorization: Bearer ...`.
std::optional<SecretPlace> value_behind(std::string_view text, std::string_view name,
                                        std::size_t end, BareEnds& ends, IsKnownSecret is_known) {
  std::size_t at = end;
  while (at < text.size() && (text[at] == '"' || text[at] == '\'' || text[at] == '\\')) ++at;
  at = skip(text, at, " \t");
  if (at == text.size() || (text[at] != '=' && text[at] != ':')) return std::nullopt;
  if (text.substr(at).starts_with("::")) return std::nullopt;  // a cast
  const bool is_prose = text.substr(at).starts_with(": ");     // "token: a word of ours"
  at = skip_scheme(text, skip(text, at + 1, " \t=>"));
  const std::string_view quote = quote_at(text, at);
  at += quote.size();
  const std::size_t last = quote.empty() ? ends.after(at) : end_of_quoted(text, at, quote);
  const std::string_view value = text.substr(at, last - at);
  if (is_harmless(value) || is_folder(name, value)) return std::nullopt;
  if (is_prose && quote.empty() && consists_of(value, is_letter) && !is_known(value)) {
    return std::nullopt;
  }
  return SecretPlace{at, last};
}

std::optional<SecretPlace> place_behind(std::string_view text, std::string_view name,
                                        std::size_t end, BareEnds& ends, IsKnownSecret is_known) {
  if (const auto place = sql_identity(text, name, end)) return place;
  // Words by themselves: a password only with the sign right behind them.
  const bool is_short = is_same_in_any_case(name, "pass") || is_same_in_any_case(name, "pw");
  const bool is_short_value = is_short && end < text.size() && text[end] == '=';
  if (!is_short_value && !is_telling_name(name)) return std::nullopt;
  if (const auto place = value_behind(text, name, end, ends, is_known)) return place;
  return sql_password(text, name, end);
}

constexpr std::size_t kAddressMax = 2'048;  // further on nothing is taken for a part of it

bool is_of_web(std::string_view scheme) {
  return is_same_in_any_case(scheme, "http") || is_same_in_any_case(scheme, "https");
}

std::string_view scheme_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && (is_letter(text[begin - 1]) || is_digit(text[begin - 1]) ||
                       text[begin - 1] == '+' || text[begin - 1] == '.')) {
    --begin;
  }
  return text.substr(begin, end - begin);
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && consists_of(text, is_digit);
}

// The password of `address`, which begins behind "://": between its first colon and the "@" before
// the host. One that should have been encoded may have any sign in it; a path may have "@", too,
// and does where the scheme is of the web and a host stands before it.
std::optional<SecretPlace> password_of(std::string_view address, bool is_web) {
  const std::size_t path = std::min(address.find_first_of("/?#"), address.size());
  const std::string_view authority = address.substr(0, path);
  const std::size_t colon = authority.find(':');
  if (colon == std::string_view::npos || authority.starts_with('[')) return std::nullopt;
  std::size_t host = authority.rfind('@');
  const bool has_host = host != std::string_view::npos && colon < host;
  const bool may_be_host = has_host || is_port(authority.substr(colon + 1));
  if (!is_web || !may_be_host) {
    const std::size_t query = std::min(address.find('?'), address.size());
    const std::size_t last = address.substr(0, may_be_host ? query : address.size()).rfind('@');
    if (last != std::string_view::npos && last > colon) host = last;
  }
  if (host == std::string_view::npos || host <= colon + 1) return std::nullopt;
  return SecretPlace{colon + 1, host};
}

}  // namespace

bool is_telling_name(std::string_view name) {
  const auto ends_in = [&](std::string_view end) { return ends_in_word(name, end); };
  const auto ends_with = [&](std::string_view end) {
    return name.size() >= end.size() &&
           is_same_in_any_case(name.substr(name.size() - end.size()), end);
  };
  return std::any_of(kTellingNames.begin(), kTellingNames.end(), ends_in) ||
         std::any_of(kTellingEnds.begin(), kTellingEnds.end(), ends_with) ||
         is_short_telling_name(name);
}

std::string without_named(std::string_view text, IsKnownSecret is_known) {
  std::string out;
  std::size_t copied = 0;
  BareEnds ends(text);
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_character(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const auto place = place_behind(text, text.substr(at, end - at), end, ends, is_known);
    at = end;
    if (!place) continue;
    out += text.substr(copied, place->begin - copied);
    out += kRedacted;
    at = copied = place->end;
  }
  return out += text.substr(copied);
}

std::string without_user_info(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at)) {
    const bool is_web = is_of_web(scheme_before(text, at));
    at += 3;
    const std::string_view address = text.substr(at, kAddressMax);
    const std::size_t end = std::min(address.find_first_of(" \t\r\n\"'<>`"), address.size());
    const auto place = password_of(address.substr(0, end), is_web);
    if (!place) continue;
    out += text.substr(copied, at + place->begin - copied);
    out += kRedacted;
    copied = at + place->end;
    at = copied;
  }
  return out += text.substr(copied);
}

}  // namespace helve
