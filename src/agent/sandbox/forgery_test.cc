// Code that speaks to the host itself, past the functions it was given: it finds the descriptor and
// sends what it likes. The host believes nothing of it. Neighbour: abuse_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent/sandbox/sandbox.h"
#include "base/json.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// Knows as much as any code in there: sockets are found by trying, messages have four bytes of
// length in front.
constexpr std::string_view kForging = R"(
import json, os, stat
def sockets():
    found = []
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode) or stat.S_ISFIFO(os.fstat(fd).st_mode): found.append(fd)
        except OSError: pass
    return found
def raw(data):
    for fd in sockets():
        try: os.write(fd, data)
        except OSError: pass
def frame(body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    raw(len(body).to_bytes(4, 'big') + body)
def answer(fd=3):
    def exactly(size):
        data = b''
        while len(data) < size: data += os.read(fd, size - len(data))
        return data
    return json.loads(exactly(int.from_bytes(exactly(4), 'big')))
assert sockets()
)";

class SandboxForgeryTest : public SandboxTest {
 protected:
  static SandboxOptions options() {
    SandboxOptions options;
    options.limits.block_time = 2s;
    options.limits.message_bytes_max = 8 * kMiB;
    options.limits.argument_bytes_max = 1 * kMiB;
    options.limits.submit_bytes_max = 1 * kMiB;
    options.limits.tool_calls_max = 50;
    options.limits.model_calls_max = 5;
    options.submit_fields = {{"answer", "int"}};
    return options;
  }

  std::unique_ptr<Sandbox> start_forging(SandboxOptions chosen = options()) {
    auto sandbox = start(std::move(chosen));
    Function tool;
    tool.name = "tool";
    tool.parameters = {{"value", "str", {}, true}};
    tool.handler = [this](const JsonValue& arguments, const OpContext&) -> Result<FunctionValue> {
      calls_.push_back(to_json(arguments));
      return FunctionValue{JsonValue(reply_), {}};
    };
    EXPECT_TRUE(sandbox->register_tool(std::move(tool)).has_value());
    EXPECT_EQ(run(*sandbox, kForging).end, BlockEnd::Finished);
    return sandbox;
  }

  // Comes back, and is lost or not, consistently.
  BlockResult forge(const std::string& code) {
    auto sandbox = start_forging();
    BlockResult result = run(*sandbox, code);
    EXPECT_EQ(result.end == BlockEnd::Lost, result.lost.has_value()) << code;
    if (result.lost) {
      EXPECT_FALSE(sandbox->is_alive()) << code;
      EXPECT_FALSE(result.lost->message.empty()) << code;
    } else if (!sandbox->is_alive()) {  // forging code may end after its block
      EXPECT_EQ(run(*sandbox, "1").end, BlockEnd::Lost) << code;
    }
    return result;
  }

  std::vector<std::string> calls_;
  std::string reply_ = "answer";
};

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST_F(SandboxForgeryTest, OutlivesRandomBytes) {
  for (int seed = 0; seed < 20; ++seed) {
    forge(
        fmt::format("import random\nrandom.seed({})\nraw(random.randbytes(random.randrange(1, "
                    "5000)))",
                    seed));
  }
  EXPECT_THAT(calls_, ::testing::IsEmpty());
  expect_fresh_one_works();
}

TEST_F(SandboxForgeryTest, RefusesLengthsThatLie) {
  // More than may be: refused by the number alone.
  for (const std::string_view head :
       {"\\x40\\0\\0\\0", "\\xff\\xff\\xff\\xff", "\\x80\\0\\0\\0", "\\0\\x80\\0\\x01"}) {
    const BlockResult result = forge(fmt::format("raw(b'{}')", head));
    EXPECT_EQ(result.end, BlockEnd::Lost) << head;
  }
  // None at all, many times, or less than it says and then an end.
  for (const std::string_view code :
       {"raw(b'\\0\\0\\0\\0')", "raw(b'\\0\\0\\0\\0' * 10_000)",
        "raw(b'\\0\\0\\0\\x64' + b'x' * 50)\nos._exit(0)", "raw(b'\\0\\0')\nos._exit(0)",
        "raw(b'\\0\\0\\0\\x64' + b'x' * 50)\nimport time\ntime.sleep(1000)"}) {
    forge(std::string(code));
  }
  expect_fresh_one_works();
}

