// Arguments, help texts and dispatch. Beside the *_arguments.cc, the only file that knows CLI11.
#include "surfaces/cli/cli.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>

#include "base/executor.h"
#include "base/log.h"
#include "base/spill_space.h"
#include "base/stdio.h"
#include "base/text.h"
#include "surfaces/cli/audit_arguments.h"
#include "surfaces/cli/cache_settings.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/duration.h"
#include "surfaces/cli/endpoint_command.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/knowledge_command.h"
#include "surfaces/cli/mcp_arguments.h"
#include "surfaces/cli/memory_command.h"
#include "surfaces/cli/serve_arguments.h"
#include "surfaces/cli/signals.h"
#include "surfaces/cli/size.h"
#include "surfaces/cli/store_arguments.h"
#include "surfaces/cli/tool_arguments.h"
#include "surfaces/cli/update_command.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

constexpr const char* kDescription =
    "Bounded, safe, fast access to knowledge graphs and databases.\n\n"
    "Data goes to standard output, everything else to standard error.\n";

constexpr const char* kFooter =
    "\nExit status: 0 done, 1 internal error, 2 invalid input, 3 not found, 4 denied,\n"
    "5 a limit was exceeded, 6 unavailable, 7 cancelled.\n"
    "'helve COMMAND --help' tells more about a command.";

struct GlobalOptions {
  std::string color = "auto";
  std::string log_level = "warn";
  bool is_log_json = false;
  bool is_quiet = false;
  std::size_t threads = 0;
  std::string memory;
  std::string temp;
  std::string temp_max;
  std::string timeout;
};

// Everything the arguments can say, and which command they chose.
struct Arguments {
  GlobalOptions global;
  InfoOptions info;
  FindOptions find;
  ConvertOptions convert;
  QueryOptions query;
  StoreArguments store;
  KnowledgeArguments knowledge;
  ExplainOptions explain;
  QueryOptions shell;
  ToolArguments tools;
  McpOptions mcp;
  ServeCommandOptions serve;
  UpdateCommandOptions update;
  EndpointArguments endpoint;
  MemoryArguments memory;
  AuditArguments audit;
  InputOptions bench_load;
  BenchQueryOptions bench_query;
  BenchFindOptions bench_find;
  std::string from;
  std::string to;
  Command command;
};

