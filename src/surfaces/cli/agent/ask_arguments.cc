#include "surfaces/cli/agent/ask_arguments.h"

#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

void add_sub_model_options(CLI::App& command, llm::ProviderWords& words) {
  command.add_option("--sub-model", words.model,
                     "Of rlm, the model that its code asks; default: the same");
  command.add_option("--sub-provider", words.provider,
                     "Its provider, where that is another; or all in one: chat:MODEL@URL");
  command.add_option("--sub-url", words.url, "Base address of its server, where that is another");
  command.add_option("--sub-key", words.key, "Key of its server: env:NAME or file:PATH");
}

void add_ask(CLI::App& app, AskOptions& options, Command& chosen) {
  CLI::App* const command = app.add_subcommand(
      "ask", "Ask a model that works with the tools, and shows what it rests on");
  command->footer(
      "\nThe model comes from --provider and --model, or from HELVE_PROVIDER, HELVE_MODEL,\n"
      "HELVE_MODEL_URL and HELVE_MODEL_KEY, or from OPENAI_API_KEY or ANTHROPIC_API_KEY.\n"
      "Results live in memory; --session DIR keeps them for helve call. On a terminal Ctrl-C "
      "holds\n"
      "the run before its next step, for a word to the model; a second one ends it.\n"
      "Exit status: 0 answered, 2 what was given makes no sense, 3 no model is configured, 4 its\n"
      "server refused the key, 5 a limit ended it, or the model did not hand its answer in (what\n"
      "there is of one is shown), 6 it failed, 7 it was cancelled.\n\n"
      "  helve ask 'Which planets have rings?' --source sample: --provider chat \\\n"
      "      --url http://127.0.0.1:11434/v1 --model qwen3\n"
      "  helve ask 'Sales by month' --source sqlite:shop.db --provider chat:MODEL@URL --loop rlm\n"
      "  helve ask 'Which planets have rings?' --source sample: --script answers.jsonl --json");
  command->add_option("QUESTION", options.question, "The question; '-' for standard input")
      ->required();
  add_agent_options(*command, options.agent);
  command->add_flag("--json", options.is_json, "Print one JSON object");
  command->add_flag("--dry-run", options.is_dry_run,
                    "Show what the model would be sent first and how much that is, and ask nobody");
  choose(*command, chosen, run_ask, options);
}

void add_chat(CLI::App& app, ChatOptions& options, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("chat", "A conversation with a model that works with the tools");
  command->footer(
      "\nA line is a question; /help lists the commands, Ctrl-D leaves. Ctrl-C holds an answer\n"
      "before its next step, for a word to the model; a second one ends it.\n"
      "Without a terminal, lines are read from standard input; the exit status is that of the "
      "first\n"
      "failure.\n\n"
      "  helve chat --source sample: --provider chat:MODEL@URL");
  add_agent_options(*command, options.agent);
  command
      ->add_option(
          "--history", options.history_chars,
          "Characters of earlier turns that the model sees; oldest turns are dropped whole")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000}))
      ->capture_default_str();
  command->add_flag("--json", options.is_json, "Print a JSON object on a line for each answer");
  choose(*command, chosen, run_chat, options);
}

constexpr const char* kFileHelp = "The trajectory; FILE#N for its run N, '-' for standard input";

void add_diff(CLI::App& trajectory, TrajectoryOptions& options, Command& chosen) {
  CLI::App* const diff =
      trajectory.add_subcommand("diff", "Where two runs part, and what came of each");
  diff->footer(
      "\nCalls, code, results and answers are compared. Exit status 2 where something differs.\n\n"
      "  helve trajectory diff monday.jsonl tuesday.jsonl\n"
      "  helve trajectory diff run.jsonl#1 run.jsonl#3\n"
      "  helve trajectory diff run.jsonl --run 1 --run 3");
  diff->add_option("FILE", options.files,
                   "Two trajectories, or one with two runs; FILE#N for a run, '-' for standard "
                   "input")
      ->required()
      ->expected(1, 2);
  diff->add_option("--run", options.runs, "Twice: the run of each side, from 1; default: the last")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->allow_extra_args(false);
  diff->add_flag("--full", options.is_full, "Texts whole, not one line each");
  diff->add_flag("--json", options.is_json, "Print JSON");
  choose(*diff, chosen, run_trajectory_diff, options);
}

