// The real Env, and what can be said about any Env.
#include "base/env.h"

#include <fmt/core.h>

#include "base/real_env.h"

namespace helve {

namespace {

class RealEnv final : public Env {
 public:
  Clock& clock() override { return real_clock(); }
  Files& files() override { return real_files(); }
  Http& http() override { return real_http(); }
  Processes& processes() override { return real_processes(); }
  Random& random() override { return real_random(); }
};

Result<void> write_durably(Files& files, const std::filesystem::path& path,
                           std::string_view content) {
  HELVE_ASSIGN(const auto file, files.open_write(path, WriteMode::CreateNew));
  HELVE_TRY(file->write(content));
  HELVE_TRY(file->sync());
  return file->close();
}

}  // namespace

Env& real_env() {
  static auto& env = *new RealEnv;  // never destroyed, like what it leads to
  return env;
}

Result<void> write_file_atomically(Env& env, const std::filesystem::path& path,
                                   std::string_view content) {
  Files& files = env.files();
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  // In the same folder, for a rename does not cross file systems; random, so that two writers do
  // not meet.
  const std::filesystem::path draft =
      folder / fmt::format(".{}.{}.tmp", path.filename().string(), env.random().hex(8));
  auto outcome = write_durably(files, draft, content);
  if (outcome) outcome = files.rename(draft, path);
  if (!outcome) {
    (void)files.remove(draft);  // the first error is the one worth telling
    return outcome;
  }
  return files.sync_directory(folder);
}

}  // namespace helve