void add_global_options(CLI::App& app, GlobalOptions& options) {
  app.add_option("--color", options.color, "Colours: auto, always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_flag("-q,--quiet", options.is_quiet, "No notes and no progress on standard error");
  app.add_option("--threads", options.threads, "Threads to work on; 0: one for each core")
      ->check(CLI::Range(0, 1'024))
      ->capture_default_str();
  app.add_option("--memory", options.memory,
                 "Most memory to use, e.g. 512M or 4G; default: 90 % of the machine's");
  app.add_option("--temp", options.temp,
                 "Folder for what queries hold beyond their memory; default: TMPDIR, or /tmp");
  app.add_option("--max-temp", options.temp_max,
                 "Most room for that on disk, e.g. 100G; 0: none; default: 16G");
  app.add_option("--timeout", options.timeout,
                 "Give up after this time, e.g. 30s, 500ms or 2min; 0: never");
  app.add_option("--log-level", options.log_level, "error, warn, info or debug")
      ->check(CLI::IsMember({"error", "warn", "info", "debug"}))
      ->capture_default_str();
  app.add_flag("--log-json", options.is_log_json, "Log as JSON lines");
}

void add_info(CLI::App& app, Arguments& arguments) {
  CLI::App* const command = app.add_subcommand(
      "info", "Show what is in RDF files: sizes, classes, properties, namespaces");
  command->footer(
      "\nFormats are told by content; .gz, .zst and .bz2 are unpacked; '-' is standard input.\n"
      "Several files are read side by side as one graph; an index folder is opened as it is.\n\n"
      "  helve info ontology.ttl\n"
      "  helve info data.nt.gz more.ttl --top 20\n"
      "  curl -s https://example.org/data.ttl | helve info - --json");
  command
      ->add_option("FILE", arguments.info.input.paths,
                   "Files to read, or an index folder; '-' for standard input")
      ->required();
  command->add_flag("--json", arguments.info.is_json, "Print JSON");
  command->add_option("--top", arguments.info.top, "Rows of each list")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
  add_input_options(*command, arguments.info.input, arguments.from);
  add_cache_switch(*command, arguments.info.input);
  choose(*command, arguments.command, run_info, arguments.info);
}

void add_convert(CLI::App& app, Arguments& arguments) {
  CLI::App* const command = app.add_subcommand("convert", "Write an RDF file in another format");
  command->footer(
      "\nThe output format is --to, or told by the name after -o; .gz, .zst and .bz2 are packed.\n"
      "Turtle and TriG come sorted, with nested blank nodes, so that they can be compared.\n\n"
      "  helve convert data.rdf -o data.ttl\n"
      "  helve convert data.ttl --to ntriples | sort | head\n"
      "  helve convert dump.nq.gz -o dump.trig.zst --stream");
  command
      ->add_option_function<std::string>(
          "IN", [&arguments](const std::string& path) { arguments.convert.input.paths = {path}; },
          "File to read, or an index folder; '-' for standard input")
      ->required();
  command
      ->add_option("-o,--output", arguments.convert.output,
                   "File to write; '-' for standard output")
      ->capture_default_str();
  command->add_option("--to", arguments.to, fmt::format("Format of the output: {}", kFormats));
  command->add_flag("--stream", arguments.convert.is_streaming,
                    "Write statements as they come, in constant memory");
  add_input_options(*command, arguments.convert.input, arguments.from);
  choose(*command, arguments.command, run_convert, arguments.convert);
}

class FindFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] SOURCE... WORDS\n", name);
  }
};

void add_find(CLI::App& app, Arguments& arguments) {
  FindOptions& find = arguments.find;
  CLI::App* const command =
      app.add_subcommand("find", "Find classes, properties and things by words of their names");
  command->formatter(std::make_shared<FindFormatter>());
  command->footer(
      "\nLooks into labels, synonyms and local names, in any language and without regard to case\n"
      "and accents; beginnings of words and misspelt ones match too. WORDS may be an IRI or a\n"
      "prefixed name. Arguments behind the first that are no files are words.\n\n"
      "  helve find data.ttl full professor\n"
      "  helve find data.helve --kind class 'protein'\n"
      "  helve find data.nt.gz 'univeristy of zurich' --json");
  command->add_option("SOURCE", find.words,
                      "Files to read, or an index folder; and last the words");
  command->add_option("--kind", find.kind, "class, property, instance or any")
      ->check(CLI::IsMember({"any", "class", "property", "instance"}))
      ->capture_default_str();
  command->add_option("--limit", find.limit, "Names to show at most")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000}))
      ->capture_default_str();
  command->add_flag("--exact", find.is_exact, "No misspelt words");
  command->add_flag("--json", find.is_json, "Print JSON");
  add_input_options(*command, find.input, arguments.from);
  add_cache_switch(*command, find.input);
  choose(*command, arguments.command, run_find, find);
}

class QueryFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return fmt::format(
        "Usage: {0} [OPTIONS] SOURCE... QUERY\n       {0} [OPTIONS] SOURCE... -f FILE\n", name);
  }
};

// What query, explain and shell share: where the data come from, and how queries are read.
void add_dataset_options(CLI::App& command, QueryOptions& query, std::string& from) {
  add_data_options(command, query, from);
  command.add_option("--base", query.base_iri, "Base IRI for relative IRIs of the query");
  command.add_option("--sparql", query.version, "Version of the language: 1.1 or 1.2")
      ->check(CLI::IsMember({"1.1", "1.2"}))
      ->capture_default_str();
  command
      .add_option("--without-pass", query.passes_off,
                  "Switch a pass of the optimizer off (helve explain --passes lists them); can be "
                  "given several times, or several with commas between them")
      ->delimiter(',')
      ->allow_extra_args(false);
}