void add_replay(CLI::App& trajectory, ReplayOptions& options, Command& chosen) {
  CLI::App* const replay = trajectory.add_subcommand(
      "replay", "Run it again without the model: its answers are the recorded ones");
  replay->footer(
      "\nThe tools really run, on --source; what comes of them is compared with the record. Exit\n"
      "status 2 where something differs.\n\n"
      "  helve trajectory replay run.jsonl --source sample:");
  replay->add_option("FILE", options.trajectory.files, kFileHelp)->required()->expected(1);
  add_run_choice(*replay, options.trajectory);
  add_source_option(*replay, options.session);
  replay->add_option("--trajectory", options.output, "File that gets the new run, without times");
  replay->add_flag("--json", options.trajectory.is_json, "Print JSON");
  add_session_options(*replay, options.session);
  choose(*replay, chosen, run_trajectory_replay, options);
}

}  // namespace

void add_agent_options(CLI::App& command, AgentOptions& options) {
  add_source_option(command, options.session);
  command.add_flag("--no-source", options.is_without_source, "Ask without any data");
  command
      .add_option("--loop", options.loop,
                  "react: the model calls tools; rlm: it writes Python in the sandbox")
      ->check(CLI::IsMember({"react", "rlm"}))
      ->capture_default_str();
  add_model_options(command, options.models.model);
  add_sub_model_options(command, options.models.sub_model);
  command.add_option("--signature", options.signature,
                     "Of rlm, what its code is given and hands in; default: \"context, question -> "
                     "answer\"; for example \"context, question -> sparql, answer: str\"");
  command.add_option("--script", options.models.model.script,
                     "Answers of a file instead of a model's: scripted, or recorded ones");
  command.add_option("--record", options.models.model.record,
                     "File that gets what goes to the model and comes back, for --script");
  command.add_option("--layers", options.layers, "Of the context, such as L0,L1; default: all");
  command.add_option("--budget", options.budget,
                     "Of the context: full, compact, a number of characters, or l0=600,l2=0; "
                     "default: full");
  command.add_option("--hints", options.hints,
                     "JSON or TOML file: relevant (tables or classes), business (what words mean), "
                     "schema_summary (instead of L0 and L1)");
  add_run_limits(command, options);
  command.add_option("--trajectory", options.trajectory,
                     "File that gets a line for each event; helve trajectory reads it");
  command.add_flag("!--no-times", options.has_times,
                   "No times in trajectory and output: the same run gives the same bytes");
  command.add_flag("--stream", options.is_streaming,
                   "Show steps and text of the model as they come, on standard error");
  add_session_options(command, options.session);
  // Not that of helve call: here nothing is kept unless it is named.
  command.get_option("--session")
      ->description("Folder that keeps results for helve call; default: they live in memory");
}

void add_run_choice(CLI::App& command, TrajectoryOptions& options) {
  command.add_option("--run", options.runs, "Which run of the file, from 1; default: the last")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->expected(1);
}

void add_source_option(CLI::App& command, ToolSessionOptions& session) {
  command
      .add_option("--source", session.sources,
                  "NAME=URI or URI: a file, an index folder, sample: for the bundled sample, "
                  "sample-tables: for its tables, or a database (sqlite:PATH, postgresql://..., "
                  "mysql://...); can be given several times")
      ->allow_extra_args(false);
}

