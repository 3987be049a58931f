#include "surfaces/cli/source_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "base/near_names.h"
#include "base/text.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/worker_program.h"
#include "surfaces/mcp/config/mcp_config.h"
#include "surfaces/opening/open_tables.h"
#include "surfaces/opening/policies.h"
#include "surfaces/opening/source_uri.h"
#include "toolkit/policy/restricted_tables.h"

namespace helve::cli {

namespace {

const char* source_variable(const char* name) { return std::getenv(name); }

struct Opened {
  std::shared_ptr<const TableSource> source;
  toolkit::Policy policy = toolkit::unrestricted_policy();  // what every caller is bound by
  bool lets_write = false;                                  // to some caller
  bool lets_define = false;
};

// One connection serves all callers: its rights have to back the rules of each of them.
class BoundCallers {
 public:
  BoundCallers(std::string source, std::shared_ptr<const toolkit::Policy> of_source, Opened& opened)
      : source_(std::move(source)), of_source_(std::move(of_source)), opened_(opened) {
    if (of_source_ != nullptr) opened_.policy = toolkit::intersect(opened_.policy, *of_source_);
  }

  // Who may not see the source asks nothing of it.
  void add(const toolkit::Policy& policy) {
    if (!toolkit::allows_source(policy, source_)) return;
    opened_.policy = toolkit::intersect(opened_.policy, policy);
    if (!opening::lets_write(policy, of_source_.get(), source_)) return;
    opened_.lets_write = true;
    if (policy.allow_ddl && (of_source_ == nullptr || of_source_->allow_ddl)) {
      opened_.lets_define = true;
    }
  }

 private:
  std::string source_;
  std::shared_ptr<const toolkit::Policy> of_source_;
  Opened& opened_;
};

Error no_caller(const SourceOptions& options, const std::vector<std::string_view>& names) {
  const auto near = near_names(options.caller, names);
  return {ErrorCode::InvalidInput,
          fmt::format("{} has no caller named {}", options.config_file,
                      escape_for_terminal(options.caller)),
          near.empty() ? (names.empty() ? std::string("it names none")
                                        : fmt::format("it names {}", fmt::join(names, ", ")))
                       : fmt::format("did you mean {}?", near.front())};
}

Result<void> bind_by_config(const mcp::McpConfig& config, const mcp::SourceConfig& source,
                            const SourceOptions& options, Opened& opened) {
  BoundCallers bound(source.name, source.policy, opened);
  if (config.callers.empty() && options.caller.empty()) bound.add(*config.policy);
  std::vector<std::string_view> names;
  bool is_there = options.caller.empty() || !options.policy_file.empty();
  for (const mcp::CallerConfig& caller : config.callers) {
    names.emplace_back(caller.name);
    if (!options.caller.empty() && caller.name != options.caller) continue;
    is_there = true;
    bound.add(*caller.policy);
  }
  if (!is_there) return no_caller(options, names);
  return {};
}

Result<void> bind_by_policy(const SourceOptions& options, const std::string& source,
                            CommandContext& context, Opened& opened) {
  HELVE_ASSIGN(const opening::Policies policies,
               opening::read_policies(options.policy_file, context.env));
  BoundCallers bound(source, policies.of_source(source), opened);
  if (!options.caller.empty()) {
    HELVE_ASSIGN(const toolkit::Policy policy, policies.of_named(options.caller));
    bound.add(policy);
    return {};
  }
  for (const auto& [name, policy] : policies.callers) bound.add(policy);
  if (policies.others != opening::Policies::Others::Denied) bound.add(policies.common);
  return {};
}

Result<opening::TablesInput> find_in_config(const SourceOptions& options, Env& env,
                                            Opened& opened) {
  mcp::McpArguments arguments;
  arguments.config_file = options.config_file;
  HELVE_ASSIGN(const mcp::McpConfig config, mcp::make_mcp_config(arguments, env, source_variable));
  std::vector<std::string_view> names;
  for (const mcp::SourceConfig& source : config.sources) {
    if (source.name == options.source) {
      HELVE_TRY(bind_by_config(config, source, options, opened));
      opening::TablesInput input;
      input.name = source.name;
      input.uri = source.place;
      input.folder = source.folder;
      return input;
    }
    names.emplace_back(source.name);
  }
  const auto near = near_names(options.source, names);
  return Error{ErrorCode::NotFound,
               fmt::format("{} has no source named {}", options.config_file, options.source),
               near.empty() ? fmt::format("it has: {}", fmt::join(names, ", "))
                            : fmt::format("did you mean {}?", near.front())};
}

Result<Opened> open_described(const SourceOptions& options, CommandContext& context) {
  if (!options.caller.empty() && options.config_file.empty() && options.policy_file.empty()) {
    return Error{ErrorCode::InvalidInput, "--caller needs the file that names the caller",
                 "add --policy FILE or --config FILE"};
  }
  Opened opened;
  opening::TablesInput input;
  if (options.config_file.empty()) {
    opening::NamedSource named = opening::read_source(options.source, context.env.files());
    input.name = std::move(named.name);
    input.uri = std::move(named.uri);
  } else {
    HELVE_ASSIGN(input, find_in_config(options, context.env, opened));
  }
  if (!opening::is_tables_uri(input.uri)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is no SQL database", escape_for_terminal(input.name)),
                 "write sqlite:PATH, postgresql://USER@HOST/DATABASE or mysql://..., or "
                 "--config FILE and a name of it; files of graphs are never written to"};
  }
  if (!options.policy_file.empty()) {
    HELVE_TRY(bind_by_policy(options, input.name, context, opened));
  }
  input.worker_command = worker_program();
  input.read_variable = source_variable;
  input.is_writable = opened.lets_write;
  HELVE_ASSIGN(opened.source, opening::open_tables(input, context.env));
  return opened;
}

// Whether changes that the policy allows need the right, by the words that adapters have for it.
// What is not known here is not needed.
bool is_needed(const std::string& right, const Opened& opened) {
  const auto begins = [&right](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return right.starts_with(word); });
  };
  if (!opened.lets_write) return false;
  const bool is_of_tables = right.find("truncate") != std::string::npos ||
                            right.find("add triggers to") != std::string::npos;
  if (begins({"may insert", "may update", "may delete", "may change", "may step the sequence",
              "the process may write to the file", "the process may make and remove files"})) {
    return !is_of_tables || opened.lets_define;
  }
  return opened.lets_define &&
         begins({"may truncate", "may add triggers", "may create tables", "may create schemas",
                 "may create on", "may create view on", "may alter on", "may drop on",
                 "may index on", "may references on"});
}

