// What blocks print: in order, as text, within its size. Neighbour: sandbox_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/sandbox/sandbox.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SandboxOutputTest : public SandboxTest {};

TEST_F(SandboxOutputTest, ShowsOutputInTheOrderOfPrinting) {
  auto sandbox = start();
  const BlockResult result = run(*sandbox, R"(
import os, sys
print('1 out')
print('2 err', file=sys.stderr)
os.write(1, b'3 direct\n')
sys.stdout.write('4 out\n')
os.write(2, b'5 direct err\n')
sys.stderr.write('6 err\n')
sys.__stdout__.write('7 original\n')
sys.stdout.buffer.write(b'8 bytes\n')
print('9 out'))");
  EXPECT_EQ(result.end, BlockEnd::Finished);
  EXPECT_EQ(result.output,
            "1 out\n2 err\n3 direct\n4 out\n5 direct err\n6 err\n7 original\n8 bytes\n9 out\n");
}

TEST_F(SandboxOutputTest, ShowsPartialLinesAndUnicode) {
  auto sandbox = start();
  EXPECT_EQ(run(*sandbox, "print('no end', end='')").output, "no end");
  EXPECT_EQ(run(*sandbox, "print('é 漢字 🎉 \\u202e')").output, "é 漢字 🎉 \u202e\n");
  EXPECT_EQ(run(*sandbox, "print('a\\0b')").output, std::string("a\0b\n", 4));
  EXPECT_EQ(run(*sandbox, "'é漢🎉'").value, "'é漢🎉'");
}

TEST_F(SandboxOutputTest, MakesOutputUtf8WhateverIsWritten) {
  auto sandbox = start();
  const BlockResult result = run(*sandbox, "import os; _ = os.write(1, b'a\\xff\\xfeb\\xf0\\x9f')");
  EXPECT_EQ(result.output, "a\uFFFD\uFFFDb\uFFFD\uFFFD");
  const BlockResult lone = run(*sandbox, "print('x' + chr(0xd800) + 'y')");
  EXPECT_TRUE(parse_json(to_json(JsonValue(lone.output))).has_value());
  EXPECT_NE(lone.end, BlockEnd::Lost);
  const BlockResult value = run(*sandbox, "chr(0xdfff)");
  EXPECT_TRUE(parse_json(to_json(JsonValue(value.value))).has_value());
}

TEST_F(SandboxOutputTest, OmitsTheMiddleOfLongOutput) {
  SandboxOptions options;
  options.limits.output_bytes_kept = 1'000;
  auto sandbox = start(options);
  const BlockResult result =
      run(*sandbox, "for i in range(10_000): print(f'{i:09d}')\nprint('last')");
  EXPECT_EQ(result.output_omitted_bytes, 99'005U);
  const std::string mark = "\n... 99005 bytes omitted ...\n";
  EXPECT_EQ(result.output.size(), 1'000U + mark.size());
  EXPECT_EQ(result.output.substr(500, mark.size()), mark);
  EXPECT_THAT(result.output, AllOf(StartsWith("000000000\n000000001\n"), EndsWith("9999\nlast\n")));
  // Exactly at the limit nothing is left out, and the next block begins anew.
  const BlockResult whole = run(*sandbox, "print('x' * 999)");
  EXPECT_EQ(whole.output, std::string(999, 'x') + "\n");
  EXPECT_EQ(whole.output_omitted_bytes, 0U);
}

TEST_F(SandboxOutputTest, CutsBetweenCharactersOnly) {
  SandboxOptions options;
  options.limits.output_bytes_kept = 100;
  auto sandbox = start(options);
  const BlockResult result = run(*sandbox, "print('漢' * 1000, end='')");
  EXPECT_THAT(result.output, AllOf(StartsWith("漢"), EndsWith("漢"), HasSubstr("omitted")));
  EXPECT_EQ(result.output.find("\uFFFD"), std::string::npos);
}

// Output comes in pieces; whoever writes them down one by one writes text.
TEST_F(SandboxOutputTest, TellsOutputInPiecesOfWholeCharacters) {
  std::string all;
  int torn = 0;
  SandboxOptions options;
  options.on_event = [&](const Event& event) {
    if (event.kind != EventKind::Output) return;
    all += event.text;
    if (utf8_valid_prefix(event.text) != event.text.size()) ++torn;
  };
  auto sandbox = start(options);
  const BlockResult result = run(*sandbox, "print('x' + '漢🎉é' * 100_000, end='')");
  EXPECT_EQ(all, result.output);
  EXPECT_EQ(torn, 0);
  run(*sandbox, "import os; _ = os.write(1, b'\\xff\\xfe' * 100_000)");
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace helve::sandbox
