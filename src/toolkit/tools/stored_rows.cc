#include "toolkit/tools/stored_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/secret_shapes.h"
#include "base/text.h"
#include "toolkit/tools/handle_view.h"

namespace helve::toolkit {

namespace {

// Of so many different terms at most, and so much of each: what the first pages show.
constexpr std::uint32_t kTermsLookedAt = 1'000;
constexpr std::size_t kBytesLookedAt = 1'000;

bool shows_secret(const RowTable& rows) {
  const std::uint32_t most = std::min(rows.terms(), kTermsLookedAt);
  for (std::uint32_t number = 1; number <= most; ++number) {
    if (find_secret(rows.term(number).value.substr(0, kBytesLookedAt))) return true;
  }
  return false;
}

// The first columns whose names and first values fit into half a reply, and a quarter of a short
// one, which has other lines too; empty: all of them do.
std::vector<std::size_t> shown_columns(const RowTable& rows, std::size_t max_chars) {
  constexpr std::size_t kBetween = 3;
  constexpr std::size_t kValueMax = 40;  // of a long one a beginning is shown
  constexpr std::size_t kShortReply = 800;
  const std::size_t room = max_chars > kShortReply ? max_chars / 2 : max_chars / 4;
  std::vector<std::size_t> columns;
  std::size_t chars = 0;
  for (std::size_t i = 0; i < rows.columns().size(); ++i) {
    const auto cell = rows.rows() > 0 ? rows.cell(0, i) : std::nullopt;
    const std::size_t value = cell ? std::min(cell->value.size(), kValueMax) : 1;
    chars += rows.columns()[i].size() + value + 2 * kBetween;
    if (chars > room && i > 0) return columns;
    columns.push_back(i);
  }
  return {};
}

}  // namespace

std::size_t preview_chars(const ToolCall& call) {
  return call.arguments.was_given("limit") ? 0 : call.max_chars * 2 / 5;
}

void show_stored_rows(const Handle& handle, std::uint64_t limit, const ToolCall& call,
                      Reply& reply) {
  const std::uint64_t rows = handle.rows->rows();
  const auto& total = handle.origin.total_available;
  const bool is_all = total == rows && handle.origin.total_is == "exact";
  reply.say(rows == 0 ? "no rows"
                      : fmt::format("{} row{}, {} column{}", format_count(rows),
                                    rows == 1 ? "" : "s", handle.rows->columns().size(),
                                    handle.rows->columns().size() == 1 ? "" : "s"));
  reply.ref(handle.ref);
  reply.set_quietly("rows", rows);
  reply.set_quietly("columns",
                    ReplyValue::List(handle.rows->columns().begin(), handle.rows->columns().end()));
  const auto set = [&](const char* key, ReplyValue value) {
    is_all ? reply.set_quietly(key, std::move(value)) : reply.set(key, std::move(value));
  };
  set("total_available", total ? ReplyValue(*total) : ReplyValue());
  set("total_is", total ? ReplyValue(handle.origin.total_is)
                        : ReplyValue("unknown: counting did not end in time"));
  reply.set_quietly("truncated", !is_all || rows > limit);
  reply.set_quietly("limit_applied", limit);
  const std::vector<std::size_t> columns = shown_columns(*handle.rows, call.max_chars);
  if (!handle.rows->columns().empty()) {
    ReplyList preview = rows_of(handle, 0, limit, columns, "preview");
    preview.chars_if_cut = preview_chars(call);
    reply.list(std::move(preview));
  }
  if (!columns.empty()) {
    reply.warn(
        fmt::format("{} of {} columns are shown; sparql_slice result={} columns=[...] shows "
                    "others",
                    columns.size(), handle.rows->columns().size(), handle.ref.key));
  }
  if (!handle.ref.complete) reply.warn("not complete: " + handle.origin.incomplete);
  if (shows_secret(*handle.rows)) {
    reply.warn("some values look like keys or tokens: do not repeat them");
  }
  if (rows > 0) {
    reply.next(fmt::format("sparql_slice result={}", handle.ref.key));
    reply.next(fmt::format("result_sql sql=\"SELECT ... FROM {}\"", handle.ref.key));
  }
}

}  // namespace helve::toolkit
