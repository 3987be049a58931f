#include "surfaces/cli/agent/reflect_json.h"

#include "surfaces/cli/json_output.h"
#include "toolkit/memory/item_json.h"

namespace helve::cli {

namespace {

std::string_view name_of_state(agent::DraftState state) {
  switch (state) {
    case agent::DraftState::Added:
      return "added";
    case agent::DraftState::Exists:
      return "exists";
    case agent::DraftState::Changed:
      return "changed";
    case agent::DraftState::Released:
      return "released";
  }
  return "added";
}

void write_rerun(JsonWriter& json, std::string_view name, const agent::Rerun& rerun) {
  json.key(name);
  json.begin_object();
  json.member("stop_reason", name_of(rerun.run.stop));
  if (rerun.judgment) {
    json.member("verdict", learning::name_of(rerun.judgment->judgment.verdict));
  }
  json.member("had_item", rerun.had_item);
  json.member("steps", rerun.run.iterations);
  json.member("tool_calls", rerun.run.tool_calls);
  json.member("input_tokens", rerun.run.usage.input_tokens);
  json.member("output_tokens", rerun.run.usage.output_tokens);
  json.member("answer", rerun.run.content);
  json.member("query", rerun.run.query);
  json.end_object();
}

}  // namespace

std::string reflect_json(const ReflectReport& report) {
  return json_object([&](JsonWriter& json) {
    json.member("id", report.stored.id);
    json.member("state", name_of_state(report.stored.state));
    json.member("is_quarantined", report.stored.is_quarantined);
    write_numbers(json, "changes", report.stored.changes);
    json.key("item");
    write_item(report.item, memory::ItemForm::Full, json);
    write_objects(json, "similar", report.similar, [&](const agent::SimilarItem& one) {
      json.member("id", one.item.id);
      json.member("title", one.item.title);
      json.member("title_similarity", one.similarity.title);
      json.member("content_similarity", one.similarity.content);
      json.member("is_near_duplicate", one.is_near_duplicate);
    });
    if (!report.reruns) return;
    write_rerun(json, "without_item", report.reruns->first);
    write_rerun(json, "with_item", report.reruns->second);
  });
}

}  // namespace helve::cli
