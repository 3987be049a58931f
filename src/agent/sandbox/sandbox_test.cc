// What a block gives: output, value, exception and SUBMIT, each whole whatever the others are; what
// lasts between blocks; what ends a block. Neighbours: output_test.cc, tools_test.cc,
// variables_test.cc, abuse_test.cc.
#include "agent/sandbox/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/json.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class SandboxSessionTest : public SandboxTest {};

TEST_F(SandboxSessionTest, GivesOutputValueAndNothingElse) {
  auto sandbox = start();
  const BlockResult result = run(*sandbox, "print('seen')\n40 + 2");
  EXPECT_EQ(result.end, BlockEnd::Finished);
  EXPECT_EQ(result.output, "seen\n");
  EXPECT_EQ(result.value, "42");
  EXPECT_EQ(result.value_type, "int");
  EXPECT_FALSE(result.error || result.submitted || result.lost);
  EXPECT_EQ(result.output_omitted_bytes + result.tool_calls + result.model_calls, 0U);
}

TEST_F(SandboxSessionTest, HasNoValueWithoutALastExpression) {
  auto sandbox = start();
  for (const std::string_view code : {"", "# nothing", "x = 1", "1\nx = 2", "None", "pass",
                                      "for i in range(3): i", "def f(): return 1"}) {
    const BlockResult result = run(*sandbox, code);
    EXPECT_EQ(result.end, BlockEnd::Finished) << code;
    EXPECT_EQ(result.value, "") << code;
    EXPECT_EQ(result.value_type, "") << code;
    EXPECT_EQ(result.output, "") << code;
  }
  const BlockResult empty = run(*sandbox, "''");
  EXPECT_EQ(empty.value, "''");
  EXPECT_EQ(empty.value_type, "str");
}

TEST_F(SandboxSessionTest, KeepsWhatWasPrintedBeforeAnException) {
  auto sandbox = start();
  const BlockResult result =
      run(*sandbox, "print('a')\nprint('b', end='')\nraise ValueError('no')");
  EXPECT_EQ(result.end, BlockEnd::Raised);
  EXPECT_THAT(result.output, StartsWith("a\nb"));
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, "ValueError");
  EXPECT_EQ(result.error->message, "no");
  EXPECT_EQ(result.error->line, 3U);
  expect_works(*sandbox);
}

TEST_F(SandboxSessionTest, KeepsWhatWasPrintedBeforeSubmit) {
  auto sandbox = start();
  const BlockResult result = run(*sandbox, "print('found it')\nSUBMIT(answer=42)\nprint('never')");
  EXPECT_EQ(result.end, BlockEnd::Submitted);
  EXPECT_EQ(result.output, "found it\n");
  EXPECT_EQ(result.submitted, R"({"answer":42})");
  EXPECT_FALSE(result.error);
}

// All four in one block: SUBMIT is caught and the code goes on, which it should not, but may.
TEST_F(SandboxSessionTest, KeepsOutputSubmissionAndExceptionTogether) {
  auto sandbox = start();
  const BlockResult result = run(*sandbox, R"(
print('one')
try: SUBMIT(a=1)
except BaseException: print('caught')
raise KeyError('later'))");
  EXPECT_THAT(result.output, HasSubstr("one\n"));
  EXPECT_EQ(result.submitted, R"({"a":1})");
  EXPECT_TRUE(result.end == BlockEnd::Submitted || result.end == BlockEnd::Raised);
}

