// helve._core: what the Python package has of libhelve.so.
#include <pybind11/pybind11.h>

#include "helve/version.h"

PYBIND11_MODULE(_core, module) { module.attr("version") = helve::api::version(); }
