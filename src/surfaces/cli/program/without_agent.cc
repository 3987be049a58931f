#include "surfaces/cli/program/extras.h"

namespace helve::cli {

Extras extras() { return {}; }

}  // namespace helve::cli
