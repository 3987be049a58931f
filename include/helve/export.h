// HELVE_API: what the shared library lets others see. Everything else in it is hidden.
#pragma once

#if defined(__GNUC__)
#define HELVE_API __attribute__((visibility("default")))
#else
#define HELVE_API
#endif
