#include "surfaces/cli/memory_command.h"

namespace helve::cli {

namespace {

using RunMemory = Result<void> (*)(const MemoryOptions&, CommandContext&);

CLI::App& add_one(CLI::App& memory, const std::string& name, const std::string& help,
                  MemoryOptions& options, RunMemory run, Command& chosen) {
  CLI::App* const command = memory.add_subcommand(name, help);
  command
      ->add_option("--bank", options.bank,
                   "File, or postgresql://...; default: HELVE_BANK, or that of the user")
      ->check([](const std::string& place) {
        return place.empty() ? std::string("names no bank") : std::string();
      });
  choose(*command, chosen, run, options);
  return *command;
}

void add_json(CLI::App& command, MemoryOptions& options) {
  command.add_flag("--json", options.is_json, "Print JSON");
}

void add_filter(CLI::App& command, MemoryOptions& options) {
  command.add_option("--src", options.fields.src, "Only of this: success, failure, seed, ...");
  command.add_option("--domain", options.fields.domain, "Only of this source or ontology");
  command.add_option("--tag", options.fields.tags, "Only with this tag")->allow_extra_args(false);
  command.add_flag("--all", options.is_all, "Also what is superseded, quarantined or retracted");
}

void add_fields(CLI::App& command, MemoryFields& fields) {
  command.add_option("--title", fields.title, "At most ten words");
  command.add_option("--desc", fields.desc, "One sentence: when to use it, and when not");
  command.add_option("--content", fields.content, "What is to be remembered");
  command.add_option("--src", fields.src,
                     "success, failure, seed, contrastive, pattern or human (the default)");
  command.add_option("--domain", fields.domain, "The source or ontology that it is about");
  command.add_option("--tag", fields.tags, "Can be given several times")->allow_extra_args(false);
}

void add_embeddings(CLI::App& command, MemoryOptions& options) {
  command.add_option("--embeddings", options.embeddings,
                     "OpenAI-compatible embeddings endpoint; default: HELVE_EMBEDDINGS");
  command.add_option("--embedding-model", options.embedding_model,
                     "What the model is called there; default: HELVE_EMBEDDING_MODEL");
  command.add_option("--embedding-key", options.embedding_key,
                     "env:NAME or file:PATH; default: HELVE_EMBEDDING_KEY");
}

void add_upkeep(CLI::App& memory, MemoryArguments& arguments, Command& chosen) {
  MemoryOptions& verify_options = arguments.verify;
  verify_options.limit = 10'000;
  CLI::App& verify = add_one(memory, "verify", "Try remembered queries again, on a source",
                             verify_options, run_memory_verify, chosen);
  verify
      .add_option("SOURCE", verify_options.words,
                  "A file, an index folder, sample:, sample-tables:, a database or an endpoint")
      ->required()
      ->expected(1);
  verify.add_option("-n,--limit", verify_options.limit, "Items at most; default 10000")
      ->check(CLI::Range(1, 1'000'000));
  add_filter(verify, verify_options);
  add_json(verify, verify_options);
  CLI::App& merge = add_one(memory, "merge", "Let the first item supersede the others",
                            arguments.merge, run_memory_merge, chosen);
  merge.add_option("ID", arguments.merge.words, "The items")->required()->expected(2, 100);
  add_json(merge, arguments.merge);
  CLI::App& consolidate =
      add_one(memory, "consolidate", "Let items supersede others that say the same",
              arguments.consolidate, run_memory_consolidate, chosen);
  consolidate.add_flag("--dry-run", arguments.consolidate.is_dry_run, "Show which would");
  add_json(consolidate, arguments.consolidate);
  CLI::App& seed = add_one(memory, "seed", "Add strategies and guardrails that hold anywhere",
                           arguments.seed, run_memory_seed, chosen);
  add_json(seed, arguments.seed);
  CLI::App& embed = add_one(memory, "embed", "Make vectors for items that have none",
                            arguments.embed, run_memory_embed, chosen);
  add_embeddings(embed, arguments.embed);
  add_json(embed, arguments.embed);
}

void add_changes(CLI::App& memory, MemoryArguments& arguments, Command& chosen) {
  CLI::App& add =
      add_one(memory, "add", "Remember a lesson", arguments.add, run_memory_add, chosen);
  add_fields(add, arguments.add.fields);
  add_json(add, arguments.add);
  CLI::App& edit =
      add_one(memory, "edit", "Change an item", arguments.edit, run_memory_edit, chosen);
  edit.add_option("ID", arguments.edit.words, "The item")->required()->expected(1);
  add_fields(edit, arguments.edit.fields);
  edit.add_flag("--verified", arguments.edit.is_verified, "It was verified: out of quarantine");
  edit.add_flag("--quarantine", arguments.edit.is_quarantined, "Show it on request only");
  add_json(edit, arguments.edit);
  CLI::App& undo = add_one(memory, "undo", "Undo a change, of an undoing too", arguments.undo,
                           run_memory_undo, chosen);
  undo.add_option("CHANGE", arguments.undo.words, "Its number; default: the latest")
      ->expected(0, 1);
  add_json(undo, arguments.undo);
  CLI::App& forget = add_one(memory, "forget", "Retract items: they never return by themselves",
                             arguments.forget, run_memory_forget, chosen);
  forget.add_option("ID", arguments.forget.words, "The items");
  forget
      .add_option("--keep", arguments.forget.keep,
                  "Instead: let the least useful go until there are so many; they may return")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}));
  forget.add_flag("--dry-run", arguments.forget.is_dry_run, "With --keep: show which would go");
  add_json(forget, arguments.forget);
}

