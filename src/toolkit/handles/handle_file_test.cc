#include "toolkit/handles/handle_file.h"

#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

TEST(HandleFile, RemembersAllTheSourcesOfAThing) {
  HandleRecord record;
  record.ref.key = "results_0";
  record.ref.source = "first, second";
  record.origin.source = record.ref.source;
  record.origin.sources = {"first", "second", "third"};
  const std::string bytes = encode_handle(record, "content");
  const auto file = decode_handle(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().to_string();
  EXPECT_EQ(file->record.origin.sources, record.origin.sources);
  EXPECT_EQ(file->content, "content");
  EXPECT_TRUE(is_content_sound(*file));
}

}  // namespace
}  // namespace helve::toolkit