TEST_F(SandboxForgeryTest, RefusesWhatIsNoMessage) {
  constexpr const char* kDeepArguments =
      R"(b'{"op":"call","name":"tool","arguments":' + b'[' * 100_000 + b']' * 100_000 + b'}')";
  for (const std::string_view body : {"b''",
                                      "b'null'",
                                      "b'[]'",
                                      "b'7'",
                                      "b'{'",
                                      "b'\\xff\\xfe'",
                                      "{}",
                                      "{'op': 7}",
                                      "{'op': None}",
                                      "{'op': ''}",
                                      "{'op': 'x' * 1_000_000}",
                                      "{'op': 'execute', 'code': '1'}",
                                      "{'op': 'value'}",
                                      "{'op': 'ready'}",
                                      "{'op': 'call'}",
                                      "{'op': 'call', 'name': 7}",
                                      "{'op': 'call', 'name': 'tool', 'arguments': []}",
                                      "{'op': 'model'}",
                                      "{'op': 'model', 'prompts': 'x'}",
                                      "{'op': 'model', 'prompts': [7]}",
                                      "{'op': 'rows', 'key': 7}",
                                      "{'op': 'rows', 'key': 'k', 'offset': -1, 'limit': 1e99}",
                                      "{'op': 'submit'}",
                                      "{'op': 'submit', 'value': 7}",
                                      "{'op': 'submit', 'value': {}}",
                                      "b'[' * 1_000_000",
                                      "b'{\"op\":\"call\",\"op\":\"submit\"}'",
                                      kDeepArguments}) {
    const BlockResult result = forge(fmt::format("frame({})", body));
    EXPECT_FALSE(result.submitted) << body;
    EXPECT_EQ(result.tool_calls, 0U) << body;
  }
  EXPECT_THAT(calls_, ::testing::IsEmpty());
}

TEST_F(SandboxForgeryTest, RunsOnlyToolsThatWereGranted) {
  auto other = start();
  int dropped = 0;
  Function drop;
  drop.name = "drop_all";
  drop.handler = [&](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
    ++dropped;
    return FunctionValue{};
  };
  ASSERT_TRUE(other->register_tool(drop).has_value());
  auto sandbox = start_forging();
  const BlockResult result = run(*sandbox, R"(
frame({'op': 'call', 'name': 'drop_all', 'arguments': {}})
said = answer()
said['error']['code'], 'drop_all' in said['error']['message'])");
  EXPECT_EQ(result.value, "('not_found', True)");
  EXPECT_EQ(dropped, 0);
  // A granted one can be called so, and counts as any call.
  const BlockResult granted = run(*sandbox, R"(
frame({'op': 'call', 'name': 'tool', 'arguments': {'value': 'v', 'more': 1}})
answer())");
  EXPECT_NE(granted.end, BlockEnd::Lost);
  EXPECT_LE(calls_.size(), 1U);
  EXPECT_EQ(granted.tool_calls, calls_.size());
}

TEST_F(SandboxForgeryTest, ChecksWhatIsSubmitted) {
  for (const std::string_view value :
       {"{'answer': 'text'}", "{'answer': True}", "{'answer': 1.5}", "{'answer': None}", "{}",
        "{'answer': 1, 'more': 2}", "{'answer': [1]}", "{'answer': 'x' * 2_000_000}"}) {
    auto sandbox = start_forging();
    const BlockResult result =
        run(*sandbox, fmt::format("frame({{'op': 'submit', 'value': {}}})\nanswer()", value));
    EXPECT_FALSE(result.submitted) << value;
  }
  auto sandbox = start_forging();
  EXPECT_EQ(run(*sandbox, "frame({'op': 'submit', 'value': {'answer': 3}})\nanswer()").submitted,
            R"({"answer":3})");
}

// "done" in the middle of a block: without the number of the block it ends the session, not the
// block; with it the block is over for the host, and what the code does then is nobody's.
TEST_F(SandboxForgeryTest, DoesNotTakeAForgedEndForAnEnd) {
  for (const std::string_view fields : {"", "'id': 1, ", "'id': -1, ", "'id': 'x', "}) {
    const BlockResult result = forge(fmt::format(
        "frame({{'op': 'done', {}'value': 'forged', 'value_type': 'str', 'error': None}})\n"
        "import time\ntime.sleep(0.05)\n'real'",
        fields));
    EXPECT_NE(result.value, "forged") << fields;
  }
}

