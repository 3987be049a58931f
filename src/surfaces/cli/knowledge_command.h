// helve tasks, helve skills: what an agent is run on, and how it goes about its work.
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

struct KnowledgeArguments {
  TasksOptions tasks;
  SkillsOptions skills;
};

void add_knowledge_commands(CLI::App& app, KnowledgeArguments& arguments, Command& chosen);

// Figures of the tasks of a folder of SHACL SPARQL examples, or some of them.
Result<void> run_tasks(const TasksOptions& options, CommandContext& context);
// Names and descriptions, or the text of one.
Result<void> run_skills(const SkillsOptions& options, CommandContext& context);

}  // namespace helve::cli
