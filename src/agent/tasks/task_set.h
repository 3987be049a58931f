// TaskSet: questions with the queries that answer them: what agents are run on, judged by, and
// compared with. Tasks never become memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/learning/generalise.h"

namespace helve::agent {

struct TaskCase {
  std::string id;  // of its set alone
  std::string question;
  std::string reference;  // the query that answers it; empty: none is known
  learning::QueryLanguage language = learning::QueryLanguage::Sparql;
  unsigned level = 1;       // 1: a look-up; 2: joins, filters, counts; 3: several of these at once
  bool is_ordered = false;  // the order of the rows counts
  bool is_bag = false;      // that rows come twice counts
  std::vector<std::string> keywords;

  friend bool operator==(const TaskCase&, const TaskCase&) = default;
};

struct TaskSet {
  std::string name;
  std::string source;  // that it is about, as --source takes it ("sample:"); empty: the caller's
  std::vector<TaskCase> cases;  // ids are different
  std::string digest;           // SHA-256 of all of it: a record names what it was run on
};

// Names of the sets that come with the program: "solar", "solar-tables", "prov".
std::vector<std::string> bundled_task_sets();

// "bundled:solar", a JSON or JSON Lines file, or a folder of SHACL SPARQL examples. InvalidInput
// with the place in the file; NotFound lists what there is.
Result<TaskSet> read_task_set(std::string_view words, Env& env, const OpContext& context);

// Ids, levels ("level:2"), keywords: tasks that any of the words means, in the order of the set;
// empty: all. At most `tasks_max`, 0: as many as there are. The digest is that of what is chosen.
// NotFound for a word that no task has.
Result<TaskSet> choose_tasks(TaskSet set, const std::vector<std::string>& words,
                             std::size_t tasks_max);

}  // namespace helve::agent
