// Standard input and output as byte streams; neighbours of Files (env.h), which knows only paths.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/op_context.h"

namespace helve {

// Reads standard input. While it waits for a slow writer it looks at `cancel` and `deadline` every
// 20 ms and then returns Cancelled or LimitExceeded. Unavailable on I/O errors, InvalidInput when
// standard input is a directory.
std::unique_ptr<ByteSource> stdin_source(CancelToken cancel = {}, Deadline deadline = {});

// The same without looking at anything else: for processes that end with their input.
std::unique_ptr<ByteSource> patient_stdin_source();
// From now on the process ends as soon as the writer of standard input has gone, whatever it is
// doing. Call once.
void end_with_stdin();

// Writes standard output through a buffer; call flush() at the end to learn of errors (destruction
// flushes too, silently). A reader that has gone (`helve ... | head`) gives Cancelled for the
// reason OutputClosed, never a SIGPIPE; a full disk and the like give Unavailable.
std::unique_ptr<ByteSink> stdout_sink();

// The same on any descriptor, which stays open and belongs to the caller.
std::unique_ptr<ByteSource> fd_source(int fd, std::string name, CancelToken cancel = {},
                                      Deadline deadline = {});
std::unique_ptr<ByteSink> fd_sink(int fd, std::string name);

}  // namespace helve