void add_looks(CLI::App& memory, MemoryArguments& arguments, Command& chosen) {
  CLI::App& search = add_one(memory, "search", "Find items for a question", arguments.search,
                             run_memory_search, chosen);
  search.add_option("WORDS", arguments.search.words, "The question")->required();
  search.add_option("-k,--limit", arguments.search.limit, "At most so many; default 10")
      ->check(CLI::Range(1, 1'000));
  search
      .add_option("--ranker", arguments.search.ranker,
                  "bm25, overlap: plain shared words, or fusion: bm25 and embeddings")
      ->check(CLI::IsMember({"bm25", "overlap", "fusion"}));
  add_embeddings(search, arguments.search);
  add_filter(search, arguments.search);
  add_json(search, arguments.search);
  CLI::App& get = add_one(memory, "get", "Show items", arguments.get, run_memory_get, chosen);
  get.add_option("ID", arguments.get.words, "The items")->required();
  add_json(get, arguments.get);
  CLI::App& history = add_one(memory, "history", "What was changed, the latest first",
                              arguments.history, run_memory_history, chosen);
  history.add_option("ID", arguments.history.words, "Of one item")->expected(0, 1);
  history.add_option("-n,--limit", arguments.history.limit, "At most so many; default 10")
      ->check(CLI::Range(1, 10'000));
  add_json(history, arguments.history);
  CLI::App& stats =
      add_one(memory, "stats", "How much there is", arguments.stats, run_memory_stats, chosen);
  add_json(stats, arguments.stats);
}

void add_files(CLI::App& memory, MemoryArguments& arguments, Command& chosen) {
  MemoryOptions& out = arguments.write_out;
  CLI::App& write_out = add_one(memory, "export", "Write items as JSON to standard output", out,
                                run_memory_export, chosen);
  write_out.add_flag("--plain", out.is_plain, "Only id, title, desc, content, src, tags");
  write_out.add_flag("--lines", out.is_lines, "One item on a line, instead of a list");
  add_filter(write_out, out);
  CLI::App& read_in = add_one(memory, "import", "Add items of a JSON file", arguments.read_in,
                              run_memory_import, chosen);
  read_in.add_option("FILE", arguments.read_in.words, "A list, or one item on a line")
      ->required()
      ->expected(1);
  add_json(read_in, arguments.read_in);
  CLI::App& backup = add_one(memory, "backup", "Copy the bank into a new file", arguments.backup,
                             run_memory_backup, chosen);
  backup.add_option("FILE", arguments.backup.words, "That does not exist yet")
      ->required()
      ->expected(1);
}

}  // namespace

void add_memory_command(CLI::App& app, MemoryArguments& arguments, Command& chosen) {
  CLI::App* const memory = app.add_subcommand("memory", "Keep lessons, and find them again");
  memory->footer(
      "\n  helve memory add --title 'Count first' --desc 'Before an export.' --content '...'\n"
      "  helve memory search how many proteins\n"
      "  helve call --bank lessons.db mem_search q='how many proteins'");
  memory->require_subcommand(1);
  add_changes(*memory, arguments, chosen);
  add_looks(*memory, arguments, chosen);
  add_upkeep(*memory, arguments, chosen);
  add_files(*memory, arguments, chosen);
}

}  // namespace helve::cli
