#include "surfaces/opening/open_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "surfaces/opening/open_embeddings.h"
#include "tests/support/temp_directory.h"

namespace helve::opening {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OpenBankTest : public ::testing::Test {
 protected:
  Result<std::shared_ptr<memory::MemoryBank>> open(const std::string& place, bool is_made = true) {
    BankInput input;
    input.place = place;
    input.folder = folder_.path();
    input.is_made = is_made;
    input.read_variable = [](const char*) -> const char* { return nullptr; };
    return open_bank(input, real_env(), {});
  }
  TempDirectory folder_;
};

TEST_F(OpenBankTest, PathsAreFilesInTheFolder) {
  EXPECT_EQ(open("a.db", false).error().code, ErrorCode::NotFound);
  const auto bank = open("a.db");
  ASSERT_TRUE(bank) << bank.error().to_string();
  EXPECT_EQ((*bank)->name(), "a.db");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a.db"));
  EXPECT_TRUE(open("sqlite:a.db", false));
}

TEST_F(OpenBankTest, OtherDatabasesAreRefused) {
  EXPECT_THAT(open("mysql://u@h/d").error().message, HasSubstr("cannot be in MySQL"));
  EXPECT_EQ(open("postgresql://u@127.0.0.1/d?colour=red").error().code, ErrorCode::InvalidInput);
}

TEST_F(OpenBankTest, PasswordsAreNamedAndNotRepeated) {
  const auto written = open("postgresql://u:tulip@127.0.0.1/d");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().to_string(), Not(HasSubstr("tulip")));
  EXPECT_THAT(open("postgresql://u@127.0.0.1:1/d?password=env:NOT_SET").error().message,
              HasSubstr("NOT_SET is not set"));
}

TEST_F(OpenBankTest, TheSchemaHasAPlainName) {
  for (const char* name : {"Bank", "a%22b", "pg_bank", "a,b", "1a", ""}) {
    const auto opened = open(std::string("postgresql://u@127.0.0.1:1/d?search_path=") + name);
    EXPECT_THAT(opened.error().message, HasSubstr("no name that is allowed")) << name;
  }
  EXPECT_EQ(open("postgresql://u@127.0.0.1:1/d?search_path=bank_2").error().code,
            ErrorCode::Unavailable);
}

TEST(OpenEmbeddings, TheKeyIsNamed) {
  EmbeddingsInput input;
  input.url = "https://models.example.org/v1/embeddings";
  input.model = "small";
  input.environment = [](const char* name) {
    return std::string_view(name) == "KEY" ? "tulips-and-daisies" : nullptr;
  };
  EXPECT_TRUE(open_embeddings(input, real_env()));
  input.key = "env:KEY";
  EXPECT_TRUE(open_embeddings(input, real_env()));
  input.key = "env:OTHER";
  EXPECT_EQ(open_embeddings(input, real_env()).error().code, ErrorCode::NotFound);
  input.key = "written-out";
  const auto refused = open_embeddings(input, real_env());
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(refused.error().to_string(), Not(HasSubstr("written-out")));
}

}  // namespace
}  // namespace helve::opening
