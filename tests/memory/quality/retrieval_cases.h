// Questions with the items that help them: examples (toolkit/tasks) as questions, lessons of their
// queries as items. retrieval_quality.cc ranks the items of all others for each.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "toolkit/memory/item.h"

namespace helve::quality {

struct Case {
  std::string question;
  std::set<std::string> endpoints;  // without scheme and slash at the end
  std::set<std::string> names;      // classes and properties that tell something
  memory::Item lesson;              // of its query, with nothing of the question
};

struct Cases {
  std::vector<Case> cases;
  std::size_t examples = 0;
  std::size_t left_out = 0;  // without question or endpoint, and queries that give no lesson
};

Result<Cases> read_cases(const std::filesystem::path& folder);

// How an item is written.
enum class Wording {
  Lesson,  // as the product learns: names of the schema, and no word of the task
  Named,   // as an agent writes that names a lesson after its task: that is title and description
};
memory::Item item_of(const Case& one, Wording wording);

// Whether what was learnt of `other` helps with `asked`: the same endpoint, and a class or property
// that both have.
bool is_relevant(const Case& asked, const Case& other);
// The same with at least half of all classes and properties of both in both.
bool is_close(const Case& asked, const Case& other);

}  // namespace helve::quality
