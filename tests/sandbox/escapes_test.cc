// Runs attempts to leave the sandbox: our own (escapes.json) and those of a corpus beside the
// repository. Whatever each does, it does not get out, and the host is as it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/text.h"
#include "tests/sandbox/host_world.h"
#include "tests/support/sandbox_testing.h"
#include "tests/support/test_data.h"

namespace helve::sandbox {
namespace {

using namespace std::chrono_literals;

struct Escape {
  std::string id;
  std::string code;
  std::string expected;
};

std::string text_of(const JsonValue& entry, std::string_view name) {
  const JsonValue* member = entry.find(name);
  HELVE_CHECK(member != nullptr && member->if_string() != nullptr);
  return *member->if_string();
}

// Empty where there is no such file.
std::vector<Escape> read_escapes(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return {};
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto json = parse_json(text);
  HELVE_CHECK(json.has_value() && json->if_array() != nullptr);
  std::vector<Escape> escapes;
  for (const JsonValue& entry : *json->if_array()) {
    escapes.push_back({text_of(entry, "id"), text_of(entry, "python"), text_of(entry, "expect")});
  }
  return escapes;
}

// What a session gets: small, so that filling it takes no time.
SandboxOptions tight_options() {
  SandboxOptions options;
  options.limits.block_time = 1'500ms;
  options.limits.folder_bytes_max = 32 * kMiB;
  options.limits.file_bytes_max = 8 * kMiB;
  return options;
}

// The first line that says so; empty: it did not get out.
std::string escaped_line(const BlockResult& result) {
  std::size_t at = 0;
  while (at <= result.output.size()) {
    const std::size_t line_end = std::min(result.output.find('\n', at), result.output.size());
    std::string line = result.output.substr(at, line_end - at);
    if (line.rfind("ESCAPED", 0) == 0) return line;
    at = line_end + 1;
  }
  return "";
}

// Entries that may succeed, since the kernel still holds what they can do with it.
bool may_succeed(const Escape& escape) {
  return escape.expected.find("allowed is acceptable") != std::string::npos ||
         escape.expected.find("ok if below cap") != std::string::npos;
}

class SandboxEscapesTest : public SandboxTest {
 protected:
  // What came of it, where that is not as it must be; empty else.
  static std::string judge(const Escape& escape, HostWorld& world) {
    const HostState before = host_state();
    std::string problem;
    {
      auto sandbox = start(tight_options());
      // The one before has left a machine on which the next runs.
      if (run(*sandbox, "1+1").value != "2") problem += "a fresh sandbox does not work; ";
      const auto result = sandbox->execute(world.with_places(escape.code));
      if (!result) return "nothing was run: " + result.error().to_string();
      ends_[result->end] += 1;
      const std::string line = escaped_line(*result);
      if (!line.empty() && !may_succeed(escape)) problem += line + "; ";
      if (result->end == BlockEnd::Lost && !result->lost) problem += "lost without a reason; ";
      if (sandbox->is_alive() != (result->end != BlockEnd::Lost))
        problem += "is_alive() is wrong; ";
    }
    return problem + world.touched() + difference(before, host_state());
  }

  static void run_all(const std::vector<Escape>& escapes) {
    ends_.clear();
    HostWorld world;
    for (const Escape& escape : escapes) {
      const std::string problem = judge(escape, world);
      EXPECT_EQ(problem, "") << escape.id << ":\n" << escape.code;
    }
    expect_fresh_one_works();
    std::cout << escapes.size() << " attempts:";
    for (const auto& [end, count] : ends_) std::cout << " " << name_of(end) << " " << count;
    std::cout << "\n";
  }

 private:
  static inline std::map<BlockEnd, int> ends_;
};

TEST_F(SandboxEscapesTest, NoneOfOurOwnGetsOut) {
  const auto escapes = read_escapes(helve::testing::repository_path("tests/sandbox/escapes.json"));
  ASSERT_GE(escapes.size(), 150U);
  run_all(escapes);
}

TEST_F(SandboxEscapesTest, NoneOfTheCorpusGetsOut) {
  HELVE_SHARED_PATH(file, "data/attacks/sandbox_escapes.json");
  const auto escapes = read_escapes(file);
  ASSERT_FALSE(escapes.empty());
  run_all(escapes);
}

// The judge would see one, whichever way it shows.
TEST_F(SandboxEscapesTest, TheJudgeSeesAnEscape) {
  HostWorld world;
  EXPECT_NE(judge({"said", "print('x'); print('ESCAPED for a test')", ""}, world), "");
  EXPECT_NE(judge({"raised", "print('ESCAPED'); raise ValueError", ""}, world), "");
  EXPECT_EQ(judge({"not first", "print('not ESCAPED')", ""}, world), "");
  EXPECT_EQ(judge({"allowed", "print('ESCAPED')", "allowed is acceptable: x"}, world), "");
}

TEST_F(SandboxEscapesTest, TheJudgeSeesWhatIsTouched) {
  HostWorld world;
  EXPECT_EQ(world.touched(), "");
  // The same attempts, made by this program, which nothing holds.
  const std::string secret = world.with_places("@FOLDER@/secret.txt");
  std::ofstream(secret, std::ios::app) << "more";
  EXPECT_NE(world.touched(), "");
  std::ofstream(world.with_places("@FOLDER@/planted")) << "new";
  EXPECT_NE(world.touched(), "");
  ::raise(SIGUSR1);
  EXPECT_NE(world.touched(), "");
  ::kill(std::stoi(world.with_places("@NEIGHBOUR_PID@")), SIGKILL);
  EXPECT_NE(world.touched(), "");
  EXPECT_EQ(world.touched(), "");
}

}  // namespace
}  // namespace helve::sandbox
