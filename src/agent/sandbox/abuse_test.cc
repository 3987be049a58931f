// Code that wants to harm its host: it crashes, hangs, floods, fills memory and breaks its own
// interpreter. Each time the host hears what happened, and nothing of it is left. Neighbour:
// forgery_test.cc, which speaks the protocol falsely.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "agent/sandbox/sandbox.h"
#include "base/json.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class SandboxAbuseTest : public SandboxTest {
 protected:
  static SandboxOptions tight_options() {
    SandboxOptions options;
    options.limits.block_time = block_time_;
    options.limits.memory_bytes_max = 256 * kMiB;
    options.limits.output_bytes_max = 4 * kMiB;
    options.limits.message_bytes_max = 4 * kMiB;
    options.limits.argument_bytes_max = 1 * kMiB;
    options.limits.submit_bytes_max = 1 * kMiB;
    options.limits.tool_calls_max = 100;
    return options;
  }

  // A session with a tool, which counts its calls.
  static std::unique_ptr<Sandbox> start_tight(SandboxOptions options = tight_options()) {
    auto sandbox = start(std::move(options));
    Function tool;
    tool.name = "tool";
    tool.parameters = {{"value", "object", {}, false}};
    tool.handler = [](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
      ++calls_;
      return FunctionValue{JsonValue(std::string(100, 'r')), {}};
    };
    calls_ = 0;
    EXPECT_TRUE(sandbox->register_tool(std::move(tool)).has_value());
    return sandbox;
  }

  // It is lost, says why, and stays so.
  static std::string why_lost(std::string_view code) {
    auto sandbox = start_tight();
    const BlockResult result = run(*sandbox, code);
    EXPECT_EQ(result.end, BlockEnd::Lost) << code << "\n" << result.output.substr(0, 500);
    EXPECT_FALSE(sandbox->is_alive()) << code;
    const auto next = sandbox->execute("1");
    EXPECT_TRUE(!next && next.error().code == ErrorCode::Unavailable) << code;
    return result.lost ? result.lost->message : "no reason";
  }

  // It may be lost or not; it is one of both, and the same to everybody who asks.
  static BlockResult come_back(std::string_view code) {
    auto sandbox = start_tight();
    BlockResult result = run(*sandbox, code);
    EXPECT_EQ(result.end == BlockEnd::Lost, result.lost.has_value()) << code;
    EXPECT_EQ(sandbox->is_alive(), result.end != BlockEnd::Lost) << code;
    EXPECT_EQ(sandbox->execute("1").has_value(), result.end != BlockEnd::Lost) << code;
    return result;
  }

  static std::string type_of_error(Sandbox& sandbox, std::string_view code) {
    const BlockResult result = run(sandbox, code);
    return result.error ? result.error->type : std::string(name_of(result.end));
  }

  static inline int calls_ = 0;
  // Short for code that never ends; where it ends by itself a busy machine must not matter.
  static inline Duration block_time_ = 1s;

  void SetUp() override {
    block_time_ = 1s;
    SandboxTest::SetUp();
  }
};

TEST_F(SandboxAbuseTest, TellsHowAProcessEnded) {
  block_time_ = 30s;
  EXPECT_THAT(why_lost("import os; os._exit(0)"), HasSubstr("0"));
  EXPECT_THAT(why_lost("import os; os._exit(7)"), HasSubstr("7"));
  // It may send no signal, not even to itself: the C library then ends it by an illegal access.
  EXPECT_THAT(why_lost("import os; os.abort()"), HasSubstr("signal"));
  EXPECT_THAT(why_lost("import ctypes; ctypes.string_at(0)"), HasSubstr("signal 11"));
  expect_fresh_one_works();
}

TEST_F(SandboxAbuseTest, KeepsWhatWasPrintedBeforeTheEnd) {
  auto sandbox = start_tight();
  const BlockResult result = run(*sandbox, "print('last words')\nimport os\nos._exit(1)");
  EXPECT_EQ(result.end, BlockEnd::Lost);
  EXPECT_THAT(result.output, HasSubstr("last words"));
}

