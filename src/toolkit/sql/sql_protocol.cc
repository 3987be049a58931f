#include "toolkit/sql/sql_protocol.h"

#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kMagic = "HLVSQL1\n";
constexpr std::size_t kFrameHead = 1 + sizeof(std::uint64_t);
constexpr std::uint64_t kFrameBytesMax = std::uint64_t{512} << 20;
constexpr std::uint32_t kListMax = 100'000;
constexpr std::uint64_t kNoTime = UINT64_MAX;
constexpr std::string_view kXsdInteger = "http://www.w3.org/2001/XMLSchema#integer";
constexpr std::string_view kXsdDouble = "http://www.w3.org/2001/XMLSchema#double";

// What stands before a cell.
enum class CellTag : std::uint8_t { Unbound, Iri, Blank, Plain, Integer, Double, Literal };

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& out, std::string_view text) {
  put(out, std::uint64_t{text.size()});
  out += text;
}

void put_cell_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

CellTag tag_of(const std::optional<rdf::TermView>& cell) {
  if (!cell) return CellTag::Unbound;
  if (cell->is_iri()) return CellTag::Iri;
  if (cell->is_blank()) return CellTag::Blank;
  if (!cell->language.empty()) return CellTag::Literal;
  if (cell->datatype.empty()) return CellTag::Plain;
  if (cell->datatype == kXsdInteger) return CellTag::Integer;
  if (cell->datatype == kXsdDouble) return CellTag::Double;
  return CellTag::Literal;
}

// Reads values until one is not there; then all are empty.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    T value{};
    if (rest_.size() < sizeof value) is_sound_ = false;
    if (!is_sound_) return value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view text() { return bytes(number<std::uint64_t>()); }
  std::string_view cell_text() { return bytes(number<std::uint32_t>()); }
  std::string_view bytes(std::uint64_t size) {
    if (size > rest_.size()) is_sound_ = false;
    if (!is_sound_) return {};
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  std::uint32_t list() {
    const auto count = number<std::uint32_t>();
    if (count > kListMax) is_sound_ = false;
    return is_sound_ ? count : 0;
  }
  void check(bool condition) { is_sound_ = is_sound_ && condition; }
  bool is_sound() const { return is_sound_; }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_sound_ = true;
};

Error nonsense() {
  return {ErrorCode::Unavailable, "the SQL worker gave an answer that makes no sense"};
}

Error read_error(Input& in) {
  const auto code = in.number<std::uint8_t>();
  std::string message = repaired_utf8(in.text());
  std::string hint = repaired_utf8(in.text());
  std::string detail = repaired_utf8(in.text());
  std::vector<std::string> suggestions;
  for (std::uint32_t left = in.list(); left > 0 && in.is_sound(); --left) {
    suggestions.push_back(repaired_utf8(in.text()));
  }
  const auto line = in.number<std::uint64_t>();
  const auto column = in.number<std::uint64_t>();
  const bool is_code = code >= static_cast<std::uint8_t>(ErrorCode::Internal) &&
                       code <= static_cast<std::uint8_t>(ErrorCode::Cancelled);
  if (!in.is_sound() || !is_code) return nonsense();
  Error error(static_cast<ErrorCode>(code), std::move(message), std::move(hint));
  error.detail = std::move(detail);
  error.suggestions = std::move(suggestions);
  if (line > 0) error.at("sql", {line, column});
  return error;
}

std::optional<rdf::TermView> read_cell(Input& in) {
  const auto tag = in.number<CellTag>();
  in.check(tag <= CellTag::Literal);
  if (tag == CellTag::Unbound || !in.is_sound()) return std::nullopt;
  rdf::TermView term;
  term.kind = tag == CellTag::Iri     ? rdf::TermKind::Iri
              : tag == CellTag::Blank ? rdf::TermKind::BlankNode
                                      : rdf::TermKind::Literal;
  term.value = in.cell_text();
  if (tag == CellTag::Integer) term.datatype = kXsdInteger;
  if (tag == CellTag::Double) term.datatype = kXsdDouble;
  if (tag == CellTag::Literal) {
    const auto direction = in.number<std::uint8_t>();
    in.check(direction <= static_cast<std::uint8_t>(rdf::Direction::Rtl));
    if (in.is_sound()) term.direction = static_cast<rdf::Direction>(direction);
    term.datatype = in.cell_text();
    term.language = in.cell_text();
  }
  for (const std::string_view text : {term.value, term.datatype, term.language}) {
    in.check(utf8_valid_prefix(text) == text.size());
  }
  return term;
}

}  // namespace

std::string encode(const SqlRequest& request) {
  std::string out(kMagic);
  put(out, request.rows_max);
  put(out, request.memory_bytes_max);
  put(out, request.time
               ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, request.time->count()))
               : kNoTime);
  put_text(out, request.sql);
  put(out, static_cast<std::uint32_t>(request.known_tables.size()));
  for (const std::string_view name : request.known_tables) put_text(out, name);
  put(out, static_cast<std::uint32_t>(request.tables.size()));
  for (const auto& [name, bytes] : request.tables) {
    put_text(out, name);
    put_text(out, bytes);
  }
  return out;
}

