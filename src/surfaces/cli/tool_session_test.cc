#include "surfaces/cli/tool_session.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/temp_directory.h"

namespace helve::cli {
namespace {

using ::testing::HasSubstr;

class ToolSessionTest : public ::testing::Test {
 protected:
  ToolSessionTest() {
    std::ofstream(folder_ / "shop.db") << "";  // an empty file is an empty database
    options_.sources = {"shop=sqlite:" + (folder_ / "shop.db").string()};
    options_.is_kept = false;
    options_.is_lasting = true;
  }

  Result<std::unique_ptr<ToolSession>> open(std::string_view policy) {
    if (!policy.empty()) {
      options_.policy_file = (folder_ / "policy.toml").string();
      std::ofstream(options_.policy_file) << policy;
    }
    return ToolSession::open(options_, context_);
  }

  // What a caller is told who may do everything, whoever opened the session: nothing but how the
  // database was opened stands against it, and nothing is asked of it.
  std::string told_to_a_writer(std::string_view policy) {
    const auto session = open(policy);
    if (!session) return session.error().message;
    toolkit::Caller writer;
    toolkit::Policy all;
    all.read_only = false;
    all.audit = toolkit::AuditMode::Off;
    writer.policy = std::make_shared<const toolkit::Policy>(std::move(all));
    return (*session)
        ->toolkit()
        .call("transaction", *parse_json(R"({"action": "status"})"), writer, {})
        .reply.text;
  }

  TempDirectory folder_;
  StringSink out_;
  CommandContext context_{real_env(), {}, out_, Terminal::plain(80), Terminal::plain(80)};
  ToolSessionOptions options_;
};

TEST_F(ToolSessionTest, NothingIsOpenedForWritingUnlessAPolicySaysSo) {
  EXPECT_THAT(told_to_a_writer(""), HasSubstr("shop was opened for reading alone"));
  for (const char* policy : {"max_rows = 5", "read_only = true", "allow_ddl = true",
                             "read_only = false\nallowed_sources = [\"other\"]",
                             "default = \"allow\"\n[caller.ann]\nread_only = false"}) {
    EXPECT_THAT(told_to_a_writer(policy), HasSubstr("opened for reading alone")) << policy;
  }
  EXPECT_THAT(told_to_a_writer("read_only = false"), HasSubstr("no transaction is open on shop"));
  options_.caller = "ann";
  EXPECT_THAT(told_to_a_writer("[caller.ann]\nread_only = false"),
              HasSubstr("no transaction is open on shop"));
}

TEST_F(ToolSessionTest, RulesForASourceThatIsNotThereAreAMistake) {
  const auto wrong = open("[source.shp]\ndenied_tables = [\"salary\"]");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(wrong.error().message, HasSubstr("the source shp, which is not there"));
  EXPECT_THAT(wrong.error().hint, HasSubstr("did you mean [source.shop]?"));
  EXPECT_TRUE(open("[source.shop]\n[source.shp]\ndenied_tables = [\"salary\"]").has_value());
  EXPECT_TRUE(open("[source.shp]").has_value());
}

}  // namespace
}  // namespace helve::cli
