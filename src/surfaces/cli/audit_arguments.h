// The arguments of `helve audit`.
#pragma once

#include <CLI/CLI.hpp>

#include "surfaces/cli/audit_command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

struct AuditArguments {
  AuditVerifyOptions verify;
  AuditHeadOptions head;
  AuditListOptions tail;
  AuditListOptions search;
};

void add_audit_command(CLI::App& app, AuditArguments& arguments, Command& chosen);

}  // namespace helve::cli
