#include "base/prefetch.h"

#include <gtest/gtest.h>

#include <string>

#include "base/env.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

TEST(PrefetchTest, ChangesNothing) {
  const std::string text(100'000, 'x');
  prefetch(text);
  prefetch({});
  prefetch(std::string_view(text).substr(5'000, 1));
  EXPECT_EQ(text, std::string(100'000, 'x'));
}

TEST(PrefetchTest, AFileCanBeReadAfterwards) {
  const TempDirectory folder;
  const auto path = folder.path() / "file";
  const std::string text(1'000'000, 'y');
  ASSERT_TRUE(write_file_atomically(real_env(), path, text));
  const auto mapped = real_env().files().map(path);
  ASSERT_TRUE(mapped);
  prefetch((*mapped)->text().substr(123'456, 654'321));
  prefetch((*mapped)->text().substr(text.size() - 1));
  EXPECT_EQ((*mapped)->text(), text);
}

}  // namespace
}  // namespace helve
