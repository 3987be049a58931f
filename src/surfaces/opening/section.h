// Section: a table of a configuration, read strictly. base/toml_section.h has it for other layers.
#pragma once

#include "base/toml_section.h"

namespace helve::opening {

using Section = TomlSection;

}  // namespace helve::opening