// Found in the objects of the interpreter, as any code can.
TEST_F(SandboxForgeryTest, IsNotConfusedByAnEndThatBearsTheRightNumber) {
  auto sandbox = start_forging();
  const BlockResult first = run(*sandbox, R"(
import gc
def number():
    for o in gc.get_objects():
        if type(o) is dict and o.get('op') == 'execute' and 'id' in o: return o['id']
    import sys
    frame_ = sys._getframe()
    while frame_:
        message = frame_.f_locals.get('message')
        if type(message) is dict and 'id' in message: return message['id']
        frame_ = frame_.f_back
id_ = number()
frame({'op': 'done', 'id': id_, 'value': 'forged', 'value_type': 'x' * 100_000, 'error': {'type': 7, 'line': -3, 'message': ['x'], 'traceback': 'y' * 5_000_000}})
frame({'op': 'done', 'id': id_ + 1, 'value': 'forged for the next', 'value_type': 'str', 'error': None})
import time
time.sleep(0.2)
'real')");
  EXPECT_LE(first.value_type.size(), 10'000U);
  if (first.error) {
    EXPECT_LE(first.error->traceback.size(), 100'000U);
  }
  // It may go on or be lost. It is the guest's own value, and no other session's.
  const auto next = sandbox->execute("6 * 7");
  EXPECT_EQ(sandbox->is_alive(), next.has_value() && next->end != BlockEnd::Lost);
  expect_fresh_one_works();
}

TEST_F(SandboxForgeryTest, EndsAFloodOfFrames) {
  for (const std::string_view body :
       {"{}", "{'op': 'call', 'name': 'none', 'arguments': {}}", "b'x' * 100_000",
        "{'op': 'call', 'name': 'tool', 'arguments': {'value': 'v'}}",
        "{'op': 'model', 'prompts': ['p'] * 100}", "{'op': 'rows', 'key': 'k'}",
        "{'op': 'submit', 'value': {'answer': 'x'}}", "{'op': 'submit', 'value': {'answer': 1}}"}) {
    const BlockResult result = forge(fmt::format("while True: frame({})", body));
    EXPECT_THAT(result.end, AnyOf(BlockEnd::Lost, BlockEnd::Interrupted)) << body;
    EXPECT_LE(calls_.size(), 50U);
  }
  expect_fresh_one_works();
}

// Answers that nobody takes must not pile up in the host: here that would be 400 MB.
TEST_F(SandboxForgeryTest, DoesNotKeepAnswersForWhoNeverReads) {
  reply_ = std::string(4'000'000, 'r');
  SandboxOptions chosen = options();
  chosen.limits.tool_calls_max = 10'000;
  auto sandbox = start_forging(chosen);
  const std::uint64_t before = resident_bytes();
  const BlockResult result = run(
      *sandbox,
      "for i in range(100): frame({'op': 'call', 'name': 'tool', 'arguments': {'value': 'v'}})\n"
      "import time\ntime.sleep(0.5)");
  const std::uint64_t after = resident_bytes();
  EXPECT_LT(after, before + 100 * kMiB) << calls_.size() << " calls";
  EXPECT_LE(result.tool_calls, 100U);
}

// Few bytes that become many values.
TEST_F(SandboxForgeryTest, BoundsWhatAMessageBecomes) {
  SandboxOptions chosen = options();
  chosen.limits.message_bytes_max = 64 * kMiB;
  chosen.limits.block_time = 5s;
  auto sandbox = start_forging(chosen);
  const std::uint64_t before = resident_bytes();
  run(*sandbox,
      "frame(b'{\"op\":\"call\",\"name\":\"tool\",\"arguments\":{\"value\":[' + b'[],' * "
      "20_000_000 + b'0]}}')");
  EXPECT_THAT(calls_, ::testing::IsEmpty());
  EXPECT_LT(resident_bytes(), before + 200 * kMiB);
}

TEST_F(SandboxForgeryTest, SpeaksBetweenBlocks) {
  auto sandbox = start_forging();
  run(*sandbox, R"(
import threading, time
def later():
    for i in range(100):
        time.sleep(0.005)
        frame({'op': 'call', 'name': 'tool', 'arguments': {'value': 'between'}})
        frame({'op': 'done', 'value': 'forged', 'value_type': 'str', 'error': None})
threading.Thread(target=later, daemon=True).start())");
  std::this_thread::sleep_for(100ms);
  const auto next = sandbox->execute("6 * 7");
  if (next) {
    EXPECT_NE(next->value, "forged");
  }
  const auto read = sandbox->variable("id_");
  EXPECT_FALSE(read.has_value());
  expect_fresh_one_works();
}

// The host asks for a variable; what answers is the guest's.
TEST_F(SandboxForgeryTest, ReadsHostileAnswersToQuestions) {
  for (const std::string_view code :
       {"import gc\nfor o in gc.get_objects():\n  if type(o).__name__ == 'Host': o.write_message = "
        "lambda *a: frame({'op': 'value', 'id': 1})",
        "import gc\nfor o in gc.get_objects():\n  if type(o).__name__ == 'Session':\n"
        "    o.views = lambda *a: {'op': 'views', 'views': [{'name': 7, 'length': -1}] * 1000}\n"
        "    o.value_json = lambda *a: ({'op': 'value'}, b'{not json')",
        "import gc\nfor o in gc.get_objects():\n  if type(o).__name__ == 'Session':\n"
        "    o.views = lambda *a: 1/0\n    o.value_json = lambda *a: os._exit(0)"}) {
    auto sandbox = start_forging();
    run(*sandbox, code);
    if (const auto views = sandbox->variables()) {
      EXPECT_LE(views->size(), 200U);
    }
    (void)sandbox->variable("x");
    (void)sandbox->execute("1");
  }
  expect_fresh_one_works();
}

}  // namespace
}  // namespace helve::sandbox