TEST_F(SandboxAbuseTest, EndsInTheMiddleOfACall) {
  block_time_ = 30s;
  for (const std::string_view code :
       {"import os, threading\nthreading.Timer(0.05, os._exit, [3]).start()\nwhile True: tool()",
        "import os, threading\nthreading.Timer(0.05, os.abort).start()\nwhile True: tool()",
        "tool()\nimport ctypes; ctypes.string_at(0)"}) {
    auto options = tight_options();
    options.limits.tool_calls_max = 1'000'000;
    auto sandbox = start_tight(options);
    EXPECT_EQ(run(*sandbox, code).end, BlockEnd::Lost) << code;
    EXPECT_GT(calls_, 0);
  }
  expect_fresh_one_works();
}

TEST_F(SandboxAbuseTest, EndsCodeThatSleepsOrSpins) {
  for (const std::string_view code :
       {"import time\ntime.sleep(10**6)", "while True: pass", "import signal, time\nsignal.pause()",
        "import threading\nthreading.Lock().acquire()\n"
        "l = threading.Lock(); l.acquire(); l.acquire()"}) {
    EXPECT_EQ(come_back(code).end, BlockEnd::Interrupted) << code;
  }
  for (const std::string_view code :
       {"import signal\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n  except "
        "(OSError, ValueError): pass\nwhile True: pass",
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
        "import re\nre.match('(a|aa)+$', 'a' * 100 + 'b')", "x = 9 ** (9 ** 9)",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        "import time\nwhile True:\n  try: time.sleep(1)\n  except BaseException: pass"}) {
    const BlockResult result = come_back(code);
    EXPECT_THAT(result.end, AnyOf(BlockEnd::Lost, BlockEnd::Interrupted, BlockEnd::Raised)) << code;
  }
  expect_fresh_one_works();
}

TEST_F(SandboxAbuseTest, EndsAFloodOfOutput) {
  block_time_ = 30s;
  for (const std::string_view code :
       {"while True: print('x' * 10_000)", "import os\nwhile True: os.write(1, b'x' * 10_000)",
        "import os\nwhile True: os.write(2, b'\\xff' * 10_000)",
        "import sys\nsys.stderr.write('\\n' * 100_000_000)"}) {
    EXPECT_THAT(why_lost(code), HasSubstr("printed more than 4 MiB")) << code;
  }
}

TEST_F(SandboxAbuseTest, EndsOutputBetweenBlocks) {
  auto sandbox = start_tight();
  run(*sandbox,
      "import os, threading\ndef flood():\n  while True: os.write(1, b'y' * 10_000)\n"
      "threading.Thread(target=flood, daemon=True).start()");
  std::this_thread::sleep_for(100ms);
  const auto result = sandbox->execute("import time; time.sleep(0.5)");
  EXPECT_TRUE(!result || result->end == BlockEnd::Lost);
}

TEST_F(SandboxAbuseTest, EndsAFloodOfCalls) {
  const BlockResult result = come_back("while True:\n  try: tool()\n  except Exception: pass");
  EXPECT_THAT(result.end, AnyOf(BlockEnd::Lost, BlockEnd::Interrupted));
  EXPECT_LE(calls_, 100);
}

TEST_F(SandboxAbuseTest, EndsCodeThatNeverReadsAnswers) {
  // Ten threads that call, and a main thread that holds the interpreter.
  const BlockResult result = come_back(R"(
import sys, threading
sys.setswitchinterval(1000)
for i in range(10): threading.Thread(target=tool, daemon=True).start()
while True: pass)");
  EXPECT_THAT(result.end, AnyOf(BlockEnd::Lost, BlockEnd::Interrupted));
  expect_fresh_one_works();
}

TEST_F(SandboxAbuseTest, BoundsMemory) {
  block_time_ = 30s;
  const BlockResult result = come_back("x = []\nwhile True: x.append(bytearray(1 << 20))");
  EXPECT_THAT(result.end, AnyOf(BlockEnd::Lost, BlockEnd::Raised));
  if (result.error) {
    EXPECT_EQ(result.error->type, "MemoryError");
  }
  EXPECT_EQ(type_of_error(*start_tight(), "bytearray(1 << 40)"), "MemoryError");
  // In a call: the argument cannot even be made into a message.
  const BlockResult call = come_back("tool(['x' * 1_000_000] * 10_000)");
  EXPECT_THAT(call.end, AnyOf(BlockEnd::Lost, BlockEnd::Raised, BlockEnd::Interrupted));
  EXPECT_EQ(calls_, 0);
}

