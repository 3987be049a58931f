#include "surfaces/cli/cache_settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace helve::cli {
namespace {

Result<std::optional<store::CacheOptions>> find(std::map<std::string, std::string> variables) {
  return find_cache_options([&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(CacheSettings, Folder) {
  EXPECT_EQ((*find({{"HOME", "/home/me"}}))->folder, "/home/me/.cache/helve");
  EXPECT_EQ((*find({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/c"}}))->folder, "/c/helve");
  EXPECT_EQ((*find({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "c"}}))->folder,
            "/home/me/.cache/helve");
  EXPECT_EQ((*find({{"XDG_CACHE_HOME", "/c"}, {"HELVE_CACHE_DIR", "d/e"}}))->folder, "d/e");
  EXPECT_FALSE(find({})->has_value());
  EXPECT_FALSE(find({{"HOME", ""}})->has_value());
}

TEST(CacheSettings, Switch) {
  for (const char* const off : {"0", "off", "no", "false"}) {
    EXPECT_FALSE(find({{"HOME", "/h"}, {"HELVE_CACHE", off}})->has_value());
  }
  for (const char* const on : {"", "1", "on"}) {
    EXPECT_TRUE(find({{"HOME", "/h"}, {"HELVE_CACHE", on}})->has_value());
  }
}

TEST(CacheSettings, Size) {
  EXPECT_EQ((*find({{"HOME", "/h"}}))->bytes_max, 2 * kGiB);
  EXPECT_EQ((*find({{"HOME", "/h"}, {"HELVE_CACHE_SIZE", "512M"}}))->bytes_max, 512 * kMiB);
  const auto wrong = find({{"HOME", "/h"}, {"HELVE_CACHE_SIZE", "big"}});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(wrong.error().message.find("HELVE_CACHE_SIZE"), std::string::npos);
}

}  // namespace
}  // namespace helve::cli
