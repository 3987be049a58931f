// The arguments of helve judge and helve reflect.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/agent/judge_command.h"
#include "surfaces/cli/agent/reflect_command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

struct JudgeArguments {
  JudgeOptions judge;
  ReflectOptions reflect;
};

// Everything must outlive the parsing; `chosen` becomes the command that was called.
void add_judge_commands(CLI::App& app, JudgeArguments& arguments, Command& chosen);

}  // namespace helve::cli
