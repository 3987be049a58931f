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

const char* read_variable(const char* name) { return std::getenv(name); }

struct Opened {
  std::shared_ptr<const TableSource> source;
  toolkit::Policy policy = toolkit::unrestricted_policy();  // what every caller is bound by
};

// One connection serves all callers: its rights have to back the rules of each of them.
toolkit::Policy policy_of(const mcp::McpConfig& config, const mcp::SourceConfig& source) {
  toolkit::Policy all = toolkit::unrestricted_policy();
  const auto add = [&](const std::shared_ptr<const toolkit::Policy>& policy) {
    if (policy != nullptr) all = toolkit::stricter(all, *policy);
  };
  add(source.policy);
  if (config.callers.empty()) add(config.policy);
  for (const mcp::CallerConfig& caller : config.callers) {
    if (toolkit::allows_source(*caller.policy, source.name)) add(caller.policy);
  }
  return all;
}

Result<opening::TablesInput> find_in_config(const SourceOptions& options, Env& env,
                                            toolkit::Policy& policy) {
  mcp::McpArguments arguments;
  arguments.config_file = options.config_file;
  HELVE_ASSIGN(const mcp::McpConfig config, mcp::make_mcp_config(arguments, env, read_variable));
  std::vector<std::string_view> names;
  for (const mcp::SourceConfig& source : config.sources) {
    if (source.name == options.source) {
      policy = policy_of(config, source);
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

Result<Opened> open(const SourceOptions& options, CommandContext& context) {
  Opened opened;
  opening::TablesInput input;
  if (options.config_file.empty()) {
    opening::NamedSource named = opening::read_source(options.source, context.env.files());
    input.name = std::move(named.name);
    input.uri = std::move(named.uri);
  } else {
    HELVE_ASSIGN(input, find_in_config(options, context.env, opened.policy));
  }
  if (!sql::is_database_uri(input.uri)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is no SQL database", escape_for_terminal(input.name)),
                 "write sqlite:PATH, postgresql://USER@HOST/DATABASE or mysql://..., or "
                 "--config FILE and a name of it; files of graphs are never written to"};
  }
  input.worker_command = worker_program();
  input.read_variable = read_variable;
  HELVE_ASSIGN(opened.source, opening::open_tables(input, context.env));
  if (!options.policy_file.empty()) {
    // What is for everybody; callers may have more or less.
    HELVE_ASSIGN(const opening::Policies policies,
                 opening::read_policies(options.policy_file, context.env));
    opened.policy = toolkit::stricter(opened.policy, policies.common);
    if (const auto also = policies.of_source(input.name)) {
      opened.policy = toolkit::stricter(opened.policy, *also);
    }
  }
  return opened;
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

std::string rights_json(const TableSource& source, const Findings& found) {
  const SourceRights& rights = found.rights;
  return json_object([&](JsonWriter& json) {
    json.member("source", source.info().name);
    json.member("uri", source.info().uri);
    json.member("engine", source.info().engine);
    json.member("user", rights.user);
    json.member("tables", static_cast<std::uint64_t>(found.catalogue->tables.size()));
    json.member("can_only_read", rights.is_least);
    write_texts(json, "beyond_reading", rights.beyond_reading);
    write_texts(json, "notes", rights.notes);
    if (found.policy) write_policy(*found.policy, source.dialect(), json);
  });
}

std::string rights_text(const TableSource& source, const Findings& found,
                        const Terminal& terminal) {
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
  for (const std::string& note : rights.notes) out += "note: " + escape_for_terminal(note) + "\n";
  if (found.policy) out += policy_text(*found.policy, source.dialect());
  return out;
}

}  // namespace

Result<void> run_source_check(const SourceOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const Opened opened, open(options, context));
  const TableSource& source = *opened.source;
  HELVE_ASSIGN(const Findings found, find_out(opened, context.op));
  HELVE_TRY(context.show(options.is_json ? rights_json(source, found)
                                         : rights_text(source, found, context.out_terminal)));
  if (found.policy && !found.policy->is_backed()) {
    return Error{
        ErrorCode::Denied,
        found.policy->rights.beyond_count > 0
            ? fmt::format("the rights of {} do not back its policy", source.info().name)
            : fmt::format("the policy of {} has names that protect nothing", source.info().name),
        found.policy->rights.beyond_count > 0 ? "run the script above as the owner of the database"
                                              : "mend the names, or take them out"};
  }
  if (found.rights.beyond_reading.empty()) return {};
  return Error{ErrorCode::Denied,
               fmt::format("the connection of {} could do more than read", source.info().name),
               "helve refuses everything else, but a user that can only read is the safer "
               "boundary: helve source setup prints how to make one"};
}

Result<void> run_source_setup(const SourceOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const Opened opened, open(options, context));
  const TableRules rules = toolkit::table_rules(opened.policy);
  if (!rules.is_any()) return context.show(opened.source->setup_script());
  HELVE_ASSIGN(const PolicyRights rights, opened.source->policy_rights(rules, context.op));
  return context.show(rights.script.empty() ? opened.source->setup_script() : rights.script);
}

}  // namespace helve::cli
