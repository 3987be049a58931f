#include "surfaces/cli/agent/answer_json.h"

#include <utility>

namespace helve::cli {

namespace {

JsonValue error_object(const Error& error) {
  JsonValue::Object out;
  out.push_back({"code", JsonValue(error_code_name(error.code))});
  out.push_back({"message", JsonValue(error.full_message())});
  out.push_back({"hint", JsonValue(error.full_hint())});
  return JsonValue(std::move(out));
}

void add_lost(const LostRecords& lost, JsonValue::Object& members) {
  if (lost.trajectory) members.push_back({"trajectory_error", error_object(*lost.trajectory)});
  if (lost.record) members.push_back({"record_error", error_object(*lost.record)});
}

}  // namespace

JsonValue answer_json(const agent::AskResult& result, const LostRecords& lost, bool has_times) {
  JsonValue value = result.to_json();
  JsonValue::Object& members = *value.if_object();
  if (!has_times) std::erase_if(members, [](const JsonMember& one) { return one.key == "ms"; });
  add_lost(lost, members);
  return value;
}

JsonValue lost_json(const LostRecords& lost) {
  JsonValue::Object out;
  add_lost(lost, out);
  return JsonValue(std::move(out));
}

JsonValue error_json(const Error& error) {
  JsonValue::Object out;
  out.push_back({"error", error_object(error)});
  return JsonValue(std::move(out));
}

}  // namespace helve::cli