// What query and explain share.
void add_question_options(CLI::App& command, QueryOptions& query, std::string& from) {
  command.formatter(std::make_shared<QueryFormatter>());
  command.add_option("SOURCE", query.words,
                     "Files to read, or an index folder; and last the query, unless -f gives it");
  command.add_option("-f,--file", query.query_file, "File with the query; '-' for standard input");
  add_dataset_options(command, query, from);
}

void add_limit(CLI::App& command, QueryOptions& query, const char* help) {
  command.add_option("--limit", query.limit, help)
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000'000}));
}

void add_query_options(CLI::App& command, QueryOptions& query) {
  command.add_option("--format", query.format,
                     "Rows: table, json, xml, csv, tsv; graphs: turtle, ntriples, nquads, trig, "
                     "rdfxml; default: table or turtle");
  add_limit(command, query, "Rows to write at most");
  command.add_flag("--parse-only", query.is_parse_only,
                   "Only check the query, and print it in its canonical form");
  command.add_flag("--algebra", query.shows_algebra, "Only check the query, and print its algebra");
}

void add_query(CLI::App& app, Arguments& arguments) {
  CLI::App* const command = app.add_subcommand("query", "Ask RDF files a SPARQL query");
  command->footer(
      "\nFiles are read side by side as one dataset; an index folder (helve load) stands alone.\n"
      "'-' as QUERY reads it from standard input.\n"
      "The query may take 60 s; --timeout changes that, for loading and for the query each.\n"
      "Prefixes that the query does not declare are those of the data, or well-known ones.\n\n"
      "  helve query data.ttl 'SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 10'\n"
      "  helve query a.ttl b.nt.gz -f query.rq --format csv\n"
      "  helve query data.trig --union 'ASK { ?s a foaf:Person }'\n"
      "  helve query --parse-only 'SELECT * { ?s ?p ?o }'");
  add_question_options(*command, arguments.query, arguments.from);
  add_query_options(*command, arguments.query);
  choose(*command, arguments.command, run_query, arguments.query);
}

void add_explain(CLI::App& app, Arguments& arguments) {
  ExplainOptions& explain = arguments.explain;
  CLI::App* const command = app.add_subcommand("explain", "Show how a SPARQL query is run");
  command->footer(
      "\nShows the steps of the plan, each above those it takes its rows from, with the rows that\n"
      "are expected. --analyze runs the query to its end, drops the answer and adds what came.\n\n"
      "  helve explain data.ttl 'SELECT * { ?s a foaf:Person ; foaf:name ?name }'\n"
      "  helve explain --analyze --format json data.nt -f query.rq\n"
      "  helve explain --without-pass order-joins data.nt -f query.rq\n"
      "  helve explain --passes");
  add_question_options(*command, explain.query, arguments.from);
  command->add_flag("--analyze", explain.is_measured,
                    "Run the query and show rows, time and memory of each step");
  command->add_option("--format", explain.query.format, "text or json; default: text")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--passes", explain.lists_passes, "Only list the passes of the optimizer");
  choose(*command, arguments.command, run_explain, arguments.explain);
}

void add_shell(CLI::App& app, Arguments& arguments) {
  QueryOptions& shell = arguments.shell;
  CLI::App* const command = app.add_subcommand("shell", "Ask RDF files queries at a prompt");
  command->footer(
      "\nA query runs when it is whole; .help lists the commands. Without a terminal, queries and\n"
      "commands are read from standard input; the exit status is that of the first failure.\n\n"
      "  helve shell data.ttl\n"
      "  helve shell data.helve --union\n"
      "  helve shell data.ttl <queries.rq");
  command->add_option("SOURCE", shell.words, "Files to read, or an index folder");
  add_dataset_options(*command, shell, arguments.from);
  add_limit(*command, shell, "Rows to show at most; 0: all; default: 50");
  choose(*command, arguments.command, run_shell, arguments.shell);
}