TEST_F(SandboxSessionTest, ShowsAtMostTenThousandCharactersOfAValue) {
  auto sandbox = start();
  const BlockResult result = run(*sandbox, "'é' * 1_000_000");
  EXPECT_EQ(result.value_type, "str");
  EXPECT_LE(result.value.size(), 30'000U);
  EXPECT_GE(result.value.size(), 5'000U);
  EXPECT_TRUE(parse_json(to_json(JsonValue(result.value))).has_value());
}

TEST_F(SandboxSessionTest, KeepsItsNamespace) {
  auto sandbox = start();
  run(*sandbox, "import math\nx = 20\ndef double(n): return 2 * n\nclass Box: size = 1");
  EXPECT_EQ(run(*sandbox, "double(x) + Box.size + math.floor(1.5)").value, "42");
  run(*sandbox, "x += 1\nraise ValueError");
  EXPECT_EQ(run(*sandbox, "x").value, "21");
  EXPECT_EQ(run(*sandbox, "__name__").value, "'__main__'");
  EXPECT_EQ(run(*sandbox, "[x for i in range(1)], (lambda: x)()").value, "([21], 21)");
  run(*sandbox, "from __future__ import annotations");
  EXPECT_EQ(run(*sandbox, "import pickle; pickle.loads(pickle.dumps(Box())).size").value, "1");
}

TEST_F(SandboxSessionTest, TellsWhereAnExceptionCameFrom) {
  auto sandbox = start();
  run(*sandbox, "def deep(n):\n    if n == 0:\n        return 1 / 0\n    return deep(n - 1)\n");
  const BlockResult result = run(*sandbox, "a = 1\nb = 2\ndeep(2)\nc = 3");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, "ZeroDivisionError");
  EXPECT_EQ(result.error->message, "division by zero");
  EXPECT_EQ(result.error->line, 3U);
  EXPECT_THAT(result.error->traceback, AllOf(HasSubstr("line 3"), HasSubstr("deep"),
                                             HasSubstr("ZeroDivisionError: division by zero")));
  // The lines of whoever runs the block are nobody's matter.
  EXPECT_THAT(result.error->traceback, Not(HasSubstr("exec(")));
}

TEST_F(SandboxSessionTest, ShowsCausesOfExceptions) {
  auto sandbox = start();
  const BlockResult result =
      run(*sandbox, "try:\n    {}['k']\nexcept KeyError as e:\n    raise OSError('gone') from e");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, "OSError");
  EXPECT_EQ(result.error->line, 4U);
  EXPECT_THAT(result.error->traceback, AllOf(HasSubstr("KeyError"), HasSubstr("gone")));
}

TEST_F(SandboxSessionTest, TellsTheLineOfASyntaxError) {
  auto sandbox = start();
  const BlockResult result = run(*sandbox, "x = 1\ny = (\nprint('never')\nz = = 2\n");
  EXPECT_EQ(result.end, BlockEnd::Raised);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, "SyntaxError");
  ASSERT_TRUE(result.error->line);
  EXPECT_GE(*result.error->line, 2U);
  EXPECT_LE(*result.error->line, 4U);
  EXPECT_EQ(result.output, "");
  const BlockResult indent = run(*sandbox, "x = 1\n   y = 2");
  ASSERT_TRUE(indent.error);
  EXPECT_EQ(indent.error->type, "IndentationError");
  EXPECT_EQ(indent.error->line, 2U);
  EXPECT_EQ(run(*sandbox, "try: x\nexcept NameError: x = 'unset'\nx").value, "'unset'");
  for (const std::string_view code : {std::string_view("a\0b", 3), std::string_view("'\xff'")}) {
    const auto refused = sandbox->execute(code);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidInput);
  }
  expect_works(*sandbox);
}

TEST_F(SandboxSessionTest, OutlivesSysExit) {
  auto sandbox = start();
  const BlockResult zero = run(*sandbox, "print('bye')\nimport sys\nsys.exit(0)");
  EXPECT_EQ(zero.end, BlockEnd::Finished);
  EXPECT_EQ(zero.output, "bye\n");
  EXPECT_EQ(run(*sandbox, "sys.exit()").end, BlockEnd::Finished);
  const BlockResult three = run(*sandbox, "sys.exit(3)");
  EXPECT_EQ(three.end, BlockEnd::Raised);
  ASSERT_TRUE(three.error);
  EXPECT_EQ(three.error->type, "SystemExit");
  EXPECT_THAT(three.error->message, HasSubstr("3"));
  EXPECT_EQ(run(*sandbox, "raise KeyboardInterrupt").end, BlockEnd::Raised);
  EXPECT_EQ(run(*sandbox, "raise GeneratorExit").end, BlockEnd::Raised);
  expect_works(*sandbox);
}

