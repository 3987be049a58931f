// Whether an item that lies in a bank is one: looked at again after it was stored, beside what
// extraction looked at before.
#pragma once

#include "agent/learn/extraction.h"
#include "agent/tasks/task_set.h"
#include "toolkit/memory/item.h"

namespace helve::agent {

// InvalidInput: its fields break a limit, it has the question of a task in it, or it remembers a
// query that cannot be read.
Result<void> check_stored_item(const memory::Item& item, const TaskSet& tasks,
                               const LessonOrigin& origin);

}  // namespace helve::agent
