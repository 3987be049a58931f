// Hosts of all kinds: that fork, that call back into the session, that leave at any moment; and
// what guests try while the host is busy with something else.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "agent/sandbox/pool.h"
#include "agent/sandbox/sandbox.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class SandboxHostTest : public SandboxTest {
 protected:
  static Function named(const std::string& name, std::function<void()> action) {
    Function function;
    function.name = name;
    function.handler = [action = std::move(action)](const JsonValue&,
                                                    const OpContext&) -> Result<FunctionValue> {
      action();
      return FunctionValue{JsonValue(1), {}};
    };
    return function;
  }

  // What a forked copy of this process says by its status.
  static int in_a_fork(const std::function<int()>& action) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(action());
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(SandboxHostTest, AForkedCopyLetsGoOfTheSession) {
  auto sandbox = start();
  run(*sandbox, "open('kept', 'w').write('x'); x = 7");
  EXPECT_EQ(in_a_fork([&] {
              sandbox.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(run(*sandbox, "(x, open('kept').read())").value, "(7, 'x')");
}

TEST_F(SandboxHostTest, AForkedCopyHasNoPool) {
  PoolOptions options;
  options.sandbox = with_chosen_python({});
  auto pool = SandboxPool::make(std::move(options));
  ASSERT_TRUE(pool);
  EXPECT_EQ(in_a_fork([&] {
              const bool is_refused =
                  !(*pool)->take({}) && (*pool)->take({}).error().code == ErrorCode::Unavailable;
              pool->reset();
              return is_refused ? 0 : 1;
            }),
            0);
  auto taken = (*pool)->take({});
  ASSERT_TRUE(taken);
  expect_works(**taken);
}

TEST_F(SandboxHostTest, AForkedCopyStartsItsOwn) {
  auto sandbox = start();
  EXPECT_EQ(in_a_fork([] {
              auto own = Sandbox::start(with_chosen_python({}));
              return own && (*own)->execute("1+1")->value == "2" ? 0 : 1;
            }),
            0);
  expect_works(*sandbox);
}

TEST_F(SandboxHostTest, HandlersMayEndTheSession) {
  auto sandbox = start();
  ASSERT_TRUE(sandbox->register_tool(named("end", [&] { sandbox->shutdown(); })));
  const BlockResult result = run(*sandbox, "print('before')\nend()\nprint('after')");
  EXPECT_EQ(result.end, BlockEnd::Lost);
  EXPECT_EQ(result.output, "before\n");
  EXPECT_FALSE(sandbox->is_alive());
  EXPECT_FALSE(sandbox->execute("1"));
}

TEST_F(SandboxHostTest, ListenersMayAskAndEnd) {
  Sandbox* session = nullptr;
  int lost = 0;
  SandboxOptions options;
  options.on_event = [&](const Event& event) {
    if (event.kind == EventKind::Output) session->shutdown();
    if (event.kind == EventKind::Lost) lost += session->is_alive() ? 100 : 1;
  };
  auto sandbox = start(options);
  session = sandbox.get();
  EXPECT_EQ(run(*sandbox, "print('x')\nwhile True: pass").end, BlockEnd::Lost);
  EXPECT_EQ(lost, 1);
}

TEST_F(SandboxHostTest, HandlersMayThrowAnything) {
  auto sandbox = start();
  ASSERT_TRUE(sandbox->register_tool(named("fail", [] { throw 7; })));
  EXPECT_EQ(run(*sandbox, "try:\n    fail()\nexcept ToolError as e:\n    print(e.code)").output,
            "internal\n");
  expect_works(*sandbox);
}

// While a tool runs nobody looks: the other threads of the guest wait.
TEST_F(SandboxHostTest, NothingOfTheGuestRunsWhileAToolDoes) {
  auto sandbox = start();
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const auto size = [] {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(private_temp())) {
      if (entry.path().filename() == "grows") return entry.file_size();
    }
    return std::uintmax_t{0};
  };
  ASSERT_TRUE(sandbox->register_tool(named("wait", [&] {
    std::this_thread::sleep_for(20ms);  // it stops at its next step
    first = size();
    std::this_thread::sleep_for(50ms);
    second = size();
  })));
  const BlockResult result = run(*sandbox,
                                 "import threading, time\n"
                                 "f = open('grows', 'wb', buffering=0)\n"
                                 "going = True\n"
                                 "def grow():\n"
                                 "    while going: f.write(b'x'); time.sleep(0.0005)\n"
                                 "t = threading.Thread(target=grow); t.start()\n"
                                 "time.sleep(0.02)\nwait()\ngoing = False\nt.join()");
  EXPECT_EQ(result.end, BlockEnd::Finished);
  EXPECT_GT(first, 0U);
  EXPECT_EQ(first, second);
}

TEST_F(SandboxHostTest, TextThatIsPrintedBetweenBlocksIsShownWithTheNext) {
  auto sandbox = start();
  run(*sandbox,
      "class Loud:\n    def __repr__(self):\n        print('heard'); return 'Loud'\nloud = Loud()");
  ASSERT_TRUE(sandbox->variables());
  EXPECT_EQ(run(*sandbox, "print('next')").output, "heard\nnext\n");
}

TEST_F(SandboxHostTest, AToolThatPythonDoesNotTakeIsNamed) {
  auto sandbox = start();
  Function function = named("search", [] {});
  function.parameters = {{"a", "list[", {}, true}};
  ASSERT_TRUE(sandbox->register_tool(function));
  const auto result = sandbox->execute("1");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(result.error().message, HasSubstr("search"));
  expect_works(*sandbox);
}

TEST_F(SandboxHostTest, ATypeThatPythonDoesNotHaveIsItsName) {
  auto sandbox = start();
  Function function = named("search", [] {});
  function.parameters = {{"a", "Term", {}, true}};
  ASSERT_TRUE(sandbox->register_tool(function));
  EXPECT_EQ(run(*sandbox, "search('x'), search.__annotations__['a']").value, "(1, 'Term')");
}

TEST_F(SandboxHostTest, FilesThatAreOnlyMappedCount) {
  SandboxOptions options;
  options.limits.folder_bytes_max = 32 * kMiB;
  options.limits.file_bytes_max = 8 * kMiB;
  auto sandbox = start(options);
  const BlockResult result = run(*sandbox,
                                 "import mmap, os, time\nheld = []\n"
                                 "for i in range(8):\n"
                                 "    f = open('f', 'w+b'); f.write(b'x' * 8_000_000); f.flush()\n"
                                 "    held.append(mmap.mmap(f.fileno(), 4096)); os.unlink('f')\n"
                                 "    f.close()\n");
  ASSERT_TRUE(result.lost);
  EXPECT_THAT(result.lost->message, HasSubstr("its files took more than 32 MiB"));
}

TEST_F(SandboxHostTest, ObjectsDoNotEndASessionByWhatTheyAnswer) {
  for (const char* code : {"import sys\ndel sys.stdout",
                           "class X:\n    def __eq__(s, o): raise ValueError\n"
                           "    __hash__ = None\nraise SystemExit(X())",
                           "class K(str):\n    __hash__ = lambda s: hash('_')\n    def __eq__(s, "
                           "o): raise ValueError\n"
                           "globals()[K('k')] = 1"}) {
    auto sandbox = start();
    EXPECT_NE(run(*sandbox, code).end, BlockEnd::Lost) << code;
    EXPECT_TRUE(sandbox->is_alive());
  }
}

TEST_F(SandboxHostTest, SubmittingAgainAndAgainIsRefused) {
  auto sandbox = start();
  const BlockResult result =
      run(*sandbox,
          "refused = 0\n"
          "for i in range(15):\n"
          "    try:\n        SUBMIT(i)\n"
          "    except ToolError as e:\n        refused += e.code == 'limit_exceeded'\n"
          "    except SystemExit:\n        pass\n"
          "refused");
  EXPECT_EQ(result.value, "5");
  EXPECT_EQ(result.submitted, R"({"answer":9})");
  EXPECT_EQ(run(*sandbox, "SUBMIT('next')").submitted, R"({"answer":"next"})");
}

TEST_F(SandboxHostTest, PromptsHaveTheLimitOfArguments) {
  SandboxOptions options;
  options.limits.argument_bytes_max = 1'000;
  auto sandbox = start(options);
  std::size_t asked = 0;
  sandbox->set_model([&](const std::vector<std::string>& prompts, const OpContext&) {
    asked += prompts.size();
    return Result<std::vector<std::string>>(prompts);
  });
  EXPECT_EQ(run(*sandbox, "len(llm_query('x' * 1000))").value, "1000");
  const BlockResult result = run(*sandbox, "llm_query('x' * 1001)");
  ASSERT_TRUE(result.error);
  EXPECT_THAT(result.error->message, HasSubstr("up to 1000 are allowed"));
  EXPECT_EQ(asked, 1U);
}

// A pool at namespace scope is destroyed when the process ends, while it may be starting a guest.
TEST_F(SandboxHostTest, AProcessMayEndWhileItsPoolWorks) {
  for (const auto delay : {0ms, 5ms, 15ms, 25ms}) {
    const pid_t child = ::fork();
    if (child == 0) {
      static std::unique_ptr<SandboxPool> pool;
      PoolOptions options;
      options.sandbox = with_chosen_python({});
      options.ready = 4;
      auto made = SandboxPool::make(std::move(options));
      if (!made) ::_exit(2);
      pool = *std::move(made);
      std::this_thread::sleep_for(delay);
      pool.reset();
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << delay.count();
  }
}

}  // namespace
}  // namespace helve::sandbox