void add_others(CLI::App& app, Arguments& arguments) {
  app.add_subcommand("demo", "A short tour on a bundled sample")->callback([&arguments] {
    arguments.command = run_demo;
  });
  // How result_sql starts its worker: speaks over standard input and output.
  app.add_subcommand("sql-worker", "")->group("")->callback([&arguments] {
    arguments.command = run_sql_worker;
  });
  // For bench/; not part of the interface that is kept stable.
  CLI::App* const bench = app.add_subcommand("bench-load", "")->group("");
  bench->add_option("FILE", arguments.bench_load.paths)->required();
  choose(*bench, arguments.command, run_bench_load, arguments.bench_load);
  CLI::App* const bench_find = app.add_subcommand("bench-find", "")->group("");
  bench_find->add_option("DATA", arguments.bench_find.data)->required();
  bench_find->add_option("ROUNDS", arguments.bench_find.rounds)
      ->required()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  bench_find->add_option("WORDS", arguments.bench_find.texts)->required();
  choose(*bench_find, arguments.command, run_bench_find, arguments.bench_find);
  CLI::App* const bench_query = app.add_subcommand("bench-query", "")->group("");
  bench_query->add_option("DATA", arguments.bench_query.data)->required();
  bench_query->add_option("ROUNDS", arguments.bench_query.rounds)->required();
  bench_query->add_option("QUERY", arguments.bench_query.queries)->required();
  choose(*bench_query, arguments.command, run_bench_query, arguments.bench_query);
}

Result<void> finish_arguments(Arguments& arguments) {
  if (!arguments.from.empty()) {
    HELVE_ASSIGN(const rdf::Format format, rdf::parse_format(arguments.from));
    arguments.info.input.format = arguments.convert.input.format = format;
    arguments.find.input.format = arguments.serve.query.input.format = format;
    arguments.query.input.format = arguments.explain.query.input.format = format;
    arguments.store.load.input.format = arguments.shell.input.format = format;
  }
  if (!arguments.to.empty()) {
    HELVE_ASSIGN(arguments.convert.to, rdf::parse_format(arguments.to));
  }
  return {};
}

ColorChoice color_choice(const std::string& name) {
  if (name == "always") return ColorChoice::Always;
  return name == "never" ? ColorChoice::Never : ColorChoice::Auto;
}

void set_up_log(const GlobalOptions& options) {
  for (const LogLevel level : {LogLevel::Error, LogLevel::Warn, LogLevel::Info, LogLevel::Debug}) {
    if (log_level_name(level) == options.log_level) set_log_level(level);
  }
  if (options.is_log_json) set_log_format(LogFormat::Json);
}

Result<void> set_timeout(const GlobalOptions& options, CommandContext& context) {
  if (options.timeout.empty()) return {};
  HELVE_ASSIGN(context.timeout, parse_duration(options.timeout));
  if (*context.timeout > Duration::zero()) {
    context.op.deadline = Deadline(context.env.clock(), *context.timeout);
  }
  return {};
}

Result<std::filesystem::path> temp_folder(const GlobalOptions& options, Files& files) {
  if (options.temp.empty()) {
    const char* const named = std::getenv("TMPDIR");
    return named != nullptr && *named != '\0' ? std::filesystem::path(named) : "/tmp";
  }
  HELVE_ASSIGN(const FileStatus status, files.status(options.temp));
  if (status.kind == FileKind::Directory) return std::filesystem::path(options.temp);
  return Error{ErrorCode::InvalidInput, fmt::format("--temp '{}' is no folder", options.temp),
               "name a folder that can be written to"};
}

Result<std::uint64_t> temp_bytes_max(const GlobalOptions& options) {
  if (options.temp_max.empty()) return Limits().spill_bytes_max;
  if (options.temp_max == "0") return 0;
  HELVE_ASSIGN(const std::size_t bytes, parse_size(options.temp_max));
  return bytes;
}

// What is left to tell of a command that failed.
struct FailureReport {
  ShownText shown;
  bool is_done = false;
};

