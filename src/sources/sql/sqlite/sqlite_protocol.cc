#include "sources/sql/sqlite/sqlite_protocol.h"

#include <algorithm>
#include <cstring>

#include "base/utf8_repair.h"

namespace helve::sql {

namespace {

constexpr std::uint64_t kNoTime = UINT64_MAX;
constexpr std::uint32_t kColumnsMax = 32'767;
constexpr std::uint32_t kParametersMax = 32'766;
constexpr std::uint32_t kRuleNamesMax = 100'000;
constexpr std::uint32_t kNotesMax = 10'000;

void put_names(FrameOutput& out, const std::vector<std::string>& names) {
  out.number(static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) out.text(name);
}

std::vector<std::string> take_names(FrameInput& in) {
  std::vector<std::string> names;
  for (std::uint32_t left = in.list(kRuleNamesMax); left > 0 && in.is_sound(); --left) {
    names.emplace_back(in.text());
  }
  return names;
}

}  // namespace

std::optional<SqliteFrameHead> read_frame_head(std::string_view bytes) {
  if (bytes.size() < SqliteFrameHead::kBytes) return std::nullopt;
  SqliteFrameHead head{static_cast<SqliteFrame>(bytes[0]), 0};
  std::memcpy(&head.size, bytes.data() + 1, sizeof head.size);
  return head;
}

std::string_view FrameInput::bytes(std::size_t size) {
  if (!is_sound_ || static_cast<std::size_t>(end_ - at_) < size) {
    is_sound_ = false;
    return {};
  }
  const std::string_view found(at_, size);
  at_ += size;
  return found;
}

std::uint32_t FrameInput::list(std::uint32_t count_max) {
  const auto count = number<std::uint32_t>();
  if (count > count_max) is_sound_ = false;
  return is_sound_ ? count : 0;
}

sqlite::Value FrameInput::value() {
  switch (number<ValueTag>()) {
    case ValueTag::Null:
      return std::monostate();
    case ValueTag::Integer:
      return number<std::int64_t>();
    case ValueTag::Real:
      return number<double>();
    case ValueTag::Text:
      return text();
    case ValueTag::Blob:
      return sqlite::Blob{text()};
  }
  is_sound_ = false;
  return std::monostate();
}

void FrameOutput::begin(SqliteFrame kind) {
  frame_ = out_.size();
  number(kind);
  number(std::uint32_t{0});
}

void FrameOutput::end() {
  const auto size = static_cast<std::uint32_t>(out_.size() - *frame_ - SqliteFrameHead::kBytes);
  std::memcpy(out_.data() + *frame_ + 1, &size, sizeof size);
  frame_.reset();
}

void FrameOutput::text(std::string_view text) {
  number(static_cast<std::uint32_t>(text.size()));
  out_.append(text);
}

void FrameOutput::value(const sqlite::Value& value) {
  out_.push_back(static_cast<char>(value.index()));
  switch (static_cast<ValueTag>(value.index())) {
    case ValueTag::Null:
      break;
    case ValueTag::Integer:
      number(*std::get_if<std::int64_t>(&value));
      break;
    case ValueTag::Real:
      number(*std::get_if<double>(&value));
      break;
    case ValueTag::Text:
      text(*std::get_if<std::string_view>(&value));
      break;
    case ValueTag::Blob:
      text(std::get_if<sqlite::Blob>(&value)->bytes);
      break;
  }
}

void FrameOutput::row(std::span<const sqlite::Value> values, std::size_t bytes) {
  const std::size_t begin = out_.size();
  // A tag for each, the size of a text is less than what it counts for.
  out_.resize(begin + bytes + values.size());
  char* at = out_.data() + begin;
  const auto put = [&at](const void* data, std::size_t size) {
    std::memcpy(at, data, size);
    at += size;
  };
  const auto put_text = [&](std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    put(&size, sizeof size);
    if (size > 0) put(text.data(), size);
  };
  for (const sqlite::Value& value : values) {
    *at++ = static_cast<char>(value.index());
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      put(number, sizeof *number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      put_text(*text);
    } else if (const auto* real = std::get_if<double>(&value)) {
      put(real, sizeof *real);
    } else if (const auto* blob = std::get_if<sqlite::Blob>(&value)) {
      put_text(blob->bytes);
    }
  }
  out_.resize(static_cast<std::size_t>(at - out_.data()));
}

std::size_t size_of(const sqlite::Value& value) {
  constexpr std::size_t kNumber = sizeof(std::int64_t);
  if (const auto* text = std::get_if<std::string_view>(&value)) return kNumber + text->size();
  if (const auto* blob = std::get_if<sqlite::Blob>(&value)) {
    return kNumber + 2 * blob->bytes.size();  // two digits each
  }
  return std::holds_alternative<std::monostate>(value) ? 1 : kNumber;
}

void write_open(std::string& out, const SqliteOpen& open) {
  FrameOutput frame(out);
  frame.begin(SqliteFrame::Open);
  frame.text(open.path);
  frame.number(static_cast<std::uint8_t>(open.is_immutable ? 1 : 0));
  frame.number(open.memory_bytes_max);
  frame.number(open.use);
  frame.end();
}

std::optional<SqliteOpen> read_open(std::string_view payload) {
  FrameInput in(payload);
  SqliteOpen open;
  open.path = in.text();
  open.is_immutable = in.number<std::uint8_t>() != 0;
  open.memory_bytes_max = in.number<std::uint64_t>();
  open.use = in.number<sqlite::FileUse>();
  in.check(open.use <= sqlite::FileUse::Write);
  in.check(open.path.find('\0') == std::string_view::npos);
  if (!in.is_sound() || !in.is_at_end()) return std::nullopt;
  return open;
}

void write_run(std::string& out, const SqliteRun& run) {
  FrameOutput frame(out);
  frame.begin(run.request);
  frame.number(run.time ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.time->count()))
                        : kNoTime);
  frame.number(run.rows_max);
  frame.number(run.bytes_max);
  frame.number(run.changes_max);
  frame.number(static_cast<std::uint8_t>(run.is_plan ? 1 : 0));
  frame.text(run.sql);
  frame.text(run.rules);
  frame.number(static_cast<std::uint32_t>(run.parameters.size()));
  for (const sqlite::Value& value : run.parameters) frame.value(value);
  frame.end();
}

