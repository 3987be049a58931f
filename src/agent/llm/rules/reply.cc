#include "agent/llm/rules/reply.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kReplyBytesMax = 64UL * 1024;
constexpr std::size_t kRowsMax = 500;
constexpr std::size_t kPartsMax = 64;
constexpr std::string_view kPayload = "payload";

// Fields of replies; anything else in a table is a row.
constexpr std::array kFields = std::to_array<std::string_view>(
    {"diagnosis", "suggested_query", "suggested_sql", "prefixes", "read_as", "did_you_mean",
     "foreign_keys", "referenced_by", "table", "resource", "label", "types", "kind", "domain",
     "range", "primary_key", "superclasses", "common_properties"});

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower(c) || c == '_'; });
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class ReplyReader {
 public:
  explicit ReplyReader(ToolReply& reply) : reply_(reply) {}

  void line(std::string_view text) {
    if (text.starts_with("Ref('")) return ref(text);
    if (text.starts_with("<data ") || text.starts_with("</data ")) {
      is_inside_ = text[1] != '/';
      starts_payload_ = is_inside_ && !reply_.handle.empty();
      table_ = kNone;
      return;
    }
    if (!is_inside_) {
      if (reply_.title.empty()) reply_.title = text;
      return;
    }
    if (starts_payload_) return header(text);
    if (table_ == kNone || !is_payload()) {
      if (begins_table(text) || is_field(text)) return;
    }
    if (table_ != kNone) return row(text);
    if (reply_.title.empty()) reply_.title = text;  // everything stands inside of the marks
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool is_payload() const { return reply_.tables[table_].name == kPayload; }

  // Ref('results_0', 'results', 3 items, 24 chars from shop)
  void ref(std::string_view text) {
    text.remove_prefix(5);
    reply_.handle = text.substr(0, text.find('\''));
    const std::size_t items = text.find(" items");
    if (items == std::string_view::npos) return;
    const std::size_t comma = text.rfind(' ', items - 1);
    if (comma != std::string_view::npos) reply_.rows = number_in(text.substr(comma + 1));
  }

  // All of a result: names of columns, then rows, with tabulators between.
  void header(std::string_view text) {
    starts_payload_ = false;
    open(kPayload, split(text, "\t"));
  }

  void open(std::string_view name, std::vector<std::string> columns) {
    if (reply_.tables.size() >= kPartsMax) return;
    reply_.tables.push_back({std::string(name), std::move(columns), {}});
    table_ = reply_.tables.size() - 1;
  }

  // hits (uri | label): and then rows, or: none
  bool begins_table(std::string_view text) {
    const std::size_t open_at = text.find(" (");
    const std::size_t close = text.find("):");
    if (open_at == std::string_view::npos || close == std::string_view::npos || close < open_at ||
        !is_word(text.substr(0, open_at))) {
      return false;
    }
    const std::string_view rest = trimmed(text.substr(close + 2));
    if (!rest.empty() && rest != "none") return false;
    open(text.substr(0, open_at), split(text.substr(open_at + 2, close - open_at - 2), " | "));
    return true;
  }

  bool is_field(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || !is_word(text.substr(0, colon))) return false;
    const std::string_view name = text.substr(0, colon);
    if (table_ != kNone && std::find(kFields.begin(), kFields.end(), name) == kFields.end()) {
      return false;
    }
    table_ = kNone;
    const bool is_list = name == "resource" || name == "table";
    for (const std::string& part : split(text, is_list ? " · " : "\n")) {
      const std::size_t at = part.find(':');
      if (at == std::string::npos || reply_.fields.size() >= kPartsMax) continue;
      reply_.fields.emplace_back(part.substr(0, at),
                                 trimmed(std::string_view(part).substr(at + 1)));
    }
    return true;
  }

  void row(std::string_view text) {
    ReplyTable& table = reply_.tables[table_];
    if (text.starts_with("... ") || table.rows.size() >= kRowsMax) return;
    const std::string_view between = table.name == kPayload ? "\t" : " | ";
    std::vector<std::string> cells = split(text, between);
    const std::size_t columns = std::max<std::size_t>(table.columns.size(), 1);
    // What is too much belongs to the last.
    while (cells.size() > columns) {
      const std::string last = std::move(cells.back());
      cells.pop_back();
      cells.back() += std::string(between) + last;
    }
    table.rows.push_back(std::move(cells));
  }

  ToolReply& reply_;
  bool is_inside_ = false;
  bool starts_payload_ = false;
  std::size_t table_ = kNone;
};

}  // namespace

std::string_view behind(std::string_view line, std::string_view begin) {
  return line.starts_with(begin) ? trimmed(line.substr(begin.size())) : std::string_view();
}

std::vector<std::string> split(std::string_view text, std::string_view at) {
  std::vector<std::string> parts;
  while (parts.size() < kRowsMax) {
    const std::size_t end = text.find(at);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + at.size());
  }
  return parts;
}

std::string_view ReplyTable::cell(std::size_t row, std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  const auto index = static_cast<std::size_t>(found - columns.begin());
  return row < rows.size() && index < rows[row].size() ? rows[row][index] : std::string_view();
}

std::string_view ToolReply::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [name](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

const ReplyTable* ToolReply::table(std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [name](const ReplyTable& one) { return one.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

const ReplyTable* ToolReply::result() const {
  const ReplyTable* const preview = table("preview");
  return preview != nullptr ? preview : table(kPayload);
}

ToolReply read_reply(std::string_view text, bool is_error) {
  ToolReply reply;
  reply.is_error = is_error;
  ReplyReader reader(reply);
  text = text.substr(0, kReplyBytesMax);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reply;
}

}  // namespace helve::llm::rules
