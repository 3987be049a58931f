#include "base/sqlite_table.h"
#include "base/ascii.h"

#include <algorithm>
#include <utility>

namespace helve::sqlite {

namespace {

constexpr int kScan = 0;  // other plans: 1 + the column that is searched

struct OpenTable : sqlite3_vtab {
  std::shared_ptr<const Table> table;
};

struct OpenCursor : sqlite3_vtab_cursor {
  const Table* table = nullptr;
  bool is_search = false;
  std::span<const std::uint32_t> found;
  std::uint64_t at = 0;  // of all rows, or of those found

  std::uint64_t row() const { return is_search ? found[at] : at; }
  bool is_at_end() const { return at >= (is_search ? found.size() : table->rows()); }
};

std::string declaration_of(const Table& table) {
  std::string text = "CREATE TABLE x(";
  for (const Table::Column& column : table.columns()) {
    if (text.back() != '(') text += ", ";
    text += quoted_name(column.name) + (column.is_numeric ? " NUMERIC" : " TEXT");
    if (column.is_hidden) text += " HIDDEN";
  }
  return text + ")";
}

int connect(sqlite3* database, void* tables, int count, const char* const* arguments,
            sqlite3_vtab** made, char** /*error*/) {
  const auto& known = *static_cast<const TablesByName*>(tables);
  const auto found = count > 2 ? known.find(std::string_view(arguments[2])) : known.end();
  if (found == known.end()) return SQLITE_ERROR;
  const int outcome = sqlite3_declare_vtab(database, declaration_of(*found->second).c_str());
  if (outcome != SQLITE_OK) return outcome;
  auto table = std::make_unique<OpenTable>();
  table->table = found->second;
  *made = table.release();
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<OpenTable*>(table);
  return SQLITE_OK;
}

// One equality, compared byte by byte, is looked up; SQLite checks it again.
int choose_plan(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const Table& table = *static_cast<OpenTable*>(vtab)->table;
  const auto rows = static_cast<double>(table.rows());
  info->idxNum = kScan;
  info->estimatedCost = rows + 1;
  info->estimatedRows = static_cast<sqlite3_int64>(table.rows());
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ ||
        constraint.iColumn < 0 || !table.can_find(static_cast<std::size_t>(constraint.iColumn)) ||
        std::string_view(sqlite3_vtab_collation(info, i)) != "BINARY") {
      continue;
    }
    info->aConstraintUsage[i].argvIndex = 1;
    info->idxNum = 1 + constraint.iColumn;
    info->estimatedCost = 2;
    info->estimatedRows = static_cast<sqlite3_int64>(rows / 100) + 1;
    break;
  }
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** made) {
  auto cursor = std::make_unique<OpenCursor>();
  cursor->table = static_cast<OpenTable*>(vtab)->table.get();
  *made = cursor.release();
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<OpenCursor*>(cursor);
  return SQLITE_OK;
}

int start(sqlite3_vtab_cursor* base, int plan, const char* /*text*/, int count,
          sqlite3_value** values) {
  auto& cursor = *static_cast<OpenCursor*>(base);
  cursor.at = 0;
  cursor.is_search = plan != kScan && count == 1;
  cursor.found = {};
  if (!cursor.is_search) return SQLITE_OK;
  const Value wanted = value_of(values[0]);
  if (!std::holds_alternative<std::monostate>(wanted)) {  // nothing equals NULL
    cursor.found = cursor.table->find(static_cast<std::size_t>(plan - 1), wanted);
  }
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* cursor) {
  ++static_cast<OpenCursor*>(cursor)->at;
  return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* cursor) {
  return static_cast<OpenCursor*>(cursor)->is_at_end() ? 1 : 0;
}