std::optional<SqliteRun> read_run(std::string_view payload) {
  FrameInput in(payload);
  SqliteRun run;
  const auto time = in.number<std::uint64_t>();
  in.check(time == kNoTime || time <= INT64_MAX);
  if (time != kNoTime) run.time = Duration(static_cast<std::int64_t>(time));
  run.rows_max = in.number<std::uint64_t>();
  run.bytes_max = in.number<std::uint64_t>();
  run.changes_max = in.number<std::uint64_t>();
  run.is_plan = in.number<std::uint8_t>() != 0;
  run.sql = in.text();
  run.rules = in.text();
  for (std::uint32_t left = in.list(kParametersMax); left > 0 && in.is_sound(); --left) {
    run.parameters.push_back(in.value());
  }
  if (!in.is_sound() || !in.is_at_end()) return std::nullopt;
  return run;
}

void write_columns(std::string& out, const SqliteColumns& columns) {
  FrameOutput frame(out);
  frame.begin(SqliteFrame::Columns);
  frame.number(static_cast<std::uint32_t>(columns.names.size()));
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    frame.text(columns.names[i]);
    frame.text(columns.types[i]);
  }
  frame.end();
}

std::optional<SqliteColumns> read_columns(std::string_view payload) {
  FrameInput in(payload);
  SqliteColumns columns;
  for (std::uint32_t left = in.list(kColumnsMax); left > 0 && in.is_sound(); --left) {
    columns.names.push_back(repaired_utf8(in.text()));
    columns.types.push_back(repaired_utf8(in.text()));
  }
  if (!in.is_sound() || !in.is_at_end() || columns.names.empty()) return std::nullopt;
  return columns;
}

void write_failed(std::string& out, const Error& error) {
  FrameOutput frame(out);
  frame.begin(SqliteFrame::Failed);
  frame.number(static_cast<std::uint8_t>(error.code));
  frame.number(static_cast<std::uint8_t>(error.reason));
  frame.text(error.message);
  frame.text(error.hint);
  frame.text(error.detail);
  frame.number(error.position ? error.position->line : std::uint64_t{0});
  frame.number(error.position ? error.position->column : std::uint64_t{0});
  frame.end();
}

