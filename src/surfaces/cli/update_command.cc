#include "surfaces/cli/update_command.h"

#include <fmt/format.h>

#include "base/read_whole.h"
#include "base/stdio.h"
#include "base/text.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/update_limits.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/live_store.h"
#include "sources/store/loader.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/text_index_file.h"
#include "surfaces/cli/index_names.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/progress_bar.h"
#include "surfaces/cli/query_answer.h"
#include "surfaces/cli/version.h"
#include "surfaces/opening/load_places.h"

namespace helve::cli {

namespace {

store::LiveOptions live_options(const CommandContext& context) {
  store::LiveOptions options;
  options.program = fmt::format("helve {}", kVersion);
  options.hold_within(context.op.memory->bytes_limit());
  options.compacts_itself = false;  // it would end with the command
  return options;
}

Result<std::string> read_text(const UpdateCommandOptions& options, CommandContext& context) {
  if (!options.text.empty() && !options.file.empty()) {
    return Error{ErrorCode::InvalidInput, "the update is given twice",
                 "give it as a word or with -f, not both"};
  }
  if (options.file.empty() && options.text != "-") {
    if (!options.text.empty()) return options.text;
    return Error{ErrorCode::InvalidInput, "there is no update",
                 "helve update DIR 'INSERT DATA { ... }', or -f FILE"};
  }
  const std::size_t bytes_max = sparql::update_bytes_max(context.op.limits);
  if (options.file == "-" || options.text == "-") {
    const auto input = stdin_source(context.op.cancel);
    return read_whole(*input, "standard input", bytes_max);
  }
  HELVE_ASSIGN(const auto file, context.env.files().open_read(options.file));
  return read_whole(*file, options.file, bytes_max);
}

// An index without statements, where there is none.
Result<void> create(const std::string& folder, CommandContext& context) {
  if (store::is_snapshot_folder(folder, context.env)) return {};
  HELVE_ASSIGN(const auto empty, store::load_documents({}, {}, context.op));
  return store::write_snapshot(*empty.snapshot, {{}, fmt::format("helve {}", kVersion), {}}, folder,
                               context.op, context.env, store::IfPresent::Refuse);
}

Result<void> check_folder(const std::string& folder, Env& env) {
  auto checked = store::check_snapshot_folder(folder, env);
  if (checked || checked.error().code != ErrorCode::NotFound) return checked;
  return Error{ErrorCode::NotFound, fmt::format("there is no index {}", folder),
               "--create makes an empty one; helve load FILE... -o DIR makes one of files"};
}

// With the names of the new index.
Result<void> compact(store::LiveStore& store, const std::string& folder, CommandContext& context) {
  const std::uint64_t statements = store.snapshot()->statements();
  const ProgressBar bar(context.progress_terminal(), [statements] {
    return ProgressState{0, 0, statements, "compacting"};
  });
  HELVE_TRY(store.compact(context.op));
  const auto base = store.snapshot()->base();
  if (!store::open_text_index(*base, folder, context.op, context.env)) {
    write_names(*base, folder, context);
  }
  return {};
}

// Everybody who opens the folder reads the log: it is kept short. The update is done in any case.
void compact_if_worth_it(store::LiveStore& store, const std::string& folder,
                         CommandContext& context) {
  if (!store.is_worth_compacting()) return;
  const std::uint64_t changes = store.snapshot()->delta().changes();
  if (const auto done = compact(store, folder, context); !done) {
    context.warn(fmt::format("the index was not compacted: {}", done.error().full_message()));
  } else {
    context.note(fmt::format("compacted: {} merged", count_of(changes, "change")));
  }
}

std::string json_report(const store::CommitReport& report, const std::string& folder) {
  return json_object([&](JsonWriter& json) {
    json.member("index", folder);
    json.member("added", report.added);
    json.member("removed", report.removed);
    json.member("version", report.version);
    json.member("fingerprint", report.fingerprint);
  });
}

std::string told(const store::CommitReport& report) {
  return fmt::format("{} added, {} removed: version {}\n", count_of(report.added, "statement"),
                     format_count(report.removed), report.version);
}

}  // namespace

Result<void> run_update_command(const UpdateCommandOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const std::string text, read_text(options, context));
  sparql::ParseOptions parse;
  parse.base_iri = options.base_iri;
  parse.text_name = "update";
  context.shown = {parse.text_name, text};
  parse.is_strict = options.is_strict;
  parse.limits = context.op.limits;
  // Mistakes are told before anything is opened.
  parse.awaits_prefixes = !options.is_strict;
  HELVE_TRY(sparql::parse_update(text, parse));
  store::UpdateOptions update;
  update.is_union_default = options.is_union;
  HELVE_ASSIGN(update.load, opening::allow_loading(options.loads, context.env));
  if (options.creates) HELVE_TRY(create(options.folder, context));
  HELVE_TRY(check_folder(options.folder, context.env));
  HELVE_ASSIGN(const auto store, store::LiveStore::open(options.folder, live_options(context),
                                                        context.op, context.env));
  parse.awaits_prefixes = false;
  parse.known_prefixes = store->snapshot()->prefixes();
  HELVE_ASSIGN(const auto parsed, sparql::parse_update(text, parse));
  show_notes(parsed.notes, context);
  HELVE_ASSIGN(const store::CommitReport report, store->update(parsed.update, update, context.op));
  HELVE_TRY(context.show(options.is_json ? json_report(report, options.folder) : told(report)));
  compact_if_worth_it(*store, options.folder, context);
  return {};
}

