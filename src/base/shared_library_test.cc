#include "base/shared_library.h"

#include <gmock/gmock.h>

#include <cmath>

namespace helve {
namespace {

TEST(SharedLibrary, FindsFunctionsByTheirNames) {
  const auto library = SharedLibrary::load("libm.so.6");
  ASSERT_TRUE(library.has_value()) << library.error().to_string();
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(library->find("cos", cosine));
  EXPECT_EQ(cosine(0), 1.0);
  EXPECT_FALSE(library->find("no_such_function_here", cosine));
  EXPECT_EQ(cosine, nullptr);
}

TEST(SharedLibrary, SaysWhatIsMissing) {
  const auto library = SharedLibrary::load("libno-such-library.so.5");
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(library.error().message, ::testing::HasSubstr("libno-such-library.so.5"));
}

}  // namespace
}  // namespace helve
