// What must not be in a lesson: the strings and numbers of its task, and the constants that were
// lifted out of its query. A lesson that has them would give an answer away instead of teaching.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolkit/learning/generalise.h"

namespace helve::learning {

// Numbers of a text, as they are written: "42", "1.5".
std::vector<std::string> numbers_in(std::string_view text);

class LeakCheck {
 public:
  // Of the task: what stands in quotation marks, and numbers.
  explicit LeakCheck(std::string_view task);
  // Constants of slots, IRIs also by their last part.
  void forbid(const QueryPattern& pattern);
  // Of a query that cannot be parsed: all that looks like a constant.
  void forbid_constants_of(std::string_view query);

  // Names of the schema, which may be there whatever the task says.
  void allow(std::string_view name);
  // All of a pattern: whole, as they are shown, and their last parts, which name variables.
  void allow_names_of(const QueryPattern& pattern);

  // A text of others with "..." where something forbidden stood.
  std::string scrubbed(std::string text) const;
  // What is forbidden and in it, in small letters; empty: nothing.
  std::string_view leak_in(std::string_view text) const;
  // InvalidInput where something forbidden is in it. Short ones count as whole words alone.
  Result<void> check(std::string_view text) const;

 private:
  void forbid(std::string_view text);
  static void insert(std::vector<std::string>& texts, std::string_view text);
  std::string without_names(std::string_view text) const;

  std::vector<std::string> forbidden_;  // in small letters, the longest first
  std::vector<std::string> allowed_;    // likewise
};

}  // namespace helve::learning
