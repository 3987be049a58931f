#include "toolkit/sql/sql_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/sqlite.h"
#include "base/utf8.h"
#include "toolkit/sql/handle_table.h"
#include "toolkit/sql/sql_hints.h"
#include "toolkit/sql/sql_protocol.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kSendBytes = 64 * kKiB;
constexpr Duration kSendPause = std::chrono::milliseconds(20);
constexpr std::string_view kIntegerType = "http://www.w3.org/2001/XMLSchema#integer";
constexpr std::string_view kDoubleType = "http://www.w3.org/2001/XMLSchema#double";
constexpr std::string_view kXsdHexBinary = "http://www.w3.org/2001/XMLSchema#hexBinary";

// What computes from its arguments alone, and the time. Nothing that reaches files, settings,
// extensions or the inside of the database.
constexpr std::string_view kFunctions =
    "-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat "
    "concat_ws cos cosh count cume_dist current_date current_time current_timestamp date "
    "datetime degrees dense_rank exp first_value floor format glob group_concat hex ifnull "
    "iif instr json json_array json_array_length json_extract json_group_array "
    "json_group_object json_insert json_object json_patch json_quote json_remove json_replace "
    "json_set json_type json_valid julianday lag last_value lead length like likelihood "
    "likely ln log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length "
    "percent_rank pi pow power printf quote radians random randomblob rank replace round "
    "row_number rtrim sign sin sinh soundex sqlite_version sqrt strftime string_agg substr "
    "substring sum tan tanh time timediff total trim trunc typeof unhex unicode unixepoch "
    "unlikely upper zeroblob";

sqlite::ReadRules read_rules() {
  sqlite::ReadRules rules;
  rules.tables = {"json_each", "json_tree"};
  rules.pragmas = {"table_info", "table_xinfo"};
  for (std::string_view rest = kFunctions; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    rules.functions.emplace(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return rules;
}

Result<std::string> read_all(ByteSource& in) {
  std::string bytes;
  std::array<char, kSendBytes> buffer;
  for (;;) {
    HELVE_ASSIGN(const std::size_t count, in.read(buffer));
    if (count == 0) return bytes;
    if (bytes.size() + count > kSqlRequestBytesMax) {
      return Error{ErrorCode::LimitExceeded, "the request to the SQL worker is too large"};
    }
    bytes.append(buffer.data(), count);
  }
}

// The names of a result can be used as names of a table again.
std::vector<std::string> names_of(const sqlite::Statement& statement) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (std::size_t i = 0; i < statement.columns(); ++i) {
    const std::string name = statement.name(i);
    std::string unique = name;
    for (int n = 2; !used.insert(unique).second; ++n) unique = fmt::format("{}_{}", name, n);
    names.push_back(std::move(unique));
  }
  return names;
}

// Terms of the values of one row. The views are valid until the next.
class TermMaker {
 public:
  TermMaker(const sqlite::Statement& statement, TermFinder& finder)
      : statement_(statement), finder_(finder), texts_(statement.columns()) {
    for (std::size_t i = 0; i < statement.columns(); ++i) origins_.push_back(statement.origin(i));
  }

  std::optional<rdf::TermView> term(std::size_t column) {
    const sqlite::Value value = statement_.value(column);
    if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
    if (const auto& origin = origins_[column]) {
      if (const auto term = finder_.find(*origin, value)) return term;
    }
    return computed(value, texts_[column]);
  }

 private:
  rdf::TermView computed(const sqlite::Value& value, std::string& text) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      text = fmt::format("{}", *number);
      return rdf::TermView::literal(text, kIntegerType);
    }
    if (const auto* number = std::get_if<double>(&value)) {
      text = std::isinf(*number) ? (*number < 0 ? "-INF" : "INF") : fmt::format("{}", *number);
      return rdf::TermView::literal(text, kDoubleType);
    }
    if (const auto* blob = std::get_if<sqlite::Blob>(&value)) {
      text.clear();
      for (const char byte : blob->bytes) {
        fmt::format_to(std::back_inserter(text), "{:02X}", static_cast<unsigned char>(byte));
      }
      return rdf::TermView::literal(text, kXsdHexBinary);
    }
    const auto given = std::get<std::string_view>(value);
    if (const auto name = finder_.find_name(given)) return *name;
    if (utf8_valid_prefix(given) == given.size()) return rdf::TermView::literal(given);
    text.clear();
    for (std::string_view rest = given; !rest.empty();) {
      const std::size_t good = utf8_valid_prefix(rest);
      text += rest.substr(0, good);
      rest.remove_prefix(good);
      if (rest.empty()) break;
      append_utf8(text, 0xFFFD);
      rest.remove_prefix(1);
    }
    return rdf::TermView::literal(text);
  }

  const sqlite::Statement& statement_;
  TermFinder& finder_;
  std::vector<std::optional<sqlite::ColumnOrigin>> origins_;
  std::vector<std::string> texts_;
};

