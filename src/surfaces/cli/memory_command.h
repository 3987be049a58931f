// helve memory: the bank of lessons, for a person. The tools mem_* are the same for an agent.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "surfaces/cli/command.h"
#include "surfaces/cli/store_arguments.h"
#include "toolkit/memory/bank.h"

namespace helve::cli {

// What an item is to be, or is to be changed to.
struct MemoryFields {
  std::optional<std::string> title;
  std::optional<std::string> desc;
  std::optional<std::string> content;
  std::optional<std::string> src;
  std::optional<std::string> domain;
  std::vector<std::string> tags;
};

struct MemoryOptions {
  std::string bank;                // empty: HELVE_BANK, or that of the user
  std::vector<std::string> words;  // ids, a question, a file, a number
  MemoryFields fields;
  std::string ranker = "bm25";
  std::size_t limit = 10;
  bool is_verified = false;
  bool is_quarantined = false;
  bool is_all = false;  // also what is superseded, quarantined or retracted
  bool is_plain = false;
  bool is_lines = false;
  bool is_json = false;
  bool is_dry_run = false;
  std::optional<std::uint64_t> keep;  // items that a bank may have
  // For the fused ranker; empty: HELVE_EMBEDDINGS and its like.
  std::string embeddings;
  std::string embedding_model;
  std::string embedding_key;
};

struct MemoryArguments {
  MemoryOptions add, search, get, edit, history, undo, forget, write_out, read_in, stats, backup;
  MemoryOptions verify, merge, consolidate, seed, embed;
};

// A path, or the address of a server: the one that is named, or HELVE_BANK, or that of the user.
Result<std::string> bank_place(const MemoryOptions& options);
Result<std::shared_ptr<memory::MemoryBank>> open_memory_bank(const MemoryOptions& options,
                                                             bool is_made, CommandContext& context);

// For tools. `place` is named for writing unless `is_read_only`, and made if it does not exist;
// that of HELVE_BANK is only read. Without either there is no bank.
struct SessionBank {
  std::shared_ptr<memory::MemoryBank> bank;
  bool is_writable = false;
};
Result<SessionBank> open_session_bank(const std::string& place, bool is_read_only,
                                      const CommandContext& context);
// Runs what a command does, and tells what the bank has to say then.
using BankWork = std::function<Result<void>(memory::MemoryBank&)>;
Result<void> with_bank(const MemoryOptions& options, bool is_made, CommandContext& context,
                       const BankWork& work);
Result<memory::ItemFilter> filter_of(const MemoryOptions& options);
// InvalidInput where no endpoint is named.
Result<void> use_embeddings(const MemoryOptions& options, memory::MemoryBank& bank,
                            CommandContext& context);

void add_memory_command(CLI::App& app, MemoryArguments& arguments, Command& chosen);

Result<void> run_memory_add(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_search(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_get(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_edit(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_history(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_undo(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_forget(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_export(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_import(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_stats(const MemoryOptions& options, CommandContext& context);
// Of as many as do not fit into the number of items that are to be kept.
Result<void> run_memory_evict(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_verify(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_merge(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_consolidate(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_seed(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_embed(const MemoryOptions& options, CommandContext& context);
Result<void> run_memory_backup(const MemoryOptions& options, CommandContext& context);

}  // namespace helve::cli
