// helve memory: the bank of lessons, for a person. The tools mem_* are the same for an agent.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
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
};

struct MemoryArguments {
  MemoryOptions add, search, get, edit, history, undo, forget, write_out, read_in, stats, backup;
};

Result<std::shared_ptr<memory::MemoryBank>> open_memory_bank(const MemoryOptions& options,
                                                             bool is_made, CommandContext& context);

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
Result<void> run_memory_backup(const MemoryOptions& options, CommandContext& context);

}  // namespace helve::cli
