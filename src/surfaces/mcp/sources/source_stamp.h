// SourceStamp: what tells one state of a source's files from another, without reading them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/file_identity.h"
#include "base/result.h"

namespace helve::mcp {

using Identify = std::function<Result<FileIdentity>(const std::filesystem::path&)>;
using SourceStamp = std::vector<FileIdentity>;

// Of a file, or of the index in a folder. NotFound, Denied or Unavailable.
Result<SourceStamp> stamp_of(const std::string& place, Env& env, const Identify& identify);

// What is wrong with a place before it is opened: nothing there, nothing that can be read, a folder
// without an index.
Result<void> check_place(const std::string& place, Env& env);

}  // namespace helve::mcp
