// For tests that start sandboxes: start or skip loudly, and what a host must look like afterwards.
// HELVE_SANDBOX_MUST_RUN=1 makes a machine that cannot hold a sandbox a failure.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/sandbox/sandbox.h"
#include "base/check.h"
#include "tests/support/temp_directory.h"

namespace helve::sandbox {

// What this process has that a sandbox might leave behind or take away.
struct HostState {
  std::vector<std::string> descriptors;  // "7 socket:[123]"
  std::vector<int> children;
  std::vector<std::string> temp_entries;
  std::array<rlim_t, 2UL * RLIM_NLIMITS> limits{};
  int priority = 0;
  std::string folder;

  friend bool operator==(const HostState&, const HostState&) = default;
};

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::vector<std::string> open_descriptors() {
  std::vector<std::string> found;
  DIR* folder = ::opendir("/proc/self/fd");
  HELVE_CHECK(folder != nullptr);
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = static_cast<const char*>(entry->d_name);
    if (name.front() == '.' || std::stoi(name) == ::dirfd(folder)) continue;
    std::error_code gone;
    found.push_back(name + " " +
                    std::filesystem::read_symlink("/proc/self/fd/" + name, gone).string());
  }
  ::closedir(folder);
  std::sort(found.begin(), found.end());
  return found;
}

// The number behind the name in parentheses of /proc/PID/stat; the name may hold anything.
inline int parent_of(const std::string& pid) {
  // It may end meanwhile: then nothing is read.
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text(4'096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return 0;
  return std::atoi(text.c_str() + name_end + 4);
}

// Also those that have ended and that nobody has waited for.
inline std::vector<int> child_processes() {
  std::vector<int> children;
  for (const std::string& name : names_in("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (parent_of(name) == ::getpid()) children.push_back(std::stoi(name));
  }
  std::sort(children.begin(), children.end());
  return children;
}

inline HostState host_state() {
  HostState state;
  state.descriptors = open_descriptors();
  state.children = child_processes();
  const std::filesystem::path temp = std::filesystem::temp_directory_path();
  for (const std::string& name : names_in(temp)) {
    state.temp_entries.push_back(name);
    for (const std::string& below : names_in(temp / name)) {
      state.temp_entries.push_back((std::filesystem::path(name) / below).string());
    }
  }
  for (std::size_t i = 0; i < RLIM_NLIMITS; ++i) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(i), &limit);
    state.limits[2 * i] = limit.rlim_cur;
    state.limits[2 * i + 1] = limit.rlim_max;
  }
  state.priority = ::getpriority(PRIO_PROCESS, 0);
  state.folder = std::filesystem::current_path().string();
  return state;
}

inline std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part + "; ";
  return text;
}

// What differs, for people; empty where nothing does.
inline std::string difference(const HostState& before, const HostState& after) {
  std::string text;
  if (before.descriptors != after.descriptors) {
    text += "descriptors were " + joined(before.descriptors) + "are " + joined(after.descriptors);
  }
  if (before.children != after.children) {
    text += "children were " + std::to_string(before.children.size()) + ", are " +
            std::to_string(after.children.size()) + "; ";
  }
  if (before.temp_entries != after.temp_entries) {
    text += "temp folder had " + joined(before.temp_entries) + "has " + joined(after.temp_entries);
  }
  if (before.limits != after.limits) text += "resource limits changed; ";
  if (before.priority != after.priority) text += "priority changed; ";
  if (before.folder != after.folder) text += "current folder changed; ";
  return text;
}

// A temp folder of this test program alone, so that what is left in it can be counted. Others may
// pass through it: a sandbox may run as another user.
inline const std::filesystem::path& private_temp() {
  static const TempDirectory folder;
  static const bool is_set = [] {
    ::chmod(folder.path().c_str(), 0755);
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    return true;
  }();
  HELVE_CHECK(is_set);
  return folder.path();
}

// HELVE_SANDBOX_PYTHON names another interpreter to try than the one that is found.
inline SandboxOptions with_chosen_python(SandboxOptions options) {
  const char* chosen = std::getenv("HELVE_SANDBOX_PYTHON");
  if (chosen != nullptr && options.python.empty()) options.python = chosen;
  return options;
}

// Why this machine cannot hold a sandbox; empty where it can. Tried once.
inline const std::string& why_no_sandbox() {
  static const std::string why = [] {
    auto sandbox = Sandbox::start(with_chosen_python({}));
    return sandbox ? std::string() : sandbox.error().to_string();
  }();
  return why;
}

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    private_temp();
    if (why_no_sandbox().empty()) {
      before_ = host_state();
      return;
    }
    const char* must_run = std::getenv("HELVE_SANDBOX_MUST_RUN");
    if (must_run != nullptr && std::string_view(must_run) == "1") {
      FAIL() << "HELVE_SANDBOX_MUST_RUN is set, but: " << why_no_sandbox();
    }
    std::cerr << "NOT RUN, THE SANDBOX IS NOT TRIED: " << why_no_sandbox() << "\n";
    GTEST_SKIP() << why_no_sandbox();
  }

  // Whatever a test did with its sandboxes, which are destroyed by now unless it keeps them.
  void TearDown() override {
    if (!why_no_sandbox().empty()) return;
    EXPECT_EQ(difference(before_, host_state()), "");
  }

  static std::unique_ptr<Sandbox> start(SandboxOptions options = {}) {
    auto sandbox = Sandbox::start(with_chosen_python(std::move(options)));
    HELVE_CHECK(sandbox.has_value());
    return std::move(*sandbox);
  }

  // Runs a block that must get as far as a result.
  static BlockResult run(Sandbox& sandbox, std::string_view code,
                         const std::vector<Variable>& variables = {}) {
    auto result = sandbox.execute(code, variables);
    if (result) return std::move(*result);
    ADD_FAILURE() << result.error().to_string() << "\nin: " << code.substr(0, 500);
    BlockResult none;
    none.end = BlockEnd::Lost;
    return none;
  }

  static void expect_works(Sandbox& sandbox) {
    const BlockResult result = run(sandbox, "1+1");
    EXPECT_EQ(result.value, "2");
    EXPECT_EQ(result.end, BlockEnd::Finished);
  }

  static void expect_fresh_one_works() { expect_works(*start()); }

 private:
  HostState before_;
};

}  // namespace helve::sandbox