class Worker {
 public:
  Worker(ByteSink& out, const Clock& clock) : out_(out), clock_(clock), frames_(pending_) {}

  int run(std::string_view bytes) {
    if (auto outcome = answer(bytes); !outcome) frames_.failed(outcome.error());
    return send() ? 0 : 1;
  }

 private:
  using Tables = std::vector<std::pair<std::string, const HandleTable*>>;

  Result<void> answer(std::string_view bytes) {
    HELVE_ASSIGN(const SqlRequest request, decode_request(bytes));
    sqlite::set_heap_limit(request.memory_bytes_max);
    OpContext context;
    if (request.time) context.deadline = Deadline(clock_, *request.time);
    HELVE_ASSIGN(const auto database, sqlite::Database::open_in_memory({}));
    std::vector<RowTablePtr> contents;
    for (const auto& [name, content] : request.tables) {
      HELVE_ASSIGN(RowTablePtr rows, table_from_bytes(content, nullptr));
      contents.push_back(std::move(rows));
      HELVE_TRY(context.check());
    }
    const LongNumbers long_numbers = long_numbers_of(contents);
    Tables tables;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const auto name = request.tables[i].first;
      if (long_numbers == LongNumbers::AsTexts) note_texts(name, *contents[i]);
      auto table = std::make_shared<const HandleTable>(std::move(contents[i]), long_numbers);
      tables.emplace_back(name, table.get());
      HELVE_TRY(database->add_table(std::string(name), std::move(table)));
      HELVE_TRY(context.check());
    }
    HELVE_TRY(database->lock(read_rules()));
    auto statement = database->prepare(request.sql, context);
    if (!statement) return with_hints(std::move(statement).error(), tables, request.known_tables);
    TermFinder finder(tables);
    auto outcome = send_rows(**statement, request.rows_max, finder);
    if (!outcome) return with_hints(std::move(outcome).error(), tables, request.known_tables);
    return {};
  }

  Result<void> send_rows(sqlite::Statement& statement, std::uint64_t rows_max, TermFinder& finder) {
    frames_.columns(names_of(statement));
    TermMaker terms(statement, finder);
    std::vector<std::optional<rdf::TermView>> cells(statement.columns());
    SqlDone done;
    MonotonicTime sent_at = clock_.now();
    for (std::uint64_t rows = 0;; ++rows) {
      HELVE_ASSIGN(const bool has_row, statement.step());
      if (!has_row) break;
      done.has_more = rows == rows_max;
      if (done.has_more) break;
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = terms.term(i);
      frames_.row(cells);
      if (pending_.size() >= kSendBytes || clock_.now() - sent_at >= kSendPause) {
        HELVE_TRY(send());
        sent_at = clock_.now();
      }
    }
    if (finder.met_ambiguity()) {
      done.notes.emplace_back(
          "some texts stand for several terms (languages, datatypes): they are plain texts here; "
          "select x__lang or x__datatype to tell them apart");
    }
    done.notes.insert(done.notes.end(), notes_.begin(), notes_.end());
    frames_.done(done);
    return {};
  }

  void note_texts(std::string_view name, const RowTable& rows) {
    for (const std::string& column : columns_of_long_numbers(rows)) {
      notes_.push_back(
          fmt::format("{0}.{1} has numbers of more than 15 digits that differ too little for a "
                      "double: those are texts here, and sort behind all numbers; CAST({1} AS "
                      "REAL) sorts and compares them as numbers",
                      name, column));
    }
  }

  Result<void> send() {
    frames_.end_rows();
    HELVE_TRY(out_.write(pending_));
    pending_.clear();
    return out_.flush();
  }

  ByteSink& out_;
  const Clock& clock_;
  std::string pending_;
  SqlFrameWriter frames_;
  std::vector<std::string> notes_;
};

}  // namespace

int run_sql_worker(ByteSource& in, ByteSink& out, const Clock& clock) {
  const auto bytes = read_all(in);
  if (!bytes) return 1;
  return Worker(out, clock).run(*bytes);
}

}  // namespace helve::toolkit