std::vector<std::string> too_much(const SourceRights& rights, const Opened& opened) {
  std::vector<std::string> beyond = rights.beyond_reading;
  std::erase_if(beyond, [&](const std::string& right) { return is_needed(right, opened); });
  return beyond;
}

// How the rules for tables stand to the database.
struct PolicyFindings {
  PolicyRights rights;
  std::vector<toolkit::UnmetName> unknown;

  bool is_backed() const {
    return rights.beyond_count == 0 &&
           std::none_of(unknown.begin(), unknown.end(),
                        [](const toolkit::UnmetName& name) { return name.is_open; });
  }
};

struct Findings {
  SourceRights rights;
  std::shared_ptr<const Catalogue> catalogue;
  std::optional<PolicyFindings> policy;  // nothing: there are no rules for tables
};

Result<Findings> find_out(const Opened& opened, const OpContext& op) {
  Findings found;
  HELVE_ASSIGN(found.catalogue, opened.source->catalogue(op));
  HELVE_ASSIGN(found.rights, opened.source->rights(op));
  const TableRules rules = toolkit::table_rules(opened.policy);
  if (!rules.is_any()) return found;
  PolicyFindings& policy = found.policy.emplace();
  HELVE_ASSIGN(policy.rights, opened.source->policy_rights(rules, op));
  policy.unknown = toolkit::unknown_names(rules, *found.catalogue);
  // Where rights hold the rules, what is denied is rightly not seen.
  const bool is_whole = opened.source->dialect() == SqlDialect::Sqlite;
  for (toolkit::UnmetName& name : policy.unknown) name.is_open = name.is_open && is_whole;
  return found;
}

std::string words_of(const toolkit::UnmetName& name, SqlDialect dialect) {
  std::string text = fmt::format("{} has {}, which the connection does not see", name.key,
                                 escape_for_terminal(name.name));
  text +=
      name.near.empty() ? "." : fmt::format(": did you mean {}?", escape_for_terminal(name.near));
  if (name.is_open) text += " Calls are refused until that is mended";
  if (dialect != SqlDialect::Sqlite && name.key != "allowed_tables") {
    text += " Right where its right to read was taken away";
  }
  return text;
}

void write_policy(const PolicyFindings& policy, SqlDialect dialect, JsonWriter& json) {
  json.key("policy");
  json.begin_object();
  json.member("is_backed", policy.is_backed());
  write_texts(json, "beyond", policy.rights.beyond);
  json.member("beyond_count", policy.rights.beyond_count);
  std::vector<std::string> unknown;
  for (const toolkit::UnmetName& name : policy.unknown) {
    unknown.push_back(words_of(name, dialect));
  }
  write_texts(json, "unknown", unknown);
  write_texts(json, "notes", policy.rights.notes);
  json.member("script", policy.rights.script);
  json.end_object();
}

