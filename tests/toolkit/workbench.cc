#include "tests/toolkit/workbench.h"

#include "base/check.h"
#include "sources/store/live/local_factory.h"
#include "tests/toolkit/sql_worker_role.h"

namespace helve::proofs {

namespace {

toolkit::ToolkitOptions options(bool marks_data) {
  toolkit::ToolkitOptions options;
  options.marks_data = marks_data;
  options.has_lasting_sessions = false;  // calls of a test do not depend on those before
  options.worker_program = {"/proc/self/exe", kSqlWorkerRole};
  return options;
}

}  // namespace

std::string text_at(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
}

JsonValue object_of(std::vector<std::pair<std::string, JsonValue>> members) {
  JsonValue::Object object;
  object.reserve(members.size());
  for (auto& member : members) {
    object.push_back({std::move(member.first), std::move(member.second)});
  }
  return JsonValue(std::move(object));
}

const JsonValue* Answer::find(std::string_view key) const {
  if (const JsonValue* value = json.find(key)) return value;
  const JsonValue* error = json.find("error");
  return error != nullptr ? error->find(key) : nullptr;
}

std::string Answer::text(std::string_view key) const {
  const JsonValue* value = find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
}

Workbench::Workbench(bool marks_data, std::shared_ptr<memory::MemoryBank> bank)
    : factory_(store::make_local_factory(real_env())) {
  toolkit::ToolkitOptions chosen = options(marks_data);
  chosen.bank = std::move(bank);
  chosen.has_memory_writes = true;
  auto made = toolkit::Toolkit::make(std::move(chosen), real_env(), factory_);
  HELVE_CHECK(made.has_value());
  toolkit_ = *std::move(made);
  toolkit::Policy policy;
  policy.allowed_paths.reset();
  set_policy(std::move(policy));
}

toolkit::HandleStore& Workbench::handles() {
  auto handles = toolkit_->handles(caller_, {});
  HELVE_CHECK(handles.has_value());
  return **handles;
}

void Workbench::add(std::shared_ptr<const GraphSource> source) {
  HELVE_CHECK(toolkit_->add_source(std::move(source)).has_value());
}

void Workbench::add(std::shared_ptr<const TableSource> source) {
  HELVE_CHECK(toolkit_->add_source(std::move(source)).has_value());
}

Answer Workbench::call(std::string_view tool, const JsonValue& arguments) {
  OpContext op;
  if (deadline_.count() > 0) op.deadline = Deadline(real_env().clock(), deadline_);
  toolkit::CallOutcome outcome = toolkit_->call(tool, arguments, caller_, op);
  Answer answer{std::move(outcome.reply), {}, outcome.ms};
  if (auto json = parse_json(answer.reply.json)) answer.json = *std::move(json);
  return answer;
}

Answer Workbench::call(std::string_view tool, std::string_view json) {
  const auto arguments = parse_json(json);
  HELVE_CHECK(arguments.has_value());
  return call(tool, *arguments);
}

}  // namespace helve::proofs
