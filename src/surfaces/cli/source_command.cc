#include "surfaces/cli/source_command.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "base/near_names.h"
#include "base/text.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/worker_program.h"
#include "surfaces/mcp/config/mcp_config.h"
#include "surfaces/opening/open_tables.h"
#include "surfaces/opening/source_uri.h"

namespace helve::cli {

namespace {

const char* read_variable(const char* name) { return std::getenv(name); }

Result<opening::TablesInput> find_in_config(const SourceOptions& options, Env& env) {
  mcp::McpArguments arguments;
  arguments.config_file = options.config_file;
  HELVE_ASSIGN(const mcp::McpConfig config, mcp::make_mcp_config(arguments, env, read_variable));
  std::vector<std::string_view> names;
  for (const mcp::SourceConfig& source : config.sources) {
    if (source.name == options.source) {
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

Result<std::shared_ptr<const TableSource>> open(const SourceOptions& options,
                                                CommandContext& context) {
  opening::TablesInput input;
  if (options.config_file.empty()) {
    opening::NamedSource named = opening::read_source(options.source, context.env.files());
    input.name = std::move(named.name);
    input.uri = std::move(named.uri);
  } else {
    HELVE_ASSIGN(input, find_in_config(options, context.env));
  }
  if (!sql::is_database_uri(input.uri)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is no SQL database", escape_for_terminal(input.name)),
                 "write sqlite:PATH, postgresql://USER@HOST/DATABASE or mysql://..., or "
                 "--config FILE and a name of it; files of graphs are never written to"};
  }
  input.worker_command = worker_program();
  input.read_variable = read_variable;
  return opening::open_tables(input, context.env);
}

std::string rights_json(const TableSource& source, const SourceRights& rights,
                        const Catalogue& catalogue) {
  return json_object([&](JsonWriter& json) {
    json.member("source", source.info().name);
    json.member("uri", source.info().uri);
    json.member("engine", source.info().engine);
    json.member("user", rights.user);
    json.member("tables", static_cast<std::uint64_t>(catalogue.tables.size()));
    json.member("can_only_read", rights.is_least);
    write_texts(json, "beyond_reading", rights.beyond_reading);
    write_texts(json, "notes", rights.notes);
  });
}

std::string rights_text(const TableSource& source, const SourceRights& rights,
                        const Catalogue& catalogue, const Terminal& terminal) {
  std::string out = terminal.styled(Style::Accent, escape_for_terminal(source.info().uri)) +
                    terminal.styled(Style::Dim, "  " + escape_for_terminal(source.info().engine)) +
                    "\n";
  if (!rights.user.empty()) {
    out += fmt::format("connected as {}, ", escape_for_terminal(rights.user));
  }
  out += count_of(catalogue.tables.size(), "table") + " to be read\n";
  if (rights.is_least) out += "it can do nothing but read\n";
  if (!rights.beyond_reading.empty()) out += "beyond reading it\n";
  for (const std::string& right : rights.beyond_reading) {
    out += "  - " + escape_for_terminal(right) + "\n";
  }
  for (const std::string& note : rights.notes) out += "note: " + escape_for_terminal(note) + "\n";
  return out;
}

}  // namespace

Result<void> run_source_check(const SourceOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto source, open(options, context));
  HELVE_ASSIGN(const auto catalogue, source->catalogue(context.op));
  HELVE_ASSIGN(const SourceRights rights, source->rights(context.op));
  HELVE_TRY(context.show(options.is_json
                             ? rights_json(*source, rights, *catalogue)
                             : rights_text(*source, rights, *catalogue, context.out_terminal)));
  if (rights.beyond_reading.empty()) return {};
  return Error{ErrorCode::Denied,
               fmt::format("the connection of {} could do more than read", source->info().name),
               "helve refuses everything else, but a user that can only read is the safer "
               "boundary: helve source setup prints how to make one"};
}

Result<void> run_source_setup(const SourceOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto source, open(options, context));
  return context.show(source->setup_script());
}

}  // namespace helve::cli