TEST_F(SandboxAbuseTest, RefusesWhatIsTooLarge) {
  block_time_ = 30s;
  const BlockResult argument = come_back("tool('x' * 2_000_000)");
  EXPECT_EQ(argument.end, BlockEnd::Raised);
  EXPECT_EQ(calls_, 0);
  const BlockResult submitted = come_back("SUBMIT(x='x' * 2_000_000)");
  EXPECT_EQ(submitted.end, BlockEnd::Raised);
  EXPECT_FALSE(submitted.submitted);
  EXPECT_EQ(come_back("raise ValueError('x' * 100_000_000)").end, BlockEnd::Raised);
  EXPECT_EQ(come_back("def f(): raise ValueError\nf.__code__ = f.__code__.replace(co_name='n' * "
                      "10_000_000)\nf()")
                .end,
            BlockEnd::Raised);
  const BlockResult name = come_back("type('T' * 10_000_000, (), {})()");
  EXPECT_LE(name.value_type.size(), 10'000U);
}

TEST_F(SandboxAbuseTest, RefusesWhatCannotBeSubmitted) {
  block_time_ = 30s;
  for (const std::string_view value :
       {"float('nan')", "float('inf')", "chr(0xd800)", "{1, 2}", "object()", "lambda: 1", "b'x'",
        "(l := [], l.append(l))[0]", "{(1, 2): 3}",
        "type('D', (dict,), {'items': lambda s: 1/0})()",
        "__import__('functools').reduce(lambda x, _: [x], range(100_000), [])"}) {
    const BlockResult result = come_back("SUBMIT(x=" + std::string(value) + ")");
    EXPECT_NE(result.end, BlockEnd::Lost) << value;
    if (result.submitted) {
      EXPECT_TRUE(parse_json(*result.submitted).has_value()) << value;
    }
  }
  const BlockResult digits = come_back("SUBMIT(x=10**5000)");
  if (digits.submitted) {
    EXPECT_TRUE(parse_json(*digits.submitted).has_value());
  }
  EXPECT_EQ(come_back("SUBMIT(x='\\u0000\\u202e')").end, BlockEnd::Submitted);
}

TEST_F(SandboxAbuseTest, ShowsHostileObjects) {
  block_time_ = 30s;
  for (const std::string_view code :
       {"class A:\n  def __repr__(self): raise ValueError('x')\nA()",
        "class A:\n  def __repr__(self): return 7\nA()",
        "class A:\n  def __repr__(self): raise SystemExit\nA()",
        "class A:\n  def __repr__(self): return chr(0xd800) * 100\nA()",
        "class A(str):\n  def __repr__(self): return A('x')\n  def __len__(self): return -1\n"
        "  def __getitem__(self, i): raise ValueError\nA('a')",
        "class A:\n  @property\n  def __class__(self): raise ValueError\nA()",
        "class M(type):\n  def __getattribute__(c, n): raise ValueError(n)\n"
        "class A(metaclass=M): pass\nA()",
        "class E(Exception):\n  def __str__(self): raise ValueError\nraise E",
        "class E(Exception):\n  def __str__(self): return 7\nraise E",
        "class E(Exception): pass\nE.__name__ = 'x' * 1000\nE.__qualname__ = 'y'\nraise E",
        "class E(BaseException): pass\nraise E", "e = ValueError(); e.__cause__ = e; raise e",
        "raise ExceptionGroup('g', [ValueError(1), ExceptionGroup('h', [KeyError(2)])])"}) {
    auto sandbox = start_tight();
    EXPECT_NE(run(*sandbox, code).end, BlockEnd::Lost) << code;
    expect_works(*sandbox);
  }
}

// The session goes on where Python still can, and is lost where not; it never lies.
TEST_F(SandboxAbuseTest, OutlivesABrokenInterpreter) {
  for (const std::string_view code :
       {"import builtins\nfor n in list(vars(builtins)): setattr(builtins, n, None)",
        "import builtins\nbuiltins.print = builtins.len = builtins.isinstance = lambda *a: 1/0",
        "__builtins__ = {}",
        "import sys\nsys.modules.clear()",
        "globals().clear()",
        "import sys\nfor n in list(sys.modules): sys.modules[n] = None",
        "import sys\nsys.stdout = sys.stderr = sys.__stdout__ = None",
        "import sys\nsys.stdout.close(); sys.stderr.close()",
        "import sys\nclass W:\n  def write(self, t): raise ValueError\n  def flush(self): 1/0\n"
        "sys.stdout = sys.stderr = W()",
        "import json\njson.dumps = json.loads = lambda *a, **k: 'nonsense'",
        "import json.encoder\njson.encoder.JSONEncoder.encode = lambda *a: '{'",
        "import sys\nsys.excepthook = sys.displayhook = sys.settrace = None",
        "import sys\nsys.settrace(lambda *a: 1/0)",
        "import sys\nsys.setrecursionlimit(50)",
        "import traceback\ntraceback.format_exception = lambda *a: 1/0",
        "import gc\ngc.disable(); gc.freeze()",
        "del SUBMIT, tool, llm_query",
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01)\nimport time\ntime.sleep(0.1)",
        "import os, compileall\nos.write = os.read = None",
        "import gc, types\nfor o in gc.get_objects():\n  if type(o) is dict and o is not "
        "globals():\n"
        "    try: o.clear()\n    except Exception: pass",
        "import gc, types\nfor f in gc.get_objects():\n  if isinstance(f, types.FunctionType):\n"
        "    try: f.__code__ = (lambda *a, **k: None).__code__\n    except Exception: pass"}) {
    auto sandbox = start_tight();
    const BlockResult result = run(*sandbox, code);
    EXPECT_EQ(result.end == BlockEnd::Lost, result.lost.has_value()) << code;
    const auto next = sandbox->execute("6 * 7");
    if (next && next->end == BlockEnd::Finished && !next->value.empty()) {
      EXPECT_EQ(next->value, "42") << code;
    }
    EXPECT_EQ(sandbox->is_alive(), next.has_value() && next->end != BlockEnd::Lost) << code;
  }
  expect_fresh_one_works();
}