void add_run_limits(CLI::App& command, AgentOptions& options, const std::string& prefix) {
  const auto count = CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000});
  command.add_option(prefix + "max-steps", options.steps_max, "Steps of the model; default: 12")
      ->check(count);
  command.add_option(prefix + "max-calls", options.calls_max, "Tool calls; default: 60")
      ->check(count);
  command
      .add_option(prefix + "max-tokens", options.tokens_max, "Tokens in and out; default: 400,000")
      ->check(count);
  command
      .add_option(prefix + "max-output", options.output_max,
                  "Tokens of one answer of the model; default: 4,096")
      ->check(count);
  command
      .add_option(prefix + "max-cost", options.cost_max,
                  "In the currency of the prices; default: none")
      ->check(CLI::PositiveNumber);
  command.add_option(prefix + "time", options.time, "Of a question, e.g. 2min; default: 10min");
}

void add_model_options(CLI::App& command, llm::ProviderWords& words) {
  command.add_option(
      "--provider", words.provider,
      "chat, responses, anthropic, scripted or builtin; or all in one: chat:MODEL@URL");
  command.add_option(
      "--model", words.model,
      "Name of the model, as its server calls it; builtin:rules for an agent without one");
  command.add_option("--url", words.url, "Base address of its server, with /v1");
  command.add_option("--key", words.key, "Key of the server: env:NAME or file:PATH");
  command.add_option("--prices", words.prices_file, "TOML file with prices per million tokens");
  command.add_option("--model-config", words.config_file,
                     "TOML file with a section [model]: all of these, times and limits");
}

void add_ask_commands(CLI::App& app, AskArguments& arguments, Command& chosen) {
  add_ask(app, arguments.ask, chosen);
  add_chat(app, arguments.chat, chosen);
}

void add_trajectory_command(CLI::App& app, AskArguments& arguments, Command& chosen) {
  TrajectoryOptions& options = arguments.trajectory;
  CLI::App* const trajectory = app.add_subcommand(
      "trajectory", "List, show, compare, count, export and replay recorded runs");
  trajectory->footer(
      "\n  helve trajectory list run.jsonl\n"
      "  helve trajectory show run.jsonl --step 2 --full\n"
      "  helve trajectory diff monday.jsonl tuesday.jsonl\n"
      "  helve trajectory stats run.jsonl --json\n"
      "  helve trajectory export run.jsonl -o rlm.jsonl\n"
      "  helve trajectory replay run.jsonl --source data.ttl");
  trajectory->require_subcommand(1);
  CLI::App* const list = trajectory->add_subcommand("list", "The runs of a file");
  list->add_option("FILE", options.files, "The trajectory; '-' for standard input")
      ->required()
      ->expected(1);
  list->add_flag("--json", options.is_json, "Print JSON");
  choose(*list, chosen, run_trajectory_list, options);
  CLI::App* const show = trajectory->add_subcommand("show", "A run step by step");
  show->add_option("FILE", options.files, kFileHelp)->required()->expected(1);
  show->add_option("--step", options.step, "This step alone")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}));
  show->add_flag("--full", options.is_full, "Texts whole, not one line each");
  show->add_flag("--json", options.is_json, "Print JSON, with all texts whole");
  add_run_choice(*show, options);
  choose(*show, chosen, run_trajectory_show, options);
  add_diff(*trajectory, options, chosen);
  CLI::App* const stats = trajectory->add_subcommand("stats", "What a run took");
  stats->add_option("FILE", options.files, kFileHelp)->required()->expected(1);
  stats->add_flag("--json", options.is_json, "Print JSON");
  add_run_choice(*stats, options);
  choose(*stats, chosen, run_trajectory_stats, options);
  CLI::App* const exported = trajectory->add_subcommand(
      "export", "A run as a log that the visualizer of the package rlms shows");
  exported->add_option("FILE", options.files, kFileHelp)->required()->expected(1);
  exported->add_option("-o,--output", options.output, "File to write; default: standard output");
  add_run_choice(*exported, options);
  choose(*exported, chosen, run_trajectory_export, options);
  add_replay(*trajectory, arguments.replay, chosen);
}

}  // namespace helve::cli