TEST_F(SandboxSessionTest, InterruptsABlockAndLivesOn) {
  SandboxOptions options;
  options.limits.block_time = 300ms;
  auto sandbox = start(options);
  for (const std::string_view code :
       {"print('on')\nkept = 7\nwhile True: pass", "print('on')\nimport time\ntime.sleep(1000)",
        "print('on')\nimport threading\nthreading.Event().wait()"}) {
    const BlockResult result = run(*sandbox, code);
    EXPECT_EQ(result.end, BlockEnd::Interrupted) << code;
    EXPECT_EQ(result.output, "on\n");
    ASSERT_TRUE(result.error) << code;
    EXPECT_EQ(result.error->type, "TimeLimit");
    EXPECT_TRUE(sandbox->is_alive());
  }
  EXPECT_EQ(run(*sandbox, "kept").value, "7");
}

TEST_F(SandboxSessionTest, KillsABlockThatDoesNotStop) {
  SandboxOptions options;
  options.limits.block_time = 300ms;
  auto sandbox = start(options);
  const BlockResult result = run(*sandbox,
                                 "print('on')\nimport collections, itertools\n"
                                 "collections.deque(itertools.repeat(0), maxlen=0)");
  EXPECT_EQ(result.end, BlockEnd::Lost);
  EXPECT_EQ(result.output, "on\n");
  ASSERT_TRUE(result.lost);
  EXPECT_FALSE(result.lost->message.empty());
  EXPECT_FALSE(sandbox->is_alive());
  const auto next = sandbox->execute("1");
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().code, ErrorCode::Unavailable);
  EXPECT_FALSE(sandbox->variable("x").has_value());
  EXPECT_FALSE(sandbox->variables().has_value());
}

TEST_F(SandboxSessionTest, StopsWhenItIsCancelled) {
  auto sandbox = start();
  OpContext context;
  std::thread canceller([token = context.cancel] {
    std::this_thread::sleep_for(200ms);
    token.cancel();
  });
  const auto result = sandbox->execute("import time\nwhile True: time.sleep(0.01)", {}, context);
  canceller.join();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->end, BlockEnd::Interrupted);
  expect_works(*sandbox);
  // One that is cancelled before it begins runs nothing, or is interrupted at once.
  const auto never = sandbox->execute("ran = 1\nimport time\ntime.sleep(100)", {}, context);
  EXPECT_TRUE(!never || never->end == BlockEnd::Interrupted);
  expect_works(*sandbox);
}

TEST_F(SandboxSessionTest, HonoursTheDeadlineOfItsCaller) {
  auto sandbox = start();
  OpContext context;
  context.deadline = Deadline(real_clock(), 200ms);
  const auto result = sandbox->execute("while True: pass", {}, context);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->end, BlockEnd::Interrupted);
  expect_works(*sandbox);
}

TEST_F(SandboxSessionTest, RunsAThousandBlocks) {
  auto sandbox = start();
  run(*sandbox, "n = 0");
  for (int i = 1; i <= 1'000; ++i) {
    const BlockResult result = run(*sandbox, "n += 1\nprint(n)\nn");
    ASSERT_EQ(result.value, std::to_string(i));
    ASSERT_EQ(result.output, std::to_string(i) + "\n");
  }
}

TEST_F(SandboxSessionTest, TellsEventsInOrder) {
  std::vector<std::string> seen;
  SandboxOptions options;
  options.on_event = [&](const Event& event) {
    std::string line(name_of(event.kind));
    if (event.kind == EventKind::Output) line += ":" + std::string(event.text);
    if (event.kind == EventKind::Submitted) line += ":" + std::string(event.text);
    if (event.is_error) line += "!";
    if (!seen.empty() && event.kind == EventKind::Output && seen.back().rfind("output:", 0) == 0) {
      seen.back() += std::string(event.text);  // output comes in pieces of any size
    } else {
      seen.push_back(line);
    }
  };
  auto sandbox = start(options);
  EXPECT_THAT(seen, ElementsAre("started"));
  seen.clear();
  run(*sandbox, "print('a')\nprint('b')\nSUBMIT(x=1)");
  EXPECT_THAT(seen,
              ElementsAre("block_started", "output:a\nb\n", "submitted:{\"x\":1}", "block_ended"));
  seen.clear();
  run(*sandbox, "1/0");
  EXPECT_THAT(seen, ElementsAre("block_started", "block_ended!"));
  seen.clear();
  run(*sandbox, "import os; os._exit(1)");
  EXPECT_THAT(seen, ElementsAre("block_started", "lost!", "block_ended!"));
}

