// The parts real_env() is made of; each lives for the whole process. Only env.cc and the parts' own
// sources include this.
#pragma once

#include "base/env.h"

namespace helve {

Files& real_files();          // files_posix.cc
Http& real_http();            // http_curl.cc
Processes& real_processes();  // process_posix.cc
Random& real_random();        // random.cc

}  // namespace helve