Result<void> run_command(Arguments& arguments, FailureReport& report) {
  const GlobalOptions& global = arguments.global;
  set_up_log(global);
  HELVE_TRY(finish_arguments(arguments));
  std::size_t memory_bytes = process_memory().bytes_max();
  if (!global.memory.empty()) {
    HELVE_ASSIGN(memory_bytes, parse_size(global.memory));
  }
  MemoryBudget memory("command", memory_bytes, &process_memory());
  HELVE_ASSIGN(const std::uint64_t temp_max, temp_bytes_max(global));
  HELVE_ASSIGN(const std::filesystem::path temp, temp_folder(global, real_env().files()));
  SpillSpace spill(real_env().files(), temp, temp_max);
  const std::size_t threads = global.threads != 0 ? global.threads : usable_cores();
  // The calling thread takes part in the work.
  std::optional<Executor> executor;
  if (threads > 1) executor.emplace(threads - 1);
  const auto out = stdout_sink();
  const ColorChoice color = color_choice(global.color);
  CommandContext context{real_env(),
                         {},
                         *out,
                         Terminal::of(STDOUT_FILENO, color),
                         Terminal::of(STDERR_FILENO, color),
                         global.is_quiet,
                         {},
                         {},
                         find_cache_options([](const char* name) { return std::getenv(name); })};
  context.op.memory = &memory;
  if (temp_max > 0) context.op.spill = &spill;
  context.temp = global.temp;
  context.op.executor = executor ? &*executor : nullptr;
  HELVE_TRY(set_timeout(global, context));
  cancel_on_signals(context.op.cancel);
  auto done = arguments.command(context);
  report = {std::move(context.shown), context.is_failure_reported};
  return done;
}

int refuse_arguments(const CLI::App& app, const CLI::ParseError& error) {
  const auto commands = app.get_subcommands();
  const auto rest = app.remaining();
  std::string message = error.what();
  if (commands.empty() && !rest.empty() && !rest.front().starts_with('-')) {
    message = fmt::format("there is no command '{}'", rest.front());
  }
  report_usage_error(message, commands.empty() ? "" : commands.front()->get_name());
  return static_cast<int>(ErrorCode::InvalidInput);
}

}  // namespace

int run(int argc, const char* const* argv, const Extras& extras) {
  CLI::App app(kDescription, "helve");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("helve ") + kVersion);
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(0, 1);
  app.fallthrough();
  Arguments arguments;
  add_global_options(app, arguments.global);
  add_info(app, arguments);
  add_find(app, arguments);
  add_convert(app, arguments);
  add_query(app, arguments);
  add_explain(app, arguments);
  add_shell(app, arguments);
  add_tool_commands(app, arguments.tools, arguments.command);
  add_mcp_command(app, arguments.mcp, arguments.command);
  add_serve_command(app, arguments.serve, arguments.from, arguments.command);
  add_update_command(app, arguments.update, arguments.command);
  add_endpoint_command(app, arguments.endpoint, arguments.command);
  add_knowledge_commands(app, arguments.knowledge, arguments.command);
  add_memory_command(app, arguments.memory, arguments.command);
  add_audit_command(app, arguments.audit, arguments.command);
  add_store_commands(app, arguments.store, arguments.from, arguments.command);
  arguments.mcp.extra_offer = extras.mcp_offer;
  if (extras.commands) extras.commands(app, arguments.command);
  add_others(app, arguments);
  try {
    app.parse(words_for_parser(argc, argv));
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return refuse_arguments(app, error);
  }
  if (!arguments.command) {
    fmt::print(stderr, "{}", app.help());
    return static_cast<int>(ErrorCode::InvalidInput);
  }
  FailureReport report;
  const auto done = run_command(arguments, report);
  // A reader that has seen enough, as in `helve ... | head`, is no failure.
  if (done || done.error().reason == ErrorReason::OutputClosed) return 0;
  if (!report.is_done) {
    report_error(done.error(), Terminal::of(STDERR_FILENO, color_choice(arguments.global.color)),
                 report.shown);
  }
  return static_cast<int>(done.error().code);
}

}  // namespace helve::cli
