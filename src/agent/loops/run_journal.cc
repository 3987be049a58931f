#include "agent/loops/run_journal.h"

#include <utility>

namespace helve::agent {

void RunJournal::tell(RunEvent event) {
  if (!parts_.on_event) return;
  event.iteration = iteration_;
  const std::lock_guard lock(mutex_);
  parts_.on_event(event);
}

void RunJournal::tell(RunEventKind kind, std::string_view text, std::string_view name) {
  RunEvent event;
  event.kind = kind;
  event.text = text;
  event.name = name;
  event.is_error = kind == RunEventKind::Error;
  tell(event);
}

void RunJournal::record(EventKind kind, JsonValue body) {
  JsonValue::Object& members = *body.if_object();
  members.insert(members.begin(), {"n", JsonValue(iteration_)});
  parts_.trajectory.add(kind, std::move(body));
}

void RunJournal::record_whole(EventKind kind, JsonValue body) {
  parts_.trajectory.add(kind, std::move(body));
}

}  // namespace helve::agent
