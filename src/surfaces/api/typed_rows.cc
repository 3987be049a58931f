// slice and plain_slice of typed.h.
#include <limits>

#include "helve/typed.h"
#include "surfaces/api/answer_values.h"
#include "toolkit/tools/plain_value.h"

namespace helve::api {

namespace {

TypedCall slice_call(std::string_view handle, std::uint64_t offset, std::uint64_t limit,
                     const std::vector<std::string>& columns, const CallOptions& options) {
  TypedCall call;
  call.options = options;
  call.set_text("result", handle).set_number("offset", offset).set_number("limit", limit);
  if (!columns.empty()) {
    JsonValue::Array names;
    for (const std::string& column : columns) names.emplace_back(column);
    call.set("columns", JsonValue(std::move(names)));
  }
  return call;
}

// What the two kinds of pages have in common but their rows.
template <typename AnyPage>
void fill_page(const toolkit::Reply& reply, Answer answer, std::uint64_t rows, AnyPage& page) {
  static_cast<Answer&>(page) = std::move(answer);
  page.handle = text_of(find_fact(reply, "key"));
  page.offset = number_of(find_fact(reply, "offset"));
  page.rows_stored = number_of(find_fact(reply, "total_available"));
  const std::uint64_t next = page.offset + rows;
  if (next < page.rows_stored) page.next_offset = next;
}

// INF and NaN of XSD, which JSON has no numbers for.
std::optional<double> special_number(const ReplyValue& value) {
  const auto* const term = value.if_is<rdf::Term>();
  if (term == nullptr) return std::nullopt;
  constexpr std::string_view kDouble = "http://www.w3.org/2001/XMLSchema#double";
  constexpr std::string_view kFloat = "http://www.w3.org/2001/XMLSchema#float";
  if (term->datatype != kDouble && term->datatype != kFloat) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (term->value == "INF" || term->value == "+INF") return kInfinity;
  if (term->value == "-INF") return -kInfinity;
  if (term->value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

PlainCell plain_cell(const ReplyValue& value) {
  JsonValue plain = toolkit::plain_value(value);
  switch (plain.kind()) {
    case JsonKind::Null:
      return std::monostate();
    case JsonKind::Bool:
      return *plain.if_bool();
    case JsonKind::Double:
      return *plain.to_double();
    case JsonKind::String:
      if (const auto number = special_number(value)) return *number;
      return *plain.if_string();
    case JsonKind::Int:
      return *plain.to_int64();
    case JsonKind::UInt:
    case JsonKind::BigNumber:
      return WholeNumber{to_json(plain)};
    case JsonKind::Array:
    case JsonKind::Object:
      break;
  }
  return to_json(plain);
}

void add_cells(const ReplyList& list, PlainPage& page) {
  page.cells.reserve(list.items.size() * list.columns.size());
  for (const ReplyValue& item : list.items) {
    const auto* const cells = item.if_is<ReplyValue::List>();
    if (cells == nullptr) continue;
    for (std::size_t i = 0; i < list.columns.size(); ++i) {
      page.cells.push_back(i < cells->size() ? plain_cell((*cells)[i]) : PlainCell());
    }
    ++page.rows;
  }
}

}  // namespace

Result<Page> slice(const Tools& tools, std::string_view handle, std::uint64_t offset,
                   std::uint64_t limit, const std::vector<std::string>& columns,
                   const CallOptions& options) {
  TypedCall call = slice_call(handle, offset, limit, columns, options);
  const auto reply = call.run(tools, "sparql_slice");
  if (!reply) return reply.error();
  Page page;
  if (const ReplyList* rows = find_list(*reply, "rows")) {
    page.columns = rows->columns;
    page.rows = rows_of(*rows);
  }
  fill_page(*reply, std::move(call.answer), page.rows.size(), page);
  return page;
}

Result<PlainPage> plain_slice(const Tools& tools, std::string_view handle, std::uint64_t offset,
                              std::uint64_t limit, const std::vector<std::string>& columns,
                              const CallOptions& options) {
  TypedCall call = slice_call(handle, offset, limit, columns, options);
  // The text of the reply is for nobody: the shortest costs least.
  call.set_number("max_chars", toolkit::kCharsMin);
  const auto reply = call.run(tools, "sparql_slice");
  if (!reply) return reply.error();
  PlainPage page;
  if (const ReplyList* rows = find_list(*reply, "rows")) {
    page.columns = rows->columns;
    add_cells(*rows, page);
  }
  fill_page(*reply, std::move(call.answer), page.rows, page);
  return page;
}

}  // namespace helve::api