std::string policy_text(const PolicyFindings& policy, SqlDialect dialect) {
  std::string out;
  if (policy.rights.beyond_count == 0) {
    out += dialect == SqlDialect::Sqlite ? "the policy is held by helve\n"
                                         : "its rights back the policy\n";
  } else {
    out += fmt::format("the policy denies what it could read ({} in all), so calls are refused\n",
                       policy.rights.beyond_count);
  }
  for (const std::string& one : policy.rights.beyond) {
    out += "  - " + escape_for_terminal(one) + "\n";
  }
  for (const toolkit::UnmetName& name : policy.unknown) {
    out += (name.is_open ? "warning: " : "note: ") + words_of(name, dialect) + "\n";
  }
  for (const std::string& note : policy.rights.notes) {
    out += "note: " + escape_for_terminal(note) + "\n";
  }
  if (policy.rights.beyond_count > 0 && !policy.rights.script.empty()) {
    out += "the script for its owner:\n\n" + policy.rights.script;
  }
  return out;
}

std::string writing_text(const SourceRights& rights, const Opened& opened) {
  const std::vector<std::string> beyond = too_much(rights, opened);
  std::string out = opened.lets_define ? "the policy lets its rows and tables be changed"
                                       : "the policy lets its rows be changed";
  if (beyond.size() == rights.beyond_reading.size()) {
    out += ", and it has no right to that";
  }
  out += "\n";
  if (!beyond.empty()) out += "too much for that\n";
  for (const std::string& right : beyond) out += "  - " + escape_for_terminal(right) + "\n";
  return out;
}

std::string rights_json(const Opened& opened, const Findings& found) {
  const TableSource& source = *opened.source;
  const SourceRights& rights = found.rights;
  return json_object([&](JsonWriter& json) {
    json.member("source", source.info().name);
    json.member("uri", source.info().uri);
    json.member("engine", source.info().engine);
    json.member("user", rights.user);
    json.member("tables", static_cast<std::uint64_t>(found.catalogue->tables.size()));
    json.member("can_only_read", rights.is_least);
    write_texts(json, "beyond_reading", rights.beyond_reading);
    json.member("policy_lets_write", opened.lets_write);
    write_texts(json, "too_much", too_much(rights, opened));
    write_texts(json, "notes", rights.notes);
    if (found.policy) write_policy(*found.policy, source.dialect(), json);
  });
}

std::string rights_text(const Opened& opened, const Findings& found, const Terminal& terminal) {
  const TableSource& source = *opened.source;
  const SourceRights& rights = found.rights;
  std::string out = terminal.styled(Style::Accent, escape_for_terminal(source.info().uri)) +
                    terminal.styled(Style::Dim, "  " + escape_for_terminal(source.info().engine)) +
                    "\n";
  if (!rights.user.empty()) {
    out += fmt::format("connected as {}, ", escape_for_terminal(rights.user));
  }
  out += count_of(found.catalogue->tables.size(), "table") + " to be read\n";
  if (rights.is_least) out += "it can do nothing but read\n";
  if (!rights.beyond_reading.empty()) out += "beyond reading it\n";
  for (const std::string& right : rights.beyond_reading) {
    out += "  - " + escape_for_terminal(right) + "\n";
  }
  if (opened.lets_write) out += writing_text(rights, opened);
  for (const std::string& note : rights.notes) out += "note: " + escape_for_terminal(note) + "\n";
  if (found.policy) out += policy_text(*found.policy, source.dialect());
  return out;
}

}  // namespace

Result<void> run_source_check(const SourceOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const Opened opened, open_described(options, context));
  const TableSource& source = *opened.source;
  HELVE_ASSIGN(const Findings found, find_out(opened, context.op));
  HELVE_TRY(context.show(options.is_json ? rights_json(opened, found)
                                         : rights_text(opened, found, context.out_terminal)));
  if (found.policy && !found.policy->is_backed()) {
    return Error{
        ErrorCode::Denied,
        found.policy->rights.beyond_count > 0
            ? fmt::format("the rights of {} do not back its policy", source.info().name)
            : fmt::format("the policy of {} has names that protect nothing", source.info().name),
        found.policy->rights.beyond_count > 0 ? "run the script above as the owner of the database"
                                              : "mend the names, or take them out"};
  }
  if (too_much(found.rights, opened).empty()) return {};
  if (opened.lets_write) {
    return Error{ErrorCode::Denied,
                 fmt::format("the connection of {} could do more than its policy lets anybody do",
                             source.info().name),
                 "helve refuses everything else, but a user that has no other rights is the safer "
                 "boundary: take away what is too much"};
  }
  return Error{ErrorCode::Denied,
               fmt::format("the connection of {} could do more than read", source.info().name),
               "helve refuses everything else, but a user that can only read is the safer "
               "boundary: helve source setup prints how to make one"};
}

Result<void> run_source_setup(const SourceOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const Opened opened, open_described(options, context));
  const TableRules rules = toolkit::table_rules(opened.policy);
  if (!rules.is_any()) return context.show(opened.source->setup_script());
  HELVE_ASSIGN(const PolicyRights rights, opened.source->policy_rights(rules, context.op));
  return context.show(rights.script.empty() ? opened.source->setup_script() : rights.script);
}

}  // namespace helve::cli
