#include "sources/sql_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/deceptive.h"
#include "base/utf8.h"

namespace helve {

namespace {

bool is_sql_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_name_start(char c) {
  return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_character(char c) { return is_name_start(c) || is_digit(c) || c == '$'; }

bool turns_text(char32_t c) { return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); }

class TokenReader {
 public:
  TokenReader(std::string_view sql, SqlDialect dialect) : sql_(sql), dialect_(dialect) {}

  Result<std::vector<SqlToken>> read() {
    if (sql_.size() > kSqlBytesMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the statement has {} bytes: {} at most", sql_.size(), kSqlBytesMax),
                   "feed long lists of values by a handle: IN (@results_0.column)"};
    }
    if (const std::size_t valid = utf8_valid_prefix(sql_); valid < sql_.size()) {
      return wrong(valid, "the statement is no valid UTF-8", "send it as UTF-8");
    }
    while (at_ < sql_.size()) HELVE_TRY(read_one());
    return std::move(tokens_);
  }

 private:
  bool is_mysql() const { return dialect_ == SqlDialect::MySql; }
  bool is_postgres() const { return dialect_ == SqlDialect::PostgreSql; }
  bool is_sqlite() const { return dialect_ == SqlDialect::Sqlite; }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view text) const { return sql_.substr(at_).starts_with(text); }

  Error wrong(std::size_t byte, std::string message, std::string hint) const {
    return Error(ErrorCode::InvalidInput, std::move(message), std::move(hint))
        .at("sql", sql_position(sql_.substr(0, utf8_valid_prefix(sql_)), byte));
  }

  void add(SqlTokenKind kind, std::size_t begin) {
    tokens_.push_back({kind, sql_.substr(begin, at_ - begin), begin});
  }

  Result<void> read_one() {
    const char c = peek();
    if (is_sql_space(c)) {
      ++at_;
      return {};
    }
    if (is_line_comment()) return skip_line_comment();
    if (starts("/*")) return skip_comment();
    if (c == '\'' || (c == '"' && is_mysql()))
      return read_quoted(SqlTokenKind::Text, at_, is_mysql());
    if (c == '"' || (c == '`' && !is_postgres()) || (c == '[' && is_sqlite())) {
      return read_quoted(SqlTokenKind::Name, at_, false);
    }
    if (c == '$') return read_dollar();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (is_name_start(c)) return read_word();
    if (c == '@') return read_at();
    if (c == '\\' && is_mysql()) return read_backslash();
    return read_symbol();
  }

  bool is_line_comment() const {
    if (is_mysql() && peek() == '#') return true;
    if (!starts("--")) return false;
    // MySQL wants a blank behind: 5--1 is a sum there.
    return !is_mysql() || at_ + 2 >= sql_.size() || static_cast<unsigned char>(peek(2)) <= ' ';
  }

  Result<void> skip_line_comment() {
    const std::size_t begin = at_;
    at_ = std::min(sql_.find_first_of(is_postgres() ? "\n\r" : "\n", at_), sql_.size());
    return check_characters(begin, at_, true);
  }

  Result<void> skip_comment() {
    const std::size_t begin = at_;
    if (is_mysql() && (starts("/*!") || starts("/*M!"))) {
      return wrong(begin, "a comment that the database executes is not allowed",
                   "write what is in it as a part of the statement, or leave it out");
    }
    at_ += 2;
    for (std::size_t depth = 1; depth > 0;) {
      const std::size_t next = sql_.find(is_postgres() ? "*" : "*/", at_);
      if (next == std::string_view::npos) {
        return wrong(begin, "a comment has no end", "close it by */");
      }
      if (!is_postgres()) {
        at_ = next + 2;
        break;
      }
      if (next > at_ && sql_[next - 1] == '/') {
        ++depth;
        at_ = next + 1;
      } else if (next + 1 < sql_.size() && sql_[next + 1] == '/') {
        --depth;
        at_ = next + 2;
      } else {
        at_ = next + 1;
      }
    }
    return check_characters(begin, at_, true);
  }

  // From `begin`, which may be before the mark: x'00'. The mark doubled stands for itself.
  Result<void> read_quoted(SqlTokenKind kind, std::size_t begin, bool has_escapes) {
    const char open = peek();
    const char close = open == '[' ? ']' : open;
    for (++at_; at_ < sql_.size(); ++at_) {
      const bool is_escape = has_escapes && peek() == '\\';
      if (!is_escape && peek() != close) continue;
      ++at_;
      if (is_escape || (open != '[' && peek() == close)) continue;  // skips a character
      add(kind, begin);
      return check_characters(begin, at_, kind == SqlTokenKind::Text);
    }
    at_ = sql_.size();
    return wrong(begin, fmt::format("the SQL has an opening {} without its end", open),
                 "close the text or the name; double a quotation mark inside it");
  }