void give(sqlite3_context* context, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_result_int64(context, *number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_result_double(context, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    const char* data = text->empty() ? "" : text->data();
    sqlite3_result_text64(context, data, text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else if (const auto* blob = std::get_if<Blob>(&value)) {
    sqlite3_result_blob64(context, blob->bytes.data(), blob->bytes.size(), SQLITE_STATIC);
  } else {
    sqlite3_result_null(context);
  }
}

int give_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const auto& cursor = *static_cast<OpenCursor*>(base);
  give(context, cursor.table->value(cursor.row(), static_cast<std::size_t>(column)));
  return SQLITE_OK;
}

int give_row_number(sqlite3_vtab_cursor* base, sqlite3_int64* number) {
  *number = static_cast<sqlite3_int64>(static_cast<OpenCursor*>(base)->row());
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.iVersion = 1;
  module.xCreate = connect;
  module.xConnect = connect;
  module.xBestIndex = choose_plan;
  module.xDisconnect = disconnect;
  module.xDestroy = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = start;
  module.xNext = next_row;
  module.xEof = is_at_end;
  module.xColumn = give_column;
  module.xRowid = give_row_number;
  return module;  // without xUpdate: read-only
}

// Behind the character at `at`.
std::size_t character_end(std::string_view text, std::size_t at) {
  do ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

struct LikePattern {
  std::string_view text;
  std::string_view escape;  // empty: none

  // Whether one item of the pattern at `at` takes text[from, to); moves behind the item.
  bool takes(std::size_t& at, std::string_view subject, std::size_t from, std::size_t to) const {
    if (!escape.empty() && text.substr(at).starts_with(escape)) {
      at += escape.size();
      if (at >= text.size()) return false;
    } else if (text[at] == '_') {
      ++at;
      return true;
    }
    const std::size_t end = character_end(text, at);
    const std::string_view wanted = text.substr(at, end - at);
    const std::string_view met = subject.substr(from, to - from);
    at = end;
    if (wanted.size() == 1 && met.size() == 1) return is_same_in_any_case(wanted[0], met[0]);
    return wanted == met;
  }
  bool is_any_at(std::size_t at) const {
    return at < text.size() && text[at] == '%' && (escape.empty() || escape != "%");
  }
};

// Only the last % can need another try: what came before it has matched as early as it can.
bool is_like(const LikePattern& pattern, std::string_view subject) {
  std::size_t at = 0;
  std::size_t from = 0;
  std::optional<std::pair<std::size_t, std::size_t>> retry;  // behind the last %, and where
  while (from < subject.size()) {
    if (pattern.is_any_at(at)) {
      retry = {++at, from};
      continue;
    }
    const std::size_t to = character_end(subject, from);
    std::size_t behind = at;
    if (at < pattern.text.size() && pattern.takes(behind, subject, from, to)) {
      at = behind;
      from = to;
      continue;
    }
    if (!retry) return false;
    retry->second = character_end(subject, retry->second);
    at = retry->first;
    from = retry->second;
  }
  while (pattern.is_any_at(at)) ++at;
  return at >= pattern.text.size();
}

std::string_view sqlite_text(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr
             ? std::string_view()
             : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

void like(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return sqlite3_result_null(context);
  }
  LikePattern pattern{sqlite_text(values[0]), {}};
  if (count == 3) {
    pattern.escape = sqlite_text(values[2]);
    if (pattern.escape.empty() || character_end(pattern.escape, 0) != pattern.escape.size()) {
      return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    }
  }
  const auto* any_max = static_cast<const std::int64_t*>(sqlite3_user_data(context));
  if (any_max != nullptr && std::count(pattern.text.begin(), pattern.text.end(), '%') > *any_max) {
    return sqlite3_result_error_code(context, SQLITE_TOOBIG);
  }
  sqlite3_result_int(context, is_like(pattern, sqlite_text(values[1])) ? 1 : 0);
}

}  // namespace

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c;
    if (c == '"') text += c;
  }
  return text + "\"";
}

Value value_of(sqlite3_value* value) {
  const auto size = [value] { return static_cast<std::size_t>(sqlite3_value_bytes(value)); };
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_value_int64(value)};
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    case SQLITE_TEXT: {
      return sqlite_text(value);
    }
    case SQLITE_BLOB: {
      const auto* data = static_cast<const char*>(sqlite3_value_blob(value));
      return Blob{data == nullptr ? std::string_view() : std::string_view(data, size())};
    }
    default:
      return std::monostate();
  }
}

int register_tables(sqlite3* database, TablesByName& tables) {
  static const sqlite3_module module = make_module();
  return sqlite3_create_module_v2(database, "helve", &module, &tables, nullptr);
}

int register_like(sqlite3* database, const std::int64_t* any_max) {
  auto* const data = const_cast<std::int64_t*>(any_max);  // only read
  constexpr int kKind = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const int arguments : {2, 3}) {
    const int outcome = sqlite3_create_function_v2(database, "like", arguments, kKind, data, like,
                                                   nullptr, nullptr, nullptr);
    if (outcome != SQLITE_OK) return outcome;
  }
  return SQLITE_OK;
}

}  // namespace helve::sqlite