Result<SqlRequest> decode_request(std::string_view bytes) {
  const Error unreadable{ErrorCode::InvalidInput, "the request to the SQL worker cannot be read"};
  if (!bytes.starts_with(kMagic)) return unreadable;
  Input in(bytes.substr(kMagic.size()));
  SqlRequest request;
  request.rows_max = in.number<std::uint64_t>();
  request.memory_bytes_max = in.number<std::uint64_t>();
  const auto time = in.number<std::uint64_t>();
  in.check(time == kNoTime || time <= INT64_MAX);
  if (time != kNoTime) request.time = Duration(static_cast<std::int64_t>(time));
  request.sql = in.text();
  for (std::uint32_t left = in.list(); left > 0; --left) request.known_tables.push_back(in.text());
  for (std::uint32_t left = in.list(); left > 0; --left) {
    const std::string_view name = in.text();
    request.tables.emplace_back(name, in.text());
  }
  if (!in.is_sound() || !in.is_at_end()) return unreadable;
  return request;
}

void SqlFrameWriter::begin(SqlFrame kind) {
  frame_ = out_.size();
  put(out_, static_cast<std::uint8_t>(kind));
  put(out_, std::uint64_t{0});
}

void SqlFrameWriter::end() {
  const std::uint64_t size = out_.size() - *frame_ - kFrameHead;
  std::memcpy(out_.data() + *frame_ + 1, &size, sizeof size);
  frame_.reset();
}

void SqlFrameWriter::end_rows() {
  if (frame_) end();
}

void SqlFrameWriter::columns(const std::vector<std::string>& names) {
  begin(SqlFrame::Columns);
  put(out_, static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) put_text(out_, name);
  end();
}

void SqlFrameWriter::row(Row cells) {
  if (!frame_) begin(SqlFrame::Rows);
  for (const auto& cell : cells) {
    const CellTag tag = tag_of(cell);
    put(out_, tag);
    if (tag == CellTag::Unbound) continue;
    put_cell_text(out_, cell->value);
    if (tag != CellTag::Literal) continue;
    put(out_, static_cast<std::uint8_t>(cell->direction));
    put_cell_text(out_, cell->datatype);
    put_cell_text(out_, cell->language);
  }
}

void SqlFrameWriter::failed(const Error& error) {
  end_rows();
  begin(SqlFrame::Failed);
  put(out_, static_cast<std::uint8_t>(error.code));
  put_text(out_, error.message);
  put_text(out_, error.hint);
  put_text(out_, error.detail);
  put(out_, static_cast<std::uint32_t>(error.suggestions.size()));
  for (const std::string& one : error.suggestions) put_text(out_, one);
  put(out_, error.position ? error.position->line : std::uint64_t{0});
  put(out_, error.position ? error.position->column : std::uint64_t{0});
  end();
}

void SqlFrameWriter::done(const SqlDone& done) {
  end_rows();
  begin(SqlFrame::Done);
  put(out_, static_cast<std::uint8_t>(done.has_more ? 1 : 0));
  put(out_, static_cast<std::uint32_t>(done.notes.size()));
  for (const std::string& note : done.notes) put_text(out_, note);
  end();
}

Result<void> SqlFrameReader::take(std::string_view bytes) {
  pending_ += bytes;
  std::string_view rest = pending_;
  while (rest.size() >= kFrameHead) {
    std::uint64_t size = 0;
    std::memcpy(&size, rest.data() + 1, sizeof size);
    if (size > kFrameBytesMax || done_) return nonsense();
    if (rest.size() - kFrameHead < size) break;
    HELVE_TRY(take_frame(static_cast<SqlFrame>(rest[0]), rest.substr(kFrameHead, size)));
    rest.remove_prefix(kFrameHead + size);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return {};
}

Result<void> SqlFrameReader::take_frame(SqlFrame kind, std::string_view payload) {
  Input in(payload);
  switch (kind) {
    case SqlFrame::Columns: {
      std::vector<std::string> names;
      for (std::uint32_t left = in.list(); left > 0; --left)
        names.push_back(repaired_utf8(in.text()));
      if (!in.is_sound() || columns_) return nonsense();
      columns_ = names.size();
      return sink_.columns(names);
    }
    case SqlFrame::Rows:
      return take_rows(payload);
    case SqlFrame::Failed:
      return read_error(in);
    case SqlFrame::Done: {
      SqlDone done;
      done.has_more = in.number<std::uint8_t>() != 0;
      for (std::uint32_t left = in.list(); left > 0; --left) {
        done.notes.push_back(repaired_utf8(in.text()));
      }
      if (!in.is_sound() || !columns_) return nonsense();
      done_ = std::move(done);
      return {};
    }
  }
  return nonsense();
}

Result<void> SqlFrameReader::take_rows(std::string_view payload) {
  if (!columns_ || *columns_ == 0) return nonsense();
  Input in(payload);
  std::vector<std::optional<rdf::TermView>> cells(*columns_);
  while (!in.is_at_end()) {
    for (auto& cell : cells) cell = read_cell(in);
    if (!in.is_sound()) return nonsense();
    HELVE_TRY(sink_.row(cells));
    ++rows_;
  }
  return {};
}

}  // namespace helve::toolkit
