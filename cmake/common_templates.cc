// The one instantiation of the templates that common_templates.h declares.
#define HELVE_COMMON_TEMPLATE template
#include "cmake/common_templates.h"
