// A reply of a tool, read: its fields and tables, in both forms that replies have (a handle with a
// preview, or everything at once).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::llm::rules {

struct ReplyTable {
  std::string name;  // "hits"
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  // The cell, or nothing where there is no such column.
  std::string_view cell(std::size_t row, std::string_view column) const;
};

struct ToolReply {
  bool is_error = false;
  std::string title;
  std::string handle;  // empty: none
  std::uint64_t rows = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<ReplyTable> tables;

  std::string_view field(std::string_view name) const;
  const ReplyTable* table(std::string_view name) const;
  // The rows of a result: "preview", or all.
  const ReplyTable* result() const;
};

// Of any text something is read; the text is looked at up to a bound.
ToolReply read_reply(std::string_view text, bool is_error);

// "a | b" at " | "; trimmed.
std::vector<std::string> split(std::string_view text, std::string_view at);
// What follows the beginning of a line, trimmed; empty where it begins otherwise.
std::string_view behind(std::string_view line, std::string_view begin);

}  // namespace helve::llm::rules
