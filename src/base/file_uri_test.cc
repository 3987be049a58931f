#include "base/file_uri.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(FileUri, NamesAPathOfThisMachine) {
  EXPECT_EQ(*path_of_file_uri("file:///a/b%20c.ttl"), "/a/b c.ttl");
  EXPECT_EQ(*path_of_file_uri("file://localhost/a"), "/a");
  EXPECT_EQ(*path_of_file_uri("file:a.ttl"), "a.ttl");
}

TEST(FileUri, OthersAreRefused) {
  for (const char* uri : {"file://elsewhere.example/a", "file:///a?b", "file:///a#b", "file://",
                          "file:", "file:///a%2", "file:///a%00b"}) {
    const auto path = path_of_file_uri(uri);
    ASSERT_FALSE(path.has_value()) << uri;
    EXPECT_EQ(path.error().code, ErrorCode::InvalidInput) << uri;
    EXPECT_NE(path.error().hint, "") << uri;
  }
}

}  // namespace
}  // namespace helve
