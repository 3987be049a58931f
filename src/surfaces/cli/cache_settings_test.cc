#include "surfaces/cli/cache_settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace helve::cli {
namespace {

Result<store::CacheOptions> find(std::map<std::string, std::string> variables) {
  return find_cache_options([&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(CacheSettings, Folder) {
  EXPECT_EQ(find({{"HOME", "/home/me"}})->folder, "/home/me/.cache/helve");
  EXPECT_EQ(find({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/c"}})->folder, "/c/helve");
  EXPECT_EQ(find({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "c"}})->folder, "/home/me/.cache/helve");
  EXPECT_EQ(find({{"XDG_CACHE_HOME", "/c"}, {"HELVE_CACHE_DIR", "d/e"}})->folder, "d/e");
  for (const auto& nowhere : {find({}), find({{"HOME", ""}})}) {
    ASSERT_FALSE(nowhere.has_value());
    EXPECT_EQ(nowhere.error().code, ErrorCode::NotFound);
    EXPECT_EQ(nowhere.error().hint, "HELVE_CACHE_DIR names one; by default it is in HOME");
  }
}

TEST(CacheSettings, Switch) {
  for (const char* const off : {"0", "off", "OFF", "no", "No", "false"}) {
    const auto found = find({{"HOME", "/h"}, {"HELVE_CACHE", off}});
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().code, ErrorCode::NotFound);
    EXPECT_EQ(found.error().hint,
              "HELVE_CACHE=" + std::string(off) + " turns it off: leave it out");
  }
  for (const char* const on : {"", "1", "on", "On", "TRUE", "yes"}) {
    EXPECT_TRUE(find({{"HOME", "/h"}, {"HELVE_CACHE", on}}).has_value());
  }
  const auto wrong = find({{"HOME", "/h"}, {"HELVE_CACHE", "banana"}});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(wrong.error().message, "HELVE_CACHE is 'banana', neither on nor off");
}

TEST(CacheSettings, Size) {
  const auto with_size = [](const char* size) {
    return find({{"HOME", "/h"}, {"HELVE_CACHE_SIZE", size}});
  };
  EXPECT_EQ(with_size("")->bytes_max, 2 * kGiB);
  EXPECT_EQ(with_size("512M")->bytes_max, 512 * kMiB);
  EXPECT_EQ(with_size("big").error().message, "HELVE_CACHE_SIZE: 'big' is not a size");
  EXPECT_EQ(with_size("400K").error().message, "HELVE_CACHE_SIZE: '400K' is too small a size");
  EXPECT_EQ(with_size("400K").error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(with_size("0M").error().code, ErrorCode::NotFound);
  EXPECT_EQ(with_size("0M").error().hint, "HELVE_CACHE_SIZE=0M turns it off: leave it out");
}

}  // namespace
}  // namespace helve::cli