Result<void> run_index_compact(const IndexOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  HELVE_ASSIGN(const auto store, store::LiveStore::open(options.folder, live_options(context),
                                                        context.op, context.env));
  const std::uint64_t changes = store->snapshot()->delta().changes();
  HELVE_TRY(compact(*store, options.folder, context));
  HELVE_TRY(context.op.check());  // it is done, but may lack its names
  HELVE_ASSIGN(const auto info, store::read_snapshot_info(options.folder, context.op, context.env));
  return context.show(fmt::format(
      "{}: {} merged in {}; {}\n", escape_for_terminal(options.folder), count_of(changes, "change"),
      format_duration(context.env.clock().now() - start), format_bytes(info.bytes)));
}

void add_update_command(CLI::App& app, UpdateCommandOptions& options, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("update", "Change an index folder with SPARQL 1.1 Update");
  command->footer(
      "\nAll operations are one transaction: on disk when the command ends, or without effect.\n"
      "Readers go on meanwhile and see the state before it. LOAD reads what --allow-load names.\n\n"
      "  helve update data.helve 'INSERT DATA { <http://ex.org/a> a <http://ex.org/Thing> }'\n"
      "  helve update data.helve -f changes.ru --allow-load ./incoming\n"
      "  helve update new.helve --create 'LOAD <file:///data/a.ttl>' --allow-load /data");
  command->add_option("DIR", options.folder, "Index folder")->required();
  command->add_option("UPDATE", options.text, "The update; '-' for standard input");
  command->add_option("-f,--file", options.file, "File with the update; '-' for standard input");
  command
      ->add_option("--allow-load", options.loads,
                   "Folder or file that LOAD may read; can be given several times")
      ->allow_extra_args(false);
  command->add_option("--base", options.base_iri, "Base IRI for relative IRIs");
  command->add_flag("--union", options.is_union,
                    "Let WHERE see all graphs as one where it names none");
  command->add_flag("--strict", options.is_strict, "Prefixes must be declared");
  command->add_flag("--create", options.creates, "Make an empty index where there is none");
  command->add_flag("--json", options.is_json, "Print the report as JSON");
  choose(*command, chosen, run_update_command, options);
}

}  // namespace helve::cli
