// All of Helve's C++ API: connect() to a source, get_tools() for it, call them by name (tools.h) or
// as functions (typed.h).
#pragma once

#include "helve/cancel.h"   // IWYU pragma: export
#include "helve/error.h"    // IWYU pragma: export
#include "helve/events.h"   // IWYU pragma: export
#include "helve/policy.h"   // IWYU pragma: export
#include "helve/source.h"   // IWYU pragma: export
#include "helve/tools.h"    // IWYU pragma: export
#include "helve/typed.h"    // IWYU pragma: export
#include "helve/version.h"  // IWYU pragma: export