TEST_F(SandboxSessionTest, SomeFieldsNeedNotBeSubmitted) {
  SandboxOptions options;
  options.submit_fields = {{"answer", "str"}, {"more", "list", true}};
  auto sandbox = start(options);
  EXPECT_EQ(run(*sandbox, "SUBMIT('x')").submitted, R"({"answer":"x"})");
  EXPECT_EQ(run(*sandbox, "SUBMIT(answer='x', more=[1])").submitted,
            R"({"answer":"x","more":[1]})");
  for (const char* bad :
       {"SUBMIT('x', [1])", "SUBMIT('x', more=1)", "SUBMIT(more=[1])", "SUBMIT('x', other=1)"}) {
    EXPECT_EQ(run(*sandbox, bad).end, BlockEnd::Raised) << bad;
  }
}

TEST_F(SandboxSessionTest, TypesWhatIsSubmitted) {
  SandboxOptions options;
  options.submit_fields = {{"answer", "str"}, {"rows", "list"}, {"score", "float"},
                           {"count", "int"},  {"sure", "bool"}, {"more", "dict"}};
  auto sandbox = start(options);
  const auto submit = [&](const std::string& arguments) {
    return run(*sandbox, "SUBMIT(" + arguments + ")");
  };
  const BlockResult good =
      submit("answer='é', rows=[1, None], score=0.5, count=3, sure=True, more={'k': [1]}");
  EXPECT_EQ(good.end, BlockEnd::Submitted);
  ASSERT_TRUE(good.submitted);
  EXPECT_EQ(*parse_json(*good.submitted),
            *parse_json(R"({"answer":"é","rows":[1,null],"score":0.5,"count":3,"sure":true,)"
                        R"("more":{"k":[1]}})"));
  // An int is a float; a bool is no int.
  EXPECT_EQ(submit("answer='x', rows=[], score=1, count=3, sure=False, more={}").end,
            BlockEnd::Submitted);
  for (const std::string bad :
       {"answer=1, rows=[], score=1, count=3, sure=False, more={}",
        "answer='x', rows='no', score=1, count=3, sure=False, more={}",
        "answer='x', rows=[], score='1', count=3, sure=False, more={}",
        "answer='x', rows=[], score=1, count=1.5, sure=False, more={}",
        "answer='x', rows=[], score=1, count=True, sure=False, more={}",
        "answer='x', rows=[], score=1, count=3, sure=1, more={}",
        "answer='x', rows=[], score=1, count=3, sure=False, more=[]", "answer='x'", "",
        "answer='x', rows=[], score=1, count=3, sure=False, more={}, extra=1"}) {
    const BlockResult result = submit(bad);
    EXPECT_EQ(result.end, BlockEnd::Raised) << bad;
    EXPECT_FALSE(result.submitted) << bad;
    ASSERT_TRUE(result.error) << bad;
    EXPECT_EQ(result.error->type, "TypeError") << bad;
  }
  EXPECT_THAT(submit("answer=1, rows=[], score=1, count=3, sure=False, more={}").error->message,
              AllOf(HasSubstr("answer"), HasSubstr("str")));
}

