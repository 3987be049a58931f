// The table of docs/policies.md and the policies of the C++ API and of Python have exactly the keys
// of policy_keys(), in their order, with their defaults. UPDATE_EXPECT=1 writes them anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/ascii.h"
#include "base/text.h"
#include "tests/support/test_data.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {
namespace {

JsonValue default_of(const PolicyKey& key) { return key.to_json(Policy()); }

bool is_bytes(const PolicyKey& key) {
  return key.name.find("bytes") != std::string_view::npos || key.name == "max_chars";
}

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_generated(const char* file, std::string_view begin, const std::string& made) {
  const std::string path = helve::testing::repository_path(file);
  std::string text = read_file(path);
  const std::size_t start = text.find('\n', text.find(begin)) + 1;
  const std::size_t end =
      text.rfind('\n', text.find("End of the generated part", start)) + 1;  // of its line
  ASSERT_TRUE(start != 0 && end >= start) << file;
  if (text.substr(start, end - start) == made) return;
  const char* const update = std::getenv("UPDATE_EXPECT");
  if (update == nullptr || *update != '1') {
    FAIL() << file << " is out of date: run this test with UPDATE_EXPECT=1";
  }
  text.replace(start, end - start, made);
  std::ofstream(path) << text;
}

// Words of a comment, in lines of 100 characters.
std::string comment_of(const PolicyKey& key) {
  std::string lines = "  //";
  std::size_t width = lines.size();
  for (const std::string& word : split_words(key.description)) {
    if (width + 1 + word.size() > 100) {
      lines += "\n  //";
      width = 4;
    }
    lines += " " + word;
    width += 1 + word.size();
  }
  return lines + "\n";
}

std::string cpp_member(const PolicyKey& key) {
  const JsonValue value = default_of(key);
  if (key.name == "allowed_tools") return "std::optional<std::set<std::string>> allowed_tools";
  if (key.name == "audit") return "std::optional<AuditMode> audit";
  if (key.name == "require_confirmation") {
    std::string word(name_of(Policy().require_confirmation));
    word.front() = ascii_upper(word.front());
    return fmt::format("Confirmation require_confirmation = Confirmation::{}", word);
  }
  if (key.name == "timeout") {
    return fmt::format("std::chrono::nanoseconds timeout_max = std::chrono::seconds({:g})",
                       *value.to_double());
  }
  if (const bool* flag = value.if_bool()) return fmt::format("bool {} = {}", key.name, *flag);
  if (value.is_number()) {
    return fmt::format("{} {} = {}", is_bytes(key) ? "std::size_t" : "std::uint64_t", key.name,
                       *value.to_uint64());
  }
  return fmt::format(
      "{} {}",
      value.is_null() ? "std::optional<std::vector<std::string>>" : "std::vector<std::string>",
      key.name);
}

std::string python_member(const PolicyKey& key) {
  const JsonValue value = default_of(key);
  if (key.name == "audit") return "audit: bool | str | None = None";
  if (value.if_string() != nullptr) {
    return fmt::format("{}: bool | str = \"{}\"", key.name, *value.if_string());
  }
  if (key.name == "timeout") return fmt::format("timeout: float = {:g}", *value.to_double());
  if (const bool* flag = value.if_bool()) {
    return fmt::format("{}: bool = {}", key.name, *flag ? "True" : "False");
  }
  if (value.is_number()) return fmt::format("{}: int = {}", key.name, *value.to_uint64());
  return fmt::format("{}: {}", key.name, value.is_null() ? "Names = None" : "Sequence[str] = ()");
}

std::string shown_default(const PolicyKey& key) {
  const JsonValue value = default_of(key);
  if (value.is_null()) return key.name == "audit" ? "not set" : "all";
  if (value.if_array() != nullptr) return "none";
  if (value.is_number() && key.name != "timeout") {
    return is_bytes(key) && key.name != "max_chars" ? format_bytes(*value.to_uint64())
                                                    : format_count(*value.to_uint64());
  }
  return "`" + to_json(value) + "`";
}

TEST(PolicyDocuments, HaveTheKeysOfTheTable) {
  std::string markdown = "| key | value | default | what |\n|---|---|---|---|\n";
  std::string cpp;
  std::string python;
  for (const PolicyKey& key : policy_keys()) {
    markdown += fmt::format("| {} | {} | {} | {} |\n", key.name, key.type(), shown_default(key),
                            key.description);
    cpp += comment_of(key) + "  " + cpp_member(key) + ";\n";
    python += "    " + python_member(key) + "\n";
  }
  expect_generated("docs/policies.md", "<!-- Generated", markdown);
  expect_generated("include/helve/policy.h", "// Generated", cpp);
  expect_generated("src/surfaces/python/helve/policy.py", "# Generated", python);
}

}  // namespace
}  // namespace helve::toolkit
