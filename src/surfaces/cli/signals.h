// Ctrl-C and SIGTERM cancel the running command; a second one ends the process at once. A mapped
// file that another process shortens ends it too, with words.
#pragma once

#include "base/op_context.h"

namespace helve::cli {

void cancel_on_signals(const CancelToken& token);
// From now on Ctrl-C cancels this one instead, as often as it is pressed; SIGTERM ends the process.
// For a shell, before each statement.
void cancel_on_interrupt(const CancelToken& token);

}  // namespace helve::cli