TEST_F(SandboxSessionTest, HasTheModulesThatCodeUses) {
  SandboxOptions options;
  for (const bool is_preloaded : {false, true}) {
    options.is_preloaded = is_preloaded;
    auto sandbox = start(options);
    const BlockResult result = run(*sandbox, R"(
import asyncio, collections, csv, dataclasses, datetime, decimal, io, itertools, json, math, random
import re, sqlite3, statistics, string, tempfile, textwrap, threading, time, typing, unicodedata, uuid
import concurrent.futures, fractions, functools, hashlib, heapq, operator, os, pathlib, queue
async def double(n):
    await asyncio.sleep(0.001)
    return 2 * n
async def all_of(): return await asyncio.gather(*(double(i) for i in range(5)))
assert asyncio.run(all_of()) == [0, 2, 4, 6, 8]
found = []
threads = [threading.Thread(target=found.append, args=(i,)) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert sorted(found) == list(range(8))
with concurrent.futures.ThreadPoolExecutor(4) as pool: assert list(pool.map(abs, [-1, -2])) == [1, 2]
db = sqlite3.connect('data.db'); db.execute('create table t (a, b)')
db.executemany('insert into t values (?, ?)', [(i, str(i)) for i in range(1000)]); db.commit()
assert db.execute('select sum(a) from t').fetchone() == (499500,)
db.execute('create index i on t (b)'); db.execute('vacuum'); db.close()
with open('rows.csv', 'w', newline='') as f: csv.writer(f).writerows([[1, 'a'], [2, 'b']])
assert list(csv.reader(open('rows.csv'))) == [['1', 'a'], ['2', 'b']]
with tempfile.TemporaryDirectory() as d: (pathlib.Path(d) / 'x').write_text('y')
with tempfile.NamedTemporaryFile() as f: f.write(b'x')
assert tempfile.TemporaryFile().write(b'abc') == 3
os.makedirs('a/b'); os.rename('rows.csv', 'a/b/rows.csv'); assert os.listdir('a/b') == ['rows.csv']
os.remove('a/b/rows.csv'); os.removedirs('a/b')
assert datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc).isoformat() == '2026-01-01T00:00:00+00:00'
assert decimal.Decimal('0.1') + decimal.Decimal('0.2') == decimal.Decimal('0.3')
assert re.findall(r'\d+', 'a1b22') == ['1', '22'] and json.loads(json.dumps({'a': [1.5]})) == {'a': [1.5]}
assert collections.Counter('aab')['a'] == 2 and len(hashlib.sha256(b'x').hexdigest()) == 64
assert random.random() < 1 and len(str(uuid.uuid4())) == 36 and time.time() > 1e9
'all there')");
    EXPECT_EQ(result.value, "'all there'") << (result.error ? result.error->traceback : "");
  }
}

TEST_F(SandboxSessionTest, RunsTwoAtOnceApart) {
  auto one = start();
  auto two = start();
  run(*one, "x = 'one'\nopen('f', 'w').write(x)");
  run(*two, "x = 'two'\nopen('f', 'w').write(x)");
  EXPECT_EQ(run(*one, "x, open('f').read()").value, "('one', 'one')");
  EXPECT_EQ(run(*two, "x, open('f').read()").value, "('two', 'two')");
  run(*one, "import os; os._exit(0)");
  expect_works(*two);
}

// The death signal of a process is that of the thread that made it: the session must not hear it.
TEST_F(SandboxSessionTest, OutlivesTheThreadThatStartedIt) {
  std::unique_ptr<Sandbox> sandbox;
  std::thread([&] { sandbox = start(); }).join();
  std::this_thread::sleep_for(100ms);
  expect_works(*sandbox);
  std::thread([&] { expect_works(*sandbox); }).join();
  expect_works(*sandbox);
}

TEST_F(SandboxSessionTest, TellsWhatItIs) {
  auto sandbox = start();
  EXPECT_THAT(sandbox->interpreter(), AllOf(StartsWith("CPython 3."), HasSubstr("/")));
  EXPECT_TRUE(all_hold(sandbox->layers()));
  EXPECT_EQ(sandbox->layers().size(), kLayerCount);
  EXPECT_TRUE(sandbox->is_alive());
  sandbox->shutdown();
  EXPECT_FALSE(sandbox->is_alive());
  EXPECT_FALSE(sandbox->execute("1").has_value());
  sandbox->shutdown();
}

TEST_F(SandboxSessionTest, SaysWhatItCannotStart) {
  SandboxOptions options;
  options.python = "/nowhere/python3";
  auto nowhere = Sandbox::start(options);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().code, ErrorCode::NotFound);
  EXPECT_THAT(nowhere.error().message, HasSubstr("/nowhere/python3"));
  options.python = "/bin/true";
  EXPECT_FALSE(Sandbox::start(options).has_value());
  options.python = "/etc";
  EXPECT_FALSE(Sandbox::start(options).has_value());
}

TEST_F(SandboxSessionTest, ImportsFromModuleFolders) {
  const TempDirectory folder;
  ::chmod(folder.path().c_str(), 0755);
  std::ofstream(folder / "extra_module.py") << "value = 'imported'\n";
  SandboxOptions options;
  options.module_folders = {folder.path()};
  auto sandbox = start(options);
  EXPECT_EQ(run(*sandbox, "import extra_module; extra_module.value").value, "'imported'");
  EXPECT_EQ(run(*sandbox, "open(extra_module.__file__, 'a')").end, BlockEnd::Raised);
}

}  // namespace
}  // namespace helve::sandbox
