#include "toolkit/handles/ref.h"

#include <gtest/gtest.h>

#include <set>

namespace helve::toolkit {
namespace {

WallTime moment(std::int64_t seconds) { return WallTime(std::chrono::seconds(seconds)); }

Ref some_ref() {
  Ref ref;
  ref.key = "results_0";
  ref.rows = 10;
  ref.sz = 2847;
  ref.prev = "http://e.org/a | 1";
  ref.source = "UniProt";
  ref.created_at = moment(1'763'208'000);
  return ref;
}

TEST(Ref, PrintsOnOneLine) {
  EXPECT_EQ(to_string(some_ref()),
            "Ref('results_0', 'results', 10 items, 2847 chars from UniProt)");
}

TEST(Ref, LeavesOutWhatItDoesNotHave) {
  EXPECT_EQ(to_json(to_json(some_ref())),
            R"({"key":"results_0","dtype":"results","rows":10,"sz":2847,)"
            R"("prev":"http://e.org/a | 1","source":"UniProt",)"
            R"("created_at":"2025-11-15T12:00:00Z","complete":true})");
}

TEST(Ref, TellsAllItHas) {
  Ref ref = some_ref();
  ref.dtype = HandleType::ServiceDesc;
  ref.columns = {"a", "b"};
  ref.query_hash = "0123";
  ref.expires_at = moment(1'763'294'400);
  ref.complete = false;
  EXPECT_EQ(to_json(to_json(ref)),
            R"({"key":"results_0","dtype":"service_desc","rows":10,"sz":2847,)"
            R"("prev":"http://e.org/a | 1","source":"UniProt","columns":["a","b"],)"
            R"("query_hash":"0123","created_at":"2025-11-15T12:00:00Z",)"
            R"("expires_at":"2025-11-16T12:00:00Z","complete":false})");
}

TEST(Ref, NamesOfTypesReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(HandleType::Trajectory); ++i) {
    const auto type = static_cast<HandleType>(i);
    EXPECT_EQ(find_handle_type(name_of(type)), type);
    names.insert(name_of(type));
  }
  EXPECT_EQ(names.size(), 9);
  EXPECT_EQ(find_handle_type("result"), std::nullopt);
  EXPECT_EQ(find_handle_type(""), std::nullopt);
}

}  // namespace
}  // namespace helve::toolkit
