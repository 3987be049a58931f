#include "surfaces/cli/any_source.h"

#include <fmt/format.h>

#include <cstdlib>

#include "surfaces/cli/version.h"
#include "surfaces/cli/worker_program.h"
#include "surfaces/opening/open_endpoint.h"
#include "surfaces/opening/open_tables.h"

namespace helve::cli {

namespace {

const char* read_environment(const char* name) { return std::getenv(name); }

// An address, or the name of one; called what the caller calls it.
Result<std::optional<opening::NamedEndpoint>> find_endpoint(const opening::NamedSource& source,
                                                            Env& env) {
  if (opening::is_endpoint_uri(source.uri)) {
    return std::optional(opening::NamedEndpoint{source.name, source.uri, "", {}, {}});
  }
  HELVE_ASSIGN(auto found, opening::endpoint_named(source.uri, env, read_environment));
  if (found) found->name = source.name;
  return found;
}

}  // namespace

void AnySource::finish(const OpContext& op) const {
  if (opened) opened->finish(opened->data->failure().has_value(), op);
}

Result<AnySource> open_any_source(const opening::NamedSource& source, const AnySourceChoice& choice,
                                  CommandContext& context) {
  AnySource any;
  if (opening::is_tables_uri(source.uri)) {
    opening::TablesInput input;
    input.name = source.name;
    input.uri = source.uri;
    input.worker_command = worker_program();
    input.read_variable = read_environment;
    input.is_writable = choice.is_writable;
    HELVE_ASSIGN(any.tables, opening::open_tables(input, context.env));
    return any;
  }
  HELVE_ASSIGN(const auto endpoint, find_endpoint(source, context.env));
  if (endpoint) {
    const auto input =
        opening::input_of(*endpoint, fmt::format("helve {}", kVersion), read_environment);
    HELVE_ASSIGN(auto opened, opening::open_endpoint(input, context.env));
    any.graph = std::move(opened.graph);
    return any;
  }
  HELVE_ASSIGN(const std::string place, opening::place_of(source.uri));
  SourceInfo info;
  info.name = source.name;
  info.uri = source.uri;
  info.engine = fmt::format("helve {}", kVersion);
  HELVE_ASSIGN(auto opened, opening::open_source(place, std::move(info), choice.uses_cache,
                                                 open_tools(context)));
  any.graph = std::move(opened.source);
  any.opened = std::move(opened.graph);
  return any;
}

}  // namespace helve::cli
