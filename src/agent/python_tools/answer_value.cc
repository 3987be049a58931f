#include "agent/python_tools/answer_value.h"

#include <algorithm>
#include <utility>

#include "toolkit/tools/plain_value.h"

namespace helve::python_tools {

namespace {

using toolkit::ReplyList;
using toolkit::ReplyValue;

// Keys in the order they come; the first of a name stays.
class ObjectBuilder {
 public:
  void add(std::string_view key, JsonValue value) {
    if (!has(key)) object_.push_back({std::string(key), std::move(value)});
  }
  bool has(std::string_view key) const {
    return std::any_of(object_.begin(), object_.end(),
                       [key](const JsonMember& member) { return member.key == key; });
  }
  JsonValue finish() { return JsonValue(std::move(object_)); }

 private:
  JsonValue::Object object_;
};

JsonValue texts_value(const std::vector<std::string>& texts) {
  JsonValue::Array out;
  for (const std::string& text : texts) out.push_back(toolkit::plain_text(text));
  return JsonValue(std::move(out));
}

void add_page(const ReplyList& page, ObjectBuilder& out) {
  const std::uint64_t next = page.first_row + page.items.size();
  const bool has_more = next < page.total;
  out.add("returned", JsonValue(std::uint64_t{page.items.size()}));
  out.add("has_more", JsonValue(has_more));
  out.add("next_offset", has_more ? JsonValue(next) : JsonValue());
}

void add_lists(const toolkit::Reply& reply, ObjectBuilder& out) {
  JsonValue::Object left_out;
  for (const ReplyList& list : reply.lists) {
    if (list.is_page) add_page(list, out);
    if (!list.columns.empty()) out.add("columns", texts_value(list.columns));
    out.add(list.key, items_of(list));
    if (list.left_out > 0) left_out.push_back({list.key, JsonValue(list.left_out)});
  }
  if (!left_out.empty()) out.add("left_out", JsonValue(std::move(left_out)));
}

std::string source_of(const toolkit::Reply& reply, const toolkit::CallOutcome& outcome) {
  if (!reply.source.empty()) return reply.source;
  const bool is_of_handle = outcome.source == "session" && reply.handle;
  return is_of_handle && !reply.handle->source.empty() ? reply.handle->source : outcome.source;
}

}  // namespace

JsonValue items_of(const ReplyList& list) {
  JsonValue::Array out;
  out.reserve(list.items.size());
  for (const ReplyValue& item : list.items) {
    const auto* const cells = item.if_is<ReplyValue::List>();
    if (cells == nullptr || list.columns.empty()) {
      out.push_back(toolkit::plain_value(item));
      continue;
    }
    JsonValue::Object row;
    row.reserve(cells->size());
    for (std::size_t i = 0; i < std::min(cells->size(), list.columns.size()); ++i) {
      row.push_back({list.columns[i], toolkit::plain_value((*cells)[i])});
    }
    out.emplace_back(std::move(row));
  }
  return JsonValue(std::move(out));
}

JsonValue object_of(const toolkit::Reply& reply, const toolkit::CallOutcome& outcome) {
  ObjectBuilder out;
  for (const toolkit::Reply::Fact& fact : reply.facts)
    out.add(fact.key, toolkit::plain_value(fact.value));
  if (reply.handle) out.add("ref", toolkit::plain_text(to_string(*reply.handle)));
  add_lists(reply, out);
  for (const auto& text : reply.texts) out.add(text.key, toolkit::plain_text(text.text));
  if (!reply.usage.empty()) out.add("usage", texts_value(reply.usage));
  out.add("source", toolkit::plain_text(source_of(reply, outcome)));
  // Without its time: what code prints or keeps of a reply is the same in every run.
  out.add("warnings", texts_value(reply.warnings));
  return out.finish();
}

}  // namespace helve::python_tools