std::optional<Error> read_failed(std::string_view payload) {
  FrameInput in(payload);
  const auto code = in.number<std::uint8_t>();
  const auto reason = in.number<std::uint8_t>();
  std::string message = repaired_utf8(in.text());
  std::string hint = repaired_utf8(in.text());
  std::string detail = repaired_utf8(in.text());
  const auto line = in.number<std::uint64_t>();
  const auto column = in.number<std::uint64_t>();
  in.check(code >= static_cast<std::uint8_t>(ErrorCode::Internal) &&
           code <= static_cast<std::uint8_t>(ErrorCode::Cancelled) &&
           reason <= static_cast<std::uint8_t>(ErrorReason::DeniedByPolicy));
  if (!in.is_sound() || !in.is_at_end()) return std::nullopt;
  Error error(static_cast<ErrorCode>(code), std::move(message), std::move(hint));
  error.reason = static_cast<ErrorReason>(reason);
  error.detail = std::move(detail);
  if (line > 0) error.at("sql", {line, column});
  return error;
}

void write_done(std::string& out, bool has_more) {
  FrameOutput frame(out);
  frame.begin(SqliteFrame::Done);
  frame.number(static_cast<std::uint8_t>(has_more ? 1 : 0));
  frame.end();
}

std::optional<bool> read_done(std::string_view payload) {
  FrameInput in(payload);
  const auto has_more = in.number<std::uint8_t>();
  in.check(has_more <= 1);
  if (!in.is_sound() || !in.is_at_end()) return std::nullopt;
  return has_more == 1;
}

void write_changed(std::string& out, const SqliteChanged& changed) {
  FrameOutput frame(out);
  frame.begin(SqliteFrame::Changed);
  frame.number(changed.kind);
  frame.number(static_cast<std::uint8_t>(changed.has_more ? 1 : 0));
  frame.text(changed.table);
  frame.number(static_cast<std::uint8_t>(changed.affected ? 1 : 0));
  frame.number(changed.affected.value_or(0));
  frame.number(changed.besides);
  frame.number(static_cast<std::uint8_t>(changed.is_too_much ? 1 : 0));
  const auto notes =
      std::span(changed.notes).first(std::min<std::size_t>(changed.notes.size(), kNotesMax));
  frame.number(static_cast<std::uint32_t>(notes.size()));
  for (const std::string& note : notes) frame.text(note);
  frame.end();
}

std::optional<SqliteChanged> read_changed(std::string_view payload) {
  FrameInput in(payload);
  SqliteChanged changed;
  changed.kind = in.number<WriteKind>();
  in.check(changed.kind <= WriteKind::Definition);
  changed.has_more = in.number<std::uint8_t>() != 0;
  changed.table = repaired_utf8(in.text());
  const bool is_counted = in.number<std::uint8_t>() != 0;
  const auto affected = in.number<std::uint64_t>();
  if (is_counted) changed.affected = affected;
  changed.besides = in.number<std::uint64_t>();
  changed.is_too_much = in.number<std::uint8_t>() != 0;
  for (std::uint32_t left = in.list(kNotesMax); left > 0 && in.is_sound(); --left) {
    changed.notes.push_back(repaired_utf8(in.text()));
  }
  if (!in.is_sound() || !in.is_at_end()) return std::nullopt;
  return changed;
}

void write_over(std::string& out) {
  FrameOutput frame(out);
  frame.begin(SqliteFrame::Over);
  frame.end();
}

std::string encode_rules(const TableRules& rules) {
  std::string bytes;
  FrameOutput out(bytes);
  out.number(static_cast<std::uint8_t>(rules.allowed_tables ? 1 : 0));
  put_names(out, rules.allowed_tables.value_or(std::vector<std::string>()));
  put_names(out, rules.denied_tables);
  put_names(out, rules.denied_columns);
  out.number(static_cast<std::uint8_t>(rules.allowed_columns ? 1 : 0));
  put_names(out, rules.allowed_columns.value_or(std::vector<std::string>()));
  return bytes;
}

std::optional<TableRules> decode_rules(std::string_view bytes) {
  FrameInput in(bytes);
  TableRules rules;
  const bool has_allowed = in.number<std::uint8_t>() != 0;
  std::vector<std::string> allowed = take_names(in);
  if (has_allowed) rules.allowed_tables = std::move(allowed);
  rules.denied_tables = take_names(in);
  rules.denied_columns = take_names(in);
  const bool has_columns = in.number<std::uint8_t>() != 0;
  std::vector<std::string> columns = take_names(in);
  if (has_columns) rules.allowed_columns = std::move(columns);
  if (!in.is_sound() || !in.is_at_end()) return std::nullopt;
  return rules;
}

}  // namespace helve::sql
