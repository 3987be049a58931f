#include "toolkit/sql/sql_text.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>
#include <utility>

#include "base/ascii.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNamesMax = 10'000;

bool is_name_start(char c) {
  return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_character(char c) { return is_name_start(c) || is_digit(c) || c == '$'; }
bool is_sql_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class SqlReader {
 public:
  explicit SqlReader(std::string_view sql) : sql_(sql) {}

  Result<SqlText> read() {
    while (at_ < sql_.size()) HELVE_TRY(read_token());
    if (is_after_feed_) return misplaced();
    return std::move(out_);
  }

 private:
  Result<void> read_token() {
    const char c = sql_[at_];
    const std::size_t start = at_;
    if (is_sql_space(c)) {
      ++at_;
    } else if (sql_.substr(at_).starts_with("--")) {
      at_ = std::min(sql_.find('\n', at_), sql_.size());
    } else if (sql_.substr(at_).starts_with("/*")) {
      const std::size_t end = sql_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? sql_.size() : end + 2;  // SQLite takes it too
    } else {
      return read_word();
    }
    out_.text += sql_.substr(start, at_ - start);
    return {};
  }

  Result<void> read_word() {
    const char c = sql_[at_];
    if (is_after_feed_ && c != ')') return misplaced();
    is_after_feed_ = false;
    const std::size_t start = at_;
    if (c == '@') {
      if (auto feed = read_feed()) {
        if (!is_after_open_) return misplaced();
        out_.text += *feed;
        is_after_feed_ = true;
        is_after_open_ = false;
        return {};
      }
      ++at_;
    } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
      HELVE_ASSIGN(std::string name, read_quoted());
      add_name(std::move(name));
    } else if (is_name_character(c)) {
      while (at_ < sql_.size() && is_name_character(sql_[at_])) ++at_;
      add_name(std::string(sql_.substr(start, at_ - start)));
    } else {
      ++at_;
    }
    is_after_open_ = c == '(';
    out_.text += sql_.substr(start, at_ - start);
    return {};
  }

  // Leaves the place as it is where there is none.
  std::optional<std::string> read_feed() {
    std::size_t at = at_ + 1;
    const auto take_name = [&] {
      const std::size_t start = at;
      while (at < sql_.size() && is_name_character(sql_[at])) ++at;
      return std::string(sql_.substr(start, at - start));
    };
    const std::string key = take_name();
    if (key.empty() || at >= sql_.size() || sql_[at] != '.') return std::nullopt;
    ++at;
    const std::string column = take_name();
    if (column.empty()) return std::nullopt;
    at_ = at;
    std::string feed = fmt::format("SELECT \"{}\" FROM \"{}\"", column, key);
    add_name(key);
    return feed;
  }

  // The mark doubled stands for itself, but for brackets.
  Result<std::string> read_quoted() {
    const char open = sql_[at_];
    const char close = open == '[' ? ']' : open;
    std::string text;
    for (++at_; at_ < sql_.size(); ++at_) {
      if (sql_[at_] != close) {
        text += sql_[at_];
      } else if (open != '[' && at_ + 1 < sql_.size() && sql_[at_ + 1] == close) {
        text += sql_[at_++];
      } else {
        ++at_;
        return text;
      }
    }
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the SQL has an opening {} without its end", open),
                 "close the text, the name or the comment; double a quotation mark inside it"};
  }

  void add_name(std::string name) {
    if (out_.names.size() >= kNamesMax || name.size() > 200 || !seen_.insert(name).second) return;
    out_.names.push_back(std::move(name));
  }

  static Error misplaced() {
    return {ErrorCode::InvalidInput,
            "a column of a handle stands alone in parentheses: IN (@results_0.protein)",
            "or join the handle: ... JOIN results_0 USING (protein)"};
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  bool is_after_open_ = false;
  bool is_after_feed_ = false;
  SqlText out_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Result<SqlText> read_sql(std::string_view sql) { return SqlReader(sql).read(); }

}  // namespace helve::toolkit