TEST_F(SandboxAbuseTest, GoesOnAfterBuiltinsWereReplaced) {
  block_time_ = 30s;
  auto sandbox = start_tight();
  run(*sandbox,
      "import builtins\nfor n in 'print len isinstance repr str type dict list tuple int getattr "
      "hasattr open exec compile'.split(): setattr(builtins, n, None)");
  const BlockResult result = run(*sandbox, "x = 6 * 7\nx");
  EXPECT_EQ(result.value, "42");
  EXPECT_EQ(run(*sandbox, "SUBMIT(a=1)").submitted, R"({"a":1})");
  EXPECT_EQ(type_of_error(*sandbox, "1/0"), "ZeroDivisionError");
}

TEST_F(SandboxAbuseTest, OutlivesClosedDescriptors) {
  for (const std::string_view code :
       {"import os\nos.closerange(0, 64)", "import os\nos.closerange(3, 64)",
        "import os\nos.close(1); os.close(2)",
        "import os\nfor i in range(64):\n  if i > 2: \n"
        "    try: os.dup2(0, i)\n    except OSError: pass",
        "import os\nr, w = os.pipe()\nfor i in range(64):\n  try: os.dup2(w, i)\n  except OSError: "
        "pass",
        "import os\nkept = []\ntry:\n  while True: kept.append(os.dup(0))\nexcept OSError: pass"}) {
    come_back(code);
  }
  expect_fresh_one_works();
}

TEST_F(SandboxAbuseTest, HoldsThreadsThatGoOn) {
  auto sandbox = start_tight();
  run(*sandbox, R"(
import threading, time
def later():
    global seen
    seen = 'ran on'
    while True:
        try: tool(); time.sleep(0.001)
        except BaseException: pass
threading.Thread(target=later, daemon=True).start())");
  std::this_thread::sleep_for(50ms);
  // Calls between blocks are nobody's: at most they wait for the next block, within the limit.
  const auto next = sandbox->execute("6 * 7");
  if (next && next->end == BlockEnd::Finished) {
    EXPECT_EQ(next->value, "42");
  }
  EXPECT_LE(calls_, 100);
}

