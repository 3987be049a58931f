#include "surfaces/cli/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_env.h"

namespace helve::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() { env_.files().put("/data/out.nt", "old"); }

  std::size_t files() { return env_.files().list("/data")->size(); }

  FakeEnv env_;
};

TEST_F(OutputFileTest, TakesItsNameWhenItIsFinished) {
  auto out = OutputFile::create(env_, "/data/out.nt");
  ASSERT_TRUE(out);
  ASSERT_TRUE(out->sink().write("new"));
  EXPECT_EQ(env_.files().content("/data/out.nt"), "old");
  ASSERT_TRUE(out->finish());
  EXPECT_EQ(env_.files().content("/data/out.nt"), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingBehindUnfinished) {
  {
    auto out = OutputFile::create(env_, "/data/out.nt");
    ASSERT_TRUE(out->sink().write("new"));
    EXPECT_EQ(files(), 2U);
  }
  EXPECT_EQ(env_.files().content("/data/out.nt"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, ErrorsNameTheFileThatTheUserNamed) {
  const auto missing = OutputFile::create(env_, "/missing/out.nt");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("'/missing/out.nt'"));

  auto out = OutputFile::create(env_, "/data/out.nt");
  env_.files().disk_full_after(0);
  const auto written = out->sink().write("new");
  ASSERT_FALSE(written);
  const Error error = out->explained(written.error());
  EXPECT_THAT(error.message, HasSubstr("'/data/out.nt'"));
  EXPECT_THAT(error.message, Not(HasSubstr(".part")));
}

TEST_F(OutputFileTest, AFolderIsRefused) {
  const auto out = OutputFile::create(env_, "/data");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::cli
