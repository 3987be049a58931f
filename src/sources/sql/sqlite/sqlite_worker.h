// The worker's side of a SQLite source: it holds one file open and answers statements until its
// input ends. It may be killed at any time. sqlite_client.h starts it.
#pragma once

#include "base/bytes.h"
#include "base/clock.h"

namespace helve::sql {

// Reads and writes frames (sqlite_protocol.h), the magic first. Everything that goes wrong with a
// statement is a frame; the exit status is not 0 only where what is read makes no sense, or no one
// reads.
int run_sqlite_worker(ByteSource& in, ByteSink& out, const Clock& clock);

}  // namespace helve::sql