  // $1, $name (SQLite), $$text$$, $tag$text$tag$.
  Result<void> read_dollar() {
    const std::size_t begin = at_;
    std::size_t end = at_ + 1;
    while (end < sql_.size() && is_name_character(sql_[end]) && sql_[end] != '$') ++end;
    const bool is_quote = is_postgres() && end < sql_.size() && sql_[end] == '$' &&
                          (end == begin + 1 || !is_digit(sql_[begin + 1]));
    if (is_quote) {
      const std::string_view tag = sql_.substr(begin, end + 1 - begin);
      const std::size_t close = sql_.find(tag, end + 1);
      if (close == std::string_view::npos) {
        return wrong(begin, fmt::format("the text that {} opens has no end", tag),
                     fmt::format("close it by {}", tag));
      }
      at_ = close + tag.size();
      add(SqlTokenKind::Text, begin);
      return check_characters(begin, at_, true);
    }
    at_ = end;
    add(end == begin + 1 ? SqlTokenKind::Symbol : SqlTokenKind::Parameter, begin);
    return check_characters(begin, at_, false);
  }

  Result<void> read_number() {
    const std::size_t begin = at_;
    const auto skip_digits = [this] {
      while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) ++at_;
    };
    if (starts("0x") || starts("0X")) {
      at_ += 2;
      while (hex_value(peek()) >= 0) ++at_;
    } else {
      skip_digits();
      if (peek() == '.') {
        ++at_;
        skip_digits();
      }
      const bool has_sign = peek(1) == '+' || peek(1) == '-';
      if (ascii_lower(peek()) == 'e' && is_digit(peek(has_sign ? 2 : 1))) {
        at_ += has_sign ? 2 : 1;
        skip_digits();
      }
    }
    // In MySQL names may begin with digits.
    const bool is_name = is_mysql() && is_name_character(peek()) &&
                         sql_.substr(begin, at_ - begin).find('.') == std::string_view::npos;
    if (is_name) return read_word(begin);
    add(SqlTokenKind::Number, begin);
    return {};
  }

  Result<void> read_word() { return read_word(at_); }
  Result<void> read_word(std::size_t begin) {
    while (is_name_character(peek())) ++at_;
    const std::string_view word = sql_.substr(begin, at_ - begin);
    if (peek() == '\'' && is_text_prefix(word)) {
      const bool has_escapes = is_mysql() || is_same_in_any_case(word, "e");
      return read_quoted(SqlTokenKind::Text, begin, has_escapes);
    }
    if (is_postgres() && is_same_in_any_case(word, "u") && peek() == '&' &&
        (peek(1) == '\'' || peek(1) == '"')) {
      ++at_;
      return read_quoted(peek() == '"' ? SqlTokenKind::Name : SqlTokenKind::Text, begin, false);
    }
    add(SqlTokenKind::Word, begin);
    return check_characters(begin, at_, false);
  }

  bool is_text_prefix(std::string_view word) const {
    if (word.size() != 1) return false;
    const char prefix = ascii_lower(word.front());
    return prefix == 'x' || (!is_sqlite() && (prefix == 'b' || prefix == 'n')) ||
           (is_postgres() && prefix == 'e');
  }

  // @results_0.column, and in MySQL @name and @@name.
  Result<void> read_at() {
    const std::size_t begin = at_;
    ++at_;
    const std::size_t key_begin = at_;
    while (is_name_character(peek())) ++at_;
    const std::string_view key = sql_.substr(key_begin, at_ - key_begin);
    if (peek() == '.' && is_name_start(peek(1)) && key.find('_') != std::string_view::npos) {
      ++at_;
      while (is_name_character(peek())) ++at_;
      add(SqlTokenKind::Feed, begin);
      return check_characters(begin, at_, false);
    }
    if (is_postgres()) {
      at_ = begin;
      return read_symbol();
    }
    if (is_sqlite()) {
      add(key.empty() ? SqlTokenKind::Symbol : SqlTokenKind::Parameter, begin);
      return check_characters(begin, at_, false);
    }
    if (key.empty() && peek() == '@') ++at_;
    if (peek() == '`' || peek() == '\'' || peek() == '"') {
      return read_quoted(SqlTokenKind::Variable, begin, peek() != '`');
    }
    while (is_name_character(peek()) || peek() == '.') ++at_;
    add(SqlTokenKind::Variable, begin);
    return check_characters(begin, at_, false);
  }

  // \N is NULL and ends there, whatever follows: \NINTO are two words.
  Result<void> read_backslash() {
    const std::size_t begin = at_;
    if (peek(1) != 'N') {
      return wrong(begin, "a backslash stands outside of a text",
                   "leave it out, or put quotation marks around the text");
    }
    at_ += 2;
    add(SqlTokenKind::Word, begin);
    return {};
  }

  Result<void> read_symbol() {
    const std::size_t begin = at_;
    const char c = peek();
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      return check_characters(at_, at_ + 1, false);
    if (c == '?' && !is_postgres()) {
      ++at_;
      while (is_sqlite() && is_digit(peek())) ++at_;
      add(SqlTokenKind::Parameter, begin);
      return {};
    }
    if (c == ':' && is_sqlite() && is_name_start(peek(1))) {
      ++at_;
      while (is_name_character(peek())) ++at_;
      add(SqlTokenKind::Parameter, begin);
      return check_characters(begin, at_, false);
    }
    constexpr std::string_view kPairs[] = {"::", ":=", "<=", ">=", "<>", "!=", "||"};
    const bool is_pair = std::any_of(std::begin(kPairs), std::end(kPairs),
                                     [this](std::string_view pair) { return starts(pair); });
    at_ += is_pair ? 2 : 1;
    add(SqlTokenKind::Symbol, begin);
    return {};
  }

  // Texts may hold any character but those that turn the text around them.
  Result<void> check_characters(std::size_t begin, std::size_t end, bool is_text) const {
    const char* const last = sql_.data() + end;
    for (const char* at = sql_.data() + begin; at < last;) {
      const auto byte = static_cast<std::size_t>(at - sql_.data());
      const char32_t c = decode_utf8(at, last);
      if (c >= ' ' && c < 0x7F) continue;
      const bool is_line = c == '\n' || c == '\r' || c == '\t';
      if (is_line) continue;
      const bool is_bad = is_text ? c == 0 || turns_text(c) : is_deceptive(c);
      if (!is_bad) continue;
      return wrong(
          byte, fmt::format("the statement has the character U+{:04X}", static_cast<unsigned>(c)),
          "it does not show, or not as what it is: write a plain blank, or give the value "
          "as a parameter");
    }
    return {};
  }

  std::string_view sql_;
  SqlDialect dialect_;
  std::size_t at_ = 0;
  std::vector<SqlToken> tokens_;
};

}  // namespace

