// Five of the seven laws of the tools, each held against every tool with generated calls: bounded,
// handles instead of payloads, errors that repair, source attribution, silent. The two that compare
// answers with each other are in law_of_truth_test.cc and law_of_input_test.cc.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <set>

#include "base/utf8.h"
#include "tests/toolkit/law_world.h"

namespace helve::proofs {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::size_t kCharsMin = 200;
constexpr std::size_t kCharsMax = 20'000;

// A number as the tools read it.
std::optional<double> asked_chars(const JsonValue& arguments) {
  const JsonValue* value = arguments.find("max_chars");
  if (value == nullptr) value = arguments.find("max");
  if (value == nullptr) return std::nullopt;
  if (const std::string* text = value->if_string()) {
    const auto number = parse_json(*text);
    return number ? number->to_double() : std::nullopt;
  }
  return value->to_double();
}

// What a reply may take: what was asked for within 200 and 20,000, or what is usual for the tool.
std::size_t budget_of(const MadeCall& call, const toolkit::Registry& registry) {
  if (const auto asked = asked_chars(call.arguments)) {
    return static_cast<std::size_t>(std::clamp(*asked, double{kCharsMin}, double{kCharsMax}));
  }
  const JsonValue* inner = call.arguments.find("arguments");
  const auto other = registry.find(text_at(call.arguments, "name"));
  if (call.tool == "call_tool" && other) {
    return budget_of({(*other)->name, call.kind, inner != nullptr ? *inner : JsonValue()},
                     registry);
  }
  return (*registry.find(call.tool))->phase == toolkit::ReplyPhase::Get ? 6'000 : 2'000;
}

TEST_F(Laws, AreHeldAgainstAllToolsOfTheContract) {
  for (const char* name : {"sparql_query",
                           "sparql_slice",
                           "sparql_peek",
                           "sparql_describe",
                           "sparql_schema",
                           "sparql_find",
                           "sparql_classes",
                           "sparql_properties",
                           "sparql_sample",
                           "sparql_count",
                           "sparql_stats",
                           "endpoint_info",
                           "g_load",
                           "g_stats",
                           "g_query",
                           "g_sample",
                           "g_classes",
                           "g_props",
                           "g_describe",
                           "ont_load",
                           "ont_classes",
                           "ont_properties",
                           "ctx_peek",
                           "ctx_slice",
                           "ctx_stats",
                           "ctx_find",
                           "result_sql",
                           "list_tools",
                           "call_tool",
                           "schema_inspect",
                           "query_execute",
                           "explain_plan",
                           "federated_endpoints",
                           "endpoints_list",
                           "endpoint_detail",
                           "data_graphs",
                           "service_desc",
                           "service_desc_stats",
                           "service_desc_graphs",
                           "service_desc_features",
                           "service_desc_sample",
                           "load_shacl_tasks",
                           "get_task_stats",
                           "sample_tasks",
                           "get_schema_summary",
                           "get_skills_summary",
                           "mem_search",
                           "mem_get",
                           "mem_quote",
                           "mem_add",
                           "mem_extract",
                           "mem_learn_from_failure",
                           "read_skill"}) {
    EXPECT_TRUE(world().bench().registry().find(name).has_value()) << name;
  }
}

// Without this, laws would be held against errors alone.
TEST_F(Laws, RightCallsAreAnswered) {
  CallMaker maker = world().maker(0);
  for (const toolkit::Tool& tool : world().bench().registry().tools()) {
    int answered = 0;
    std::string last;
    for (int i = 0; i < 12; ++i) {
      const Answer answer = world().answer(maker.right(tool));
      answered += answer.is_error() ? 0 : 1;
      if (answer.is_error()) last = answer.reply.json;
    }
    EXPECT_GE(answered, 4) << tool.name << " " << last;
  }
}

TEST_F(Laws, RepliesAreBounded) {
  std::uint64_t calls = 0;
  world().walk(1, 10, [&](const MadeCall& call, const Answer& answer) {
    ++calls;
    const std::size_t budget = budget_of(call, world().bench().registry());
    EXPECT_LE(utf8_length(answer.reply.text), budget) << answer.reply.text;
    EXPECT_LE(utf8_length(answer.reply.json), budget) << answer.reply.json;
    EXPECT_EQ(utf8_valid_prefix(answer.reply.text), answer.reply.text.size());
    EXPECT_NE(answer.json.if_object(), nullptr) << answer.reply.json;
  });
  RecordProperty("calls", static_cast<int>(calls));
}

// The text of a reply without what stands between marks; whole where there are none.
std::string outside_of_marks(const std::string& text) {
  const std::string mark = "<data ";
  const std::size_t begin = text.starts_with(mark) ? 0 : text.find("\n" + mark);
  if (begin == std::string::npos) return text;
  const std::size_t id = text.find(mark, begin) + mark.size();
  const std::string close = "\n</data " + text.substr(id, text.find('>', id) - id) + ">\n";
  const std::size_t end = text.find(close, id);
  EXPECT_NE(end, std::string::npos) << text;
  EXPECT_EQ(text.find(close, end + 1), std::string::npos) << text;
  return text.substr(0, begin) + text.substr(end + close.size() - 1);
}

TEST_F(Laws, RepliesAreBoundedAndDataMarkedWhereMarksAreOn) {
  LawWorld marked(true);
  std::uint64_t marks = 0;
  marked.walk(8, 8, [&](const MadeCall& call, const Answer& answer) {
    const std::size_t budget = budget_of(call, marked.bench().registry());
    EXPECT_LE(utf8_length(answer.reply.text), budget) << answer.reply.text;
    EXPECT_LE(utf8_length(answer.reply.json), budget) << answer.reply.json;
    EXPECT_FALSE(answer.reply.has_overflowed);
    const std::string outside = outside_of_marks(answer.reply.text);
    marks += outside.size() < answer.reply.text.size() ? 1 : 0;
    // Long texts and labels of the graph; no call has them.
    EXPECT_EQ(outside.find("wwwwwwww"), std::string::npos) << answer.reply.text;
    EXPECT_EQ(outside.find("quoted\" \\"), std::string::npos) << answer.reply.text;
    if (answer.is_error()) {
      EXPECT_TRUE(outside.starts_with("error")) << answer.reply.text;
    }
  });
  EXPECT_GT(marks, 300U);
  RecordProperty("marked", static_cast<int>(marks));
}

// Lists of the structured form that are shorter than the same lists in the whole reply.
std::vector<std::string> cut_lists(const JsonValue& small, const JsonValue& whole) {
  std::vector<std::string> cut;
  for (const JsonMember& member : *whole.if_object()) {
    if (member.key == "warnings" || member.key == "usage" || member.key == "columns") continue;
    if (items_at(small, member.key) < items_at(whole, member.key)) cut.push_back(member.key);
  }
  return cut;
}

TEST_F(Laws, CuttingIsVisible) {
  CallMaker maker = world().maker(2);
  std::uint64_t cuts = 0;
  for (const toolkit::Tool& tool : world().bench().registry().tools()) {
    if (tool.name == "call_tool") continue;
    for (int i = 0; i < 12; ++i) {
      MadeCall call = maker.right(tool);
      SCOPED_TRACE(brief(call));
      call.arguments.if_object()->push_back({"max_chars", JsonValue(20'000)});
      const Answer whole = world().answer(call);
      call.arguments.if_object()->back().value = JsonValue(i % 2 == 0 ? 600 : 1'000);
      const Answer small = world().answer(call);
      if (whole.is_error() || small.json.if_object() == nullptr) continue;
      const auto cut = cut_lists(small.json, whole.json);
      if (cut.empty()) continue;
      ++cuts;
      const bool is_told = small.json.find("shown") != nullptr ||
                           small.json.find("left_out") != nullptr ||
                           small.json.find("has_more") != nullptr;
      EXPECT_TRUE(is_told) << cut.front() << " in " << small.reply.json;
    }
  }
  EXPECT_GT(cuts, 20U);
}

bool gives_key(const toolkit::Tool& tool) {
  return std::any_of(tool.returns.begin(), tool.returns.end(),
                     [](const toolkit::ReturnKey& key) { return key.name == "key"; }) &&
         !tool.name.starts_with("ctx_");
}

TEST_F(Laws, WhatIsLargerThanAPreviewIsBehindALivingHandle) {
  std::set<std::string> seen;
  world().walk(3, 8, [&](const MadeCall& call, const Answer& answer) {
    const auto& tool = **world().bench().registry().find(call.tool);
    if (answer.is_error()) return;
    const auto rows = number_at(answer.json, "rows");
    const std::string key = answer.text("key");
    if (gives_key(tool) && rows) {
      EXPECT_FALSE(key.empty()) << answer.reply.json;
    }
    if (key.empty()) return;
    const auto handle = world().bench().handles().get(key, {});
    ASSERT_TRUE(handle.has_value()) << key;
    if (!gives_key(tool)) return;
    seen.insert(call.tool);
    if (rows) {
      EXPECT_EQ(handle->ref.rows, *rows);
    }
    EXPECT_THAT(answer.reply.text, HasSubstr(key));
    // The same call again does not store the same again.
    if (call.kind == CallKind::Right && handle->ref.complete) {
      EXPECT_EQ(world().answer(call).text("key"), key);
    }
  });
  EXPECT_GE(seen.size(), 4U);
}

TEST_F(Laws, PagesOfAHandleAreTheWholeResult) {
  const auto handle = world().bench().handles().get(world().known().results, {});
  ASSERT_TRUE(handle.has_value());
  for (const int limit : {1'000, 333, 100}) {
    std::uint64_t offset = 0;
    std::uint64_t pages = 0;
    while (true) {
      const Answer page = world().bench().call(
          "sparql_slice", object_of({{"result", JsonValue(world().known().results)},
                                     {"offset", JsonValue(offset)},
                                     {"limit", JsonValue(limit)}}));
      ASSERT_FALSE(page.is_error()) << page.reply.json;
      ASSERT_EQ(number_at(page.json, "offset"), offset);
      const JsonValue::Array& rows = *page.json.find("rows")->if_array();
      ASSERT_EQ(number_at(page.json, "returned"), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string& shown = *(*rows[i].if_array())[0].if_string();
        const std::string iri(handle->rows->cell(offset + i, 0)->value);
        EXPECT_EQ(shown.substr(shown.find(':')), iri.substr(iri.rfind('/')).replace(0, 1, ":"));
      }
      offset += rows.size();
      ++pages;
      if (!*flag_at(page.json, "has_more")) break;
      ASSERT_EQ(number_at(page.json, "next_offset"), offset);
      ASSERT_GT(rows.size(), 0U);
    }
    EXPECT_EQ(offset, handle->rows->rows());
    EXPECT_GT(pages, handle->rows->rows() / static_cast<std::uint64_t>(limit));
  }
}

TEST_F(Laws, ACellThatWasCutCanBeReadWholeAtItsAddress) {
  const Answer cut = world().bench().call(
      "sparql_query",
      R"({"query":"SELECT ?x ?a WHERE { ?x a ex:Thing ; ex:about ?a } ORDER BY ?x"})");
  const std::string mark = "ctx_slice key=";
  const std::size_t at = cut.reply.text.find(mark);
  ASSERT_NE(at, std::string::npos) << cut.reply.text;
  const std::size_t begin = at + mark.size();
  const std::string address =
      cut.reply.text.substr(begin, cut.reply.text.find_first_of(" \n)|", begin) - begin);
  const Answer whole = world().bench().call(
      "ctx_slice", object_of({{"key", JsonValue(address)}, {"end", JsonValue(-1)}}));
  ASSERT_FALSE(whole.is_error()) << whole.reply.json;
  EXPECT_THAT(whole.text("text"), HasSubstr(std::string(4'000, 'w')));
}

TEST_F(Laws, ErrorsRepair) {
  std::set<std::string> codes;
  std::uint64_t errors = 0;
  world().walk(5, 10, [&](const MadeCall&, const Answer& answer) {
    const JsonValue* error = answer.json.find("error");
    ASSERT_EQ(error != nullptr, answer.is_error()) << answer.reply.json;
    if (error == nullptr) return;
    ++errors;
    EXPECT_THAT(text_at(*error, "code"),
                AnyOf("invalid_input", "not_found", "denied", "limit_exceeded", "unavailable",
                      "cancelled"))
        << answer.reply.json;  // and never internal: that is a bug of ours
    EXPECT_EQ(text_at(*error, "code"), error_code_name(answer.reply.code));
    EXPECT_NE(text_at(*error, "message"), "") << answer.reply.json;
    EXPECT_NE(text_at(*error, "hint"), "") << answer.reply.json;
    EXPECT_TRUE(answer.reply.text.starts_with("error")) << answer.reply.text;
    codes.insert(text_at(*error, "code"));
  });
  EXPECT_GT(errors, 300U);
  EXPECT_GE(codes.size(), 2U);
  RecordProperty("errors", static_cast<int>(errors));
}

TEST_F(Laws, RepliesNameTheirSourceAndStoredResultsTheirOrigin) {
  std::set<std::string> keys;
  world().walk(6, 6, [&](const MadeCall&, const Answer& answer) {
    EXPECT_NE(text_at(answer.json, "source"), "") << answer.reply.json;
    const std::string source = text_at(answer.json, "source");
    EXPECT_THAT(answer.reply.text, HasSubstr(source));
    if (!answer.is_error() && answer.json.find("preview") != nullptr) {
      keys.insert(answer.text("key"));
    }
  });
  keys.erase("");
  EXPECT_GT(keys.size(), 10U);
  for (const std::string& key : keys) {
    const Answer stats =
        world().bench().call("sparql_stats", object_of({{"result", JsonValue(key)}}));
    SCOPED_TRACE(stats.reply.json);
    ASSERT_FALSE(stats.is_error());
    for (const char* member : {"source", "query", "snapshot", "created_at"}) {
      EXPECT_NE(text_at(stats.json, member), "") << member;
    }
    const auto handle = world().bench().handles().get(key, {});
    ASSERT_TRUE(handle.has_value());
    EXPECT_EQ(number_at(stats.json, "rows"), handle->ref.rows);
    EXPECT_EQ(handle->origin.snapshot, text_at(stats.json, "snapshot"));
  }
}

// What is written to a descriptor while it lives goes into a file.
class Captured {
 public:
  explicit Captured(int descriptor) : descriptor_(descriptor), file_(std::tmpfile()) {
    std::fflush(nullptr);
    kept_ = ::dup(descriptor_);
    ::dup2(::fileno(file_), descriptor_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    if (kept_ >= 0) stop();
    std::fclose(file_);
  }

  // Bytes that were written.
  std::int64_t stop() {
    std::fflush(nullptr);
    ::dup2(kept_, descriptor_);
    ::close(kept_);
    kept_ = -1;
    struct stat status {};
    return ::fstat(::fileno(file_), &status) == 0 ? status.st_size : -1;
  }

 private:
  int descriptor_;
  int kept_ = -1;
  std::FILE* file_;
};

TEST_F(Laws, NothingIsPrinted) {
  Captured out(STDOUT_FILENO);
  Captured err(STDERR_FILENO);
  std::uint64_t calls = 0;
  world().walk(7, 8, [&](const MadeCall&, const Answer&) { ++calls; });
  EXPECT_EQ(err.stop(), 0);
  EXPECT_EQ(out.stop(), 0);
  EXPECT_GT(calls, 800U);
}

}  // namespace
}  // namespace helve::proofs
