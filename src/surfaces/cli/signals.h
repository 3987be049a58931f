// Ctrl-C and SIGTERM cancel the running command; a second one ends the process at once. A mapped
// file that another process shortens ends it too, with words.
#pragma once

#include "base/op_context.h"

namespace helve::cli {

void cancel_on_signals(const CancelToken& token);

}  // namespace helve::cli