Result<std::vector<SqlToken>> read_sql_tokens(std::string_view sql, SqlDialect dialect) {
  return TokenReader(sql, dialect).read();
}

std::string value_of(const SqlToken& token, SqlDialect dialect) {
  if (token.kind == SqlTokenKind::Word) {
    return dialect == SqlDialect::PostgreSql ? ascii_lower(token.text) : std::string(token.text);
  }
  if (token.kind != SqlTokenKind::Name && token.kind != SqlTokenKind::Text) {
    return std::string(token.text);
  }
  const std::size_t open = token.text.find_first_of("'\"`[$");
  if (open == std::string_view::npos) return std::string(token.text);
  std::string_view inner = token.text.substr(open);
  if (inner.front() == '$') {
    const std::size_t tag = inner.find('$', 1) + 1;
    return std::string(inner.substr(tag, inner.size() - 2 * tag));
  }
  const char close = inner.front() == '[' ? ']' : inner.front();
  const bool has_escapes = token.kind == SqlTokenKind::Text &&
                           (dialect == SqlDialect::MySql || ascii_lower(token.text.front()) == 'e');
  inner = inner.substr(1, inner.size() - 2);
  std::string value;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const bool is_pair = i + 1 < inner.size() && ((inner[i] == close && inner[i + 1] == close) ||
                                                  (has_escapes && inner[i] == '\\'));
    if (is_pair) ++i;
    value += inner[i];
  }
  return value;
}

bool is_word(const SqlToken& token, std::string_view keyword) {
  return token.kind == SqlTokenKind::Word && is_same_in_any_case(token.text, keyword);
}

TextPosition sql_position(std::string_view sql, std::size_t byte) {
  const std::string_view before = sql.substr(0, std::min(byte, sql.size()));
  TextPosition place;
  place.line += static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line = before.rfind('\n');
  place.column += utf8_length(line == std::string_view::npos ? before : before.substr(line + 1));
  return place;
}

}  // namespace helve
