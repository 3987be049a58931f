#include "surfaces/cli/duration.h"
#include "surfaces/cli/endpoint_command.h"

namespace helve::cli {

namespace {

void add_time(CLI::App& command, const std::string& name, std::optional<Duration>& time,
              const std::string& help) {
  command.add_option_function<std::string>(
      name,
      [&time, name](const std::string& text) {
        const auto read = parse_duration(text);
        if (!read) throw CLI::ValidationError(name, read.error().message);
        time = *read;
      },
      help);
}

void add_add(CLI::App& endpoint, EndpointAddOptions& options, Command& chosen) {
  CLI::App* const command = endpoint.add_subcommand("add", "Give an endpoint a name");
  command->footer(
      "\nSecrets are named, never written: env:NAME or file:PATH.\n\n"
      "  helve endpoint add rhea https://sparql.rhea-db.org/sparql\n"
      "  helve endpoint add lab https://graph.lab.example/sparql --user me --password env:LAB\n"
      "  helve call --source rhea sparql_query query='SELECT ...'");
  opening::EndpointSettings& settings = options.settings;
  command->add_option("NAME", options.name, "Letters, digits, '-', '_' and '.'")->required();
  command->add_option("URL", options.url, "http://... or https://...")->required();
  command->add_option("--description", options.description, "What it holds, in a sentence");
  command->add_option("--user", settings.user, "Who asks, with --password");
  command->add_option("--password", settings.password, "env:NAME or file:PATH");
  command->add_option("--bearer", settings.bearer, "A token: env:NAME or file:PATH");
  command->add_option("--header", settings.header,
                      "A header that says who asks, such as X-API-Key");
  command->add_option("--header-value", settings.header_value, "env:NAME or file:PATH");
  command->add_option("--ca-file", settings.ca_file,
                      "Certificates to trust, instead of those of the machine");
  command->add_option("--proxy", settings.proxy,
                      "Instead of that of the environment; none: no proxy");
  command->add_option("--method", settings.method, "post or get; default: what it takes");
  command->add_option("--void", settings.void_place, "Address or file of its VoID description");
  command->add_flag("--allow-private", options.allows_private,
                    "Its name may lead to this machine or its network");
  add_time(*command, "--connect-timeout", settings.connect_timeout, "Time to connect, such as 5s");
  add_time(*command, "--first-byte-timeout", settings.first_byte_timeout,
           "Time for an answer to begin");
  add_time(*command, "--pause", settings.pause, "From one request to the next");
  command->add_option("--requests-at-once", settings.requests_at_once, "At most so many; default 4")
      ->check(CLI::Range(1, 64));
  command->add_option("--retries", settings.retries, "How often it is asked again; default 2")
      ->check(CLI::Range(0, 10));
  command->add_flag("--replace", options.replaces, "Take the place of one of that name");
  choose(*command, chosen, run_endpoint_add, options);
}

using RunEndpoint = Result<void> (*)(const EndpointOptions&, CommandContext&);

void add_named(CLI::App& endpoint, const std::string& name, const std::string& help,
               EndpointOptions& options, RunEndpoint run, Command& chosen) {
  CLI::App* const command = endpoint.add_subcommand(name, help);
  command->add_option("ENDPOINT", options.endpoint, "A name, or an address")->required();
  command->add_flag("--json", options.is_json, "Print JSON");
  choose(*command, chosen, run, options);
}

}  // namespace

void add_endpoint_command(CLI::App& app, EndpointArguments& arguments, Command& chosen) {
  CLI::App* const endpoint =
      app.add_subcommand("endpoint", "Name SPARQL endpoints, and see what was learnt of them");
  endpoint->footer(
      "\n  helve endpoint list\n"
      "  helve endpoint probe uniprot\n"
      "  helve call --source uniprot sparql_schema");
  endpoint->require_subcommand(1);
  add_add(*endpoint, arguments.add, chosen);
  CLI::App* const list = endpoint->add_subcommand("list", "Those that have names");
  list->add_flag("--json", arguments.list.is_json, "Print JSON");
  choose(*list, chosen, run_endpoint_list, arguments.list);
  add_named(*endpoint, "show", "What is known of one; asks nothing", arguments.show,
            run_endpoint_show, chosen);
  add_named(*endpoint, "refresh", "Ask again what it holds", arguments.refresh,
            run_endpoint_refresh, chosen);
  add_named(*endpoint, "probe", "Ask a few small questions: engine, speed, text search",
            arguments.probe, run_endpoint_probe, chosen);
  add_named(*endpoint, "remove", "Forget its name, and what was learnt of it", arguments.remove,
            run_endpoint_remove, chosen);
}

}  // namespace helve::cli
