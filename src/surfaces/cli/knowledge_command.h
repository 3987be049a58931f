// helve tasks, skills, context: what an agent is run on, how it goes about its work, and what it
// should know before.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "surfaces/cli/command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

struct TasksOptions {
  std::string path;
  std::string complexity;  // empty: any
  std::optional<std::size_t> sample;
  std::uint64_t seed = 0;
  bool is_json = false;
};

struct SkillsOptions {
  std::string name;    // empty: list them
  std::string folder;  // empty: those that come with the program
  bool is_json = false;
};

struct ContextOptions {
  std::string source;  // NAME=URI or URI
  std::string task;
  std::string layers = "all";
  std::string budget = "full";
  std::string bank;            // empty: HELVE_BANK, or that of the user, where there is one
  std::string guide;           // file; empty: one of the program
  std::string constraints;     // file; likewise
  std::string schema_summary;  // file; empty: L0 and L1 are made
  bool shows_breakdown = false;
  bool is_json = false;
  bool uses_cache = true;
};

struct KnowledgeArguments {
  TasksOptions tasks;
  SkillsOptions skills;
  ContextOptions context;
};

void add_knowledge_commands(CLI::App& app, KnowledgeArguments& arguments, Command& chosen);

// Figures of the tasks of a folder of SHACL SPARQL examples, or some of them.
Result<void> run_tasks(const TasksOptions& options, CommandContext& context);
// Names and descriptions, or the text of one.
Result<void> run_skills(const SkillsOptions& options, CommandContext& context);
// The layers of a context for a prompt.
Result<void> run_context(const ContextOptions& options, CommandContext& context);

}  // namespace helve::cli