// Deadlines that fall anywhere: into a call, into the reading of its answer, before the block. The
// session lives on, and host and guest speak of the same thing.
TEST_F(SandboxAbuseTest, IsInStepAfterInterruptsAtAnyMoment) {
  SandboxOptions options;
  options.limits.tool_calls_max = 10'000'000;
  auto sandbox = start(options);
  Function echo;
  echo.name = "echo";
  echo.parameters = {{"value", "int", {}, true}};
  echo.handler = [](const JsonValue& arguments, const OpContext&) -> Result<FunctionValue> {
    const JsonValue* value = arguments.find("value");
    return FunctionValue{value != nullptr ? *value : JsonValue(), {}};
  };
  ASSERT_TRUE(sandbox->register_tool(std::move(echo)).has_value());
  int interrupted = 0;
  for (int i = 0; i < 200; ++i) {
    OpContext context;
    context.deadline = Deadline(real_clock(), std::chrono::microseconds(37 * i));
    const auto result = sandbox->execute(
        "n = 0\nwhile True:\n  assert echo(n) == n\n  print(n)\n  n += 1", {}, context);
    interrupted += result && result->end == BlockEnd::Interrupted ? 1 : 0;
    ASSERT_TRUE(!result || result->end == BlockEnd::Interrupted)
        << i << " " << (result->error ? result->error->traceback : name_of(result->end));
    const std::string number = std::to_string(i);
    const BlockResult after = run(*sandbox, "print('own')\necho(" + number + ")");
    ASSERT_EQ(after.value, number) << (after.lost ? after.lost->message : "");
    ASSERT_EQ(after.output, "own\n");
    ASSERT_EQ(after.tool_calls, 1U);
  }
  EXPECT_GT(interrupted, 100);
}

// Whoever kills the host kills the session, also one that asked to live on.
TEST_F(SandboxAbuseTest, EndsWithItsHost) {
  const std::vector<std::string> known = names_in(private_temp());
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(::pipe2(pipe_ends.data(), O_CLOEXEC), 0);
  const pid_t host = ::fork();
  if (host == 0) {
    SandboxOptions options;
    options.limits.block_time = 60s;
    options.on_event = [&](const Event& event) {
      if (event.kind != EventKind::Output) return;
      if (::write(pipe_ends[1], event.text.data(), event.text.size()) < 0) ::_exit(2);
    };
    auto sandbox = Sandbox::start(options);
    if (!sandbox) ::_exit(1);
    (void)(*sandbox)->execute(
        "import ctypes, os, signal\nctypes.CDLL(None).prctl(1, 0, 0, 0, 0)\n"
        "for s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n"
        "  except (OSError, ValueError): pass\n"
        "print(os.getpid(), flush=True)\nwhile True: pass");
    ::_exit(0);
  }
  ::close(pipe_ends[1]);
  std::string told;
  std::array<char, 64> buffer{};
  while (told.find('\n') == std::string::npos) {
    const ssize_t size = ::read(pipe_ends[0], buffer.data(), buffer.size());
    ASSERT_GT(size, 0) << "the host ended by itself";
    told.append(buffer.data(), static_cast<std::size_t>(size));
  }
  ::kill(host, SIGKILL);
  ::waitpid(host, nullptr, 0);
  ::close(pipe_ends[0]);
  const int guest = std::stoi(told);
  // Gone, or ended and not yet waited for; the test's own time limit ends a wait in vain.
  const auto program = "/proc/" + std::to_string(guest) + "/exe";
  std::error_code gone;
  while (!std::filesystem::read_symlink(program, gone).empty()) std::this_thread::sleep_for(10ms);
  // A host that was killed has no time to remove the folder: the next one does.
  for (const std::string& name : names_in(private_temp())) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::filesystem::remove_all(private_temp() / name);
  }
}

}  // namespace
}  // namespace helve::sandbox
