// OutputFile: what helve convert -o writes. Standard output is a ByteSink of its own (stdio.h).
#pragma once

#include <memory>
#include <string>

#include "base/env.h"

namespace helve::cli {

// A file that takes its name only when it is complete: a failed conversion leaves nothing behind
// and what stood there before as it was, and converting a file onto itself works. It keeps the
// permissions of the file that it replaces and follows a symbolic link. Pipes and devices cannot be
// replaced and are written as the bytes come.
class OutputFile {
 public:
  // InvalidInput for a folder.
  static Result<OutputFile> create(Env& env, const std::string& path);

  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  // Without finish() before: removes what was written.
  ~OutputFile();

  ByteSink& sink() { return *file_; }
  Result<void> finish();

  // The error with the name that the user gave in place of the temporary one.
  Error explained(Error error) const;

 private:
  OutputFile(Env& env, std::string path) : env_(&env), path_(std::move(path)) {}

  Result<void> open_draft();
  Result<void> complete();

  Env* env_;
  std::string path_;
  std::string draft_;  // empty: written in place
  std::unique_ptr<WritableFile> file_;
};

}  // namespace helve::cli
