// LessonCheck: what every lesson has to hold to, whoever wrote it: its fields, nothing of the task
// in it, and no name that did not stand in a query that ran.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/learn/answer_check.h"
#include "agent/learn/extraction.h"
#include "toolkit/learning/leak_check.h"

namespace helve::agent {

class LessonCheck {
 public:
  // Names may come from the queries of these runs; in sentences also from what tools said of them.
  LessonCheck(const TaskCase& task, const std::vector<JudgedRun>& runs, const LessonOrigin& origin);

  // InvalidInput says what is wrong.
  Result<void> check(const memory::Item& item) const;
  // The same of what somebody wrote who knew the answer: no value of it may be there. A query with
  // slots has none.
  Result<void> check_written(const memory::Item& item) const;
  // A message of a tool without values of the answer.
  std::string scrubbed(std::string message) const { return answers_.scrubbed(std::move(message)); }

 private:
  void take_query(std::string_view query);
  Result<void> check_procedure(const memory::Item& item) const;
  Result<void> check_sentences(std::string_view text) const;
  bool is_known(std::string_view name) const;

  const TaskCase& task_;
  const LessonOrigin& origin_;
  learning::LeakCheck leaks_;
  AnswerCheck answers_;
  learning::LeakCheck figures_;     // of the judge: how many rows there are may be the answer
  std::set<std::string> names_;     // of queries that could be read, in small letters for SQL
  std::vector<std::string> texts_;  // that names of sentences may come from, likewise
  std::set<std::string> phrases_;   // of the question
};

}  // namespace helve::agent
