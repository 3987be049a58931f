#include "agent/python_tools/answer_value.h"

#include <gtest/gtest.h>

namespace helve::python_tools {
namespace {

using toolkit::ReplyList;
using toolkit::ReplyValue;

TEST(AnswerValue, RowsAreObjects) {
  ReplyList list;
  list.columns = {"x", "n"};
  list.items.emplace_back(
      ReplyValue::List{ReplyValue::iri("http://example.org/a"), ReplyValue(std::uint64_t{3})});
  list.items.emplace_back(ReplyValue::List{ReplyValue(), ReplyValue("b")});
  EXPECT_EQ(to_json(items_of(list)), R"([{"x":"http://example.org/a","n":3},{"x":null,"n":"b"}])");
  list.columns.clear();
  EXPECT_EQ(to_json(items_of(list)), R"([["http://example.org/a",3],[null,"b"]])");
}

}  // namespace
}  // namespace helve::python_tools
