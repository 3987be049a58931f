#include "surfaces/cli/policy_command.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "base/text.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/policy_verdict.h"
#include "surfaces/cli/tool_session.h"
#include "surfaces/cli/worker_program.h"
#include "surfaces/opening/open_tables.h"
#include "surfaces/opening/policies.h"
#include "surfaces/opening/source_uri.h"
#include "toolkit/policy/policy_text.h"

namespace helve::cli {

namespace {

using opening::Policies;
using toolkit::Policy;

// A part of the file, as it is told of.
struct Subject {
  std::string title;  // "caller ann"
  std::string kind;   // "caller", "source", "others"
  std::string name;
  std::vector<std::string> words;
  std::vector<std::string> warnings;
};

void add_keys(const JsonValue* table, std::set<std::string>& keys) {
  const auto* const members = table != nullptr ? table->if_object() : nullptr;
  if (members == nullptr) return;
  for (const JsonMember& member : *members) keys.insert(member.key);
}

std::vector<std::string> warnings_of(const Policy& policy, const JsonValue* common,
                                     const JsonValue* own) {
  std::set<std::string> written;
  add_keys(common, written);
  add_keys(own, written);
  const toolkit::Registry registry = toolkit::make_registry();
  return toolkit::lint_policy(policy, written, [&registry](const std::string& name) {
    const auto tool = registry.find(name);
    return tool && ((*tool)->is_writing || (*tool)->is_defining);
  });
}

Subject others_of(const Policies& policies) {
  Subject subject;
  subject.kind = "others";
  subject.title = policies.callers.empty() ? "every caller" : "all other callers";
  subject.words = toolkit::describe_policy(policies.of(""));
  if (policies.others != Policies::Others::Denied) {
    subject.warnings = warnings_of(policies.common, &policies.document.root, nullptr);
  } else if (policies.callers.empty()) {
    subject.warnings.emplace_back(
        "default is \"deny\" and no caller is named: nobody may do anything");
  }
  return subject;
}

std::vector<Subject> subjects_of(const Policies& policies) {
  const JsonValue& root = policies.document.root;
  const auto own_table = [&root](const char* kind, const std::string& name) {
    const JsonValue* const all = root.find(kind);
    return all != nullptr ? all->find(name) : nullptr;
  };
  std::vector<Subject> subjects;
  for (const auto& [name, policy] : policies.callers) {
    subjects.push_back({"caller " + escape_for_terminal(name), "caller", name,
                        toolkit::describe_policy(policy),
                        warnings_of(policy, &root, own_table("caller", name))});
  }
  subjects.push_back(others_of(policies));
  for (const auto& [name, policy] : policies.sources) {
    Subject subject{"calls on the source " + escape_for_terminal(name), "source", name,
                    toolkit::describe_restrictions(policy),
                    warnings_of(policy, nullptr, own_table("source", name))};
    if (policy.allowed_sources) {
      subject.warnings.emplace_back("allowed_sources has no effect in the rules of a source");
    }
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

std::string subjects_text(const std::vector<Subject>& subjects, const Terminal& terminal) {
  std::string out;
  for (const Subject& subject : subjects) {
    out += (out.empty() ? "" : "\n") + terminal.styled(Style::Accent, subject.title) + "\n";
    for (const std::string& word : subject.words) out += "  - " + word + "\n";
    for (const std::string& warning : subject.warnings) out += "  warning: " + warning + "\n";
  }
  return out;
}

std::string subjects_json(const std::string& file, const std::vector<Subject>& subjects) {
  return json_object([&](JsonWriter& json) {
    json.member("file", file);
    write_objects(json, "policies", subjects, [&json](const Subject& subject) {
      json.member("of", subject.kind);
      if (!subject.name.empty()) json.member("name", subject.name);
      write_texts(json, "words", subject.words);
      write_texts(json, "warnings", subject.warnings);
    });
  });
}

// For writing where the call would have it so: what it changes is looked at, and never run.
Result<std::shared_ptr<const TableSource>> open_database(const opening::NamedSource& source,
                                                         bool is_writable,
                                                         CommandContext& context) {
  opening::TablesInput input;
  input.is_writable = is_writable;
  input.name = source.name;
  input.uri = source.uri;
  input.worker_command = worker_program();
  input.read_variable = [](const char* name) { return std::getenv(name); };
  return opening::open_tables(input, context.env);
}

Result<TestedCall> read_call(const PolicyTestOptions& options, const Policies& policies,
                             const toolkit::Registry& registry, CommandContext& context) {
  TestedCall call;
  std::vector<std::string> words(options.words.begin() + 1, options.words.end());
  for (std::string& word : words) {
    if (word.starts_with(" [")) word.erase(0, 1);  // words_for_parser
  }
  HELVE_ASSIGN(call.tool, registry.find(options.words.front()));
  HELVE_ASSIGN(call.arguments, read_tool_arguments(words, call.tool, context));
  call.is_caller_given = !options.caller.empty();
  if (call.is_caller_given) call.caller = options.caller;
  std::vector<opening::NamedSource> sources;
  for (const std::string& text : options.sources) {
    sources.push_back(opening::read_source(text, context.env.files()));
    call.sources.push_back(sources.back().name);
  }
  HELVE_ASSIGN(const Policy policy, call.is_caller_given
                                        ? policies.of_named(call.caller)
                                        : Result<Policy>(policies.of(call.caller)));
  const std::string asked = source_of(call);
  for (const opening::NamedSource& source : sources) {
    if (source.name != asked || !opening::is_tables_uri(source.uri)) continue;
    const bool is_writable = call.tool->is_writing && policies.lets_write(policy, source.name);
    HELVE_ASSIGN(call.tables, open_database(source, is_writable, context));
  }
  return call;
}

std::string_view word_of(const PolicyVerdict& verdict) {
  if (!verdict.is_allowed) return "denied";
  if (verdict.open.empty()) return verdict.limits.empty() ? "allowed" : "allowed with limits";
  return verdict.limits.empty() ? "allowed so far" : "allowed so far, with limits";
}

std::string verdict_text(const PolicyVerdict& verdict) {
  std::string out(word_of(verdict));
  if (!verdict.reason.empty()) out += ": " + escape_for_terminal(verdict.reason);
  out += "\n";
  if (verdict.rule) {
    out += fmt::format("rule: {} ({})\n", verdict.rule->key, verdict.rule->place);
  }
  for (const std::string& limit : verdict.limits) out += "limit: " + limit + "\n";
  for (const std::string& open : verdict.open) {
    out += "left to the source: " + escape_for_terminal(open) + "\n";
  }
  if (!verdict.hint.empty()) out += "hint: " + escape_for_terminal(verdict.hint) + "\n";
  return out;
}

std::string verdict_json(const PolicyVerdict& verdict, const TestedCall& call) {
  return json_object([&](JsonWriter& json) {
    json.member("verdict", word_of(verdict));
    json.member("caller", call.caller);
    json.member("tool", call.tool->name);
    if (!verdict.reason.empty()) json.member("reason", verdict.reason);
    if (!verdict.hint.empty()) json.member("hint", verdict.hint);
    if (verdict.rule) {
      json.member("rule", verdict.rule->key);
      json.member("place", verdict.rule->place);
    }
    write_texts(json, "limits", verdict.limits);
    write_texts(json, "left_to_the_source", verdict.open);
  });
}

}  // namespace

Result<void> run_policy_check(const PolicyCheckOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const Policies policies, opening::read_policies(options.file, context.env));
  const std::vector<Subject> subjects = subjects_of(policies);
  return context.show(options.is_json ? subjects_json(options.file, subjects)
                                      : subjects_text(subjects, context.out_terminal));
}

Result<void> run_policy_test(const PolicyTestOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const Policies policies, opening::read_policies(options.file, context.env));
  const toolkit::Registry registry = toolkit::make_registry();
  HELVE_ASSIGN(const TestedCall call, read_call(options, policies, registry, context));
  HELVE_ASSIGN(const PolicyVerdict verdict, judge_call(policies, call, context.op));
  HELVE_TRY(context.show(options.is_json ? verdict_json(verdict, call) : verdict_text(verdict)));
  if (verdict.is_allowed) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::Denied, "the call would be denied"};
}

}  // namespace helve::cli
