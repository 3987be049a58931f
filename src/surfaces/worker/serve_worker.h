// What "helve sql-worker" and programs that are their own workers do: one statement over handles
// (toolkit/sql), or many over a SQLite file (sources/sql/sqlite). The first bytes tell.
#pragma once

#include "base/bytes.h"
#include "base/clock.h"

namespace helve {

// On standard input and output. The exit status; 0 where the worker did its work.
int serve_worker(ByteSink& out, const Clock& clock);

}  // namespace helve
