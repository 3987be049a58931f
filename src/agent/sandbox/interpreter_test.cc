#include "agent/sandbox/interpreter.h"

#include <gtest/gtest.h>

#include <fstream>

#include "agent/sandbox/work_folder.h"

namespace helve::sandbox {
namespace {

namespace fs = std::filesystem;

TEST(Interpreter, TheMachinesOwnIsFound) {
  const auto found = find_interpreter({});
  if (!found) GTEST_SKIP() << "no Python 3 here: " << found.error().to_string();
  EXPECT_TRUE(found->program.is_absolute());
  EXPECT_FALSE(fs::is_symlink(found->program));
  EXPECT_TRUE(fs::exists(found->loader));
  EXPECT_TRUE(fs::exists(found->library / "os.py"));
}

TEST(Interpreter, WhatIsNoneIsToldSo) {
  const auto folder = WorkFolder::make(-1);
  ASSERT_TRUE(folder);
  const fs::path script = folder->path() / "python3.11";
  std::ofstream(script) << "#!/bin/sh\nexec python3 \"$@\"\n";
  const auto from_script = find_interpreter(script);
  ASSERT_FALSE(from_script);
  EXPECT_EQ(from_script.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(from_script.error().message.find("a script"), std::string::npos);

  const auto missing = find_interpreter(folder->path() / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);

  const auto other = find_interpreter("/bin/ls");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::InvalidInput);
}

TEST(Interpreter, ACutProgramIsNone) {
  const auto folder = WorkFolder::make(-1);
  ASSERT_TRUE(folder);
  const fs::path cut = folder->path() / "python3.11";
  for (const std::size_t bytes : {0U, 4U, 40U, 70U}) {
    std::ofstream(cut) << std::string(
                              "\x7f"
                              "ELF\2\1\1",
                              7) +
                              std::string(bytes, '\xff');
    EXPECT_FALSE(find_interpreter(cut)) << bytes;
  }
}

}  // namespace
}  // namespace helve::sandbox
