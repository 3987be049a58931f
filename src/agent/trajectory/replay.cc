#include "agent/trajectory/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "agent/trajectory/event_line.h"
#include "agent/trajectory/json_members.h"
#include "agent/trajectory/run_words.h"
#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::size_t kWholeLine = 64 * kMiB;

bool is_time(const std::string& key) { return key == "ms" || key == "time"; }

// Events of one step may come in any order; the same event is the same in both.
using EventName = std::tuple<EventKind, std::uint64_t, std::string, std::size_t>;

// What is said of a run is not done by it: running it again says nothing of the kind.
bool is_of_run(const TrajectoryEvent& event) {
  return event.kind != EventKind::Judgment && event.kind != EventKind::MemoryWrite;
}

std::map<EventName, const JsonValue*> named(const std::vector<TrajectoryEvent>& events) {
  std::map<EventName, const JsonValue*> out;
  std::map<EventName, std::size_t> counts;
  for (const TrajectoryEvent& event : events) {
    if (!is_of_run(event)) continue;
    EventName name{event.kind, count_member(event.body, "n").value_or(0),
                   text_member(event.body, "id"), 0};
    std::get<3>(name) = counts[name]++;
    out.emplace(std::move(name), &event.body);
  }
  return out;
}

std::string words_of(const EventName& name) {
  const auto& [kind, n, id, which] = name;
  std::string out = n == 0 ? std::string() : fmt::format("step {}, ", n);
  out += name_of(kind);
  if (!id.empty()) out += " " + id;
  if (which != 0) out += fmt::format(" ({})", which + 1);
  return out;
}

std::string shown(const JsonValue* value) {
  if (value == nullptr) return "(nothing)";
  return value->if_string() != nullptr ? *value->if_string() : to_json(*value);
}

class Comparison {
 public:
  void differs(std::string where, std::string recorded, std::string now) {
    if (report.differences.size() == kDifferencesMax) {
      ++report.differences_left_out;
      return;
    }
    report.differences.push_back({std::move(where), std::move(recorded), std::move(now)});
  }

  void compare_bodies(const std::string& where, const JsonValue& recorded, const JsonValue& now) {
    const JsonValue::Object* const left = recorded.if_object();
    const JsonValue::Object* const right = now.if_object();
    if (left == nullptr || right == nullptr) {
      if (!(recorded == now)) differs(where, shown(&recorded), shown(&now));
      return;
    }
    const std::string joint = where.find(": ") == std::string::npos ? ": " : ".";
    for (const JsonMember& one : *left) {
      if (is_time(one.key)) continue;
      const JsonValue* const other = now.find(one.key);
      if (other != nullptr) {
        compare_bodies(where + joint + one.key, one.value, *other);
      } else {
        differs(where + joint + one.key, shown(&one.value), shown(nullptr));
      }
    }
    for (const JsonMember& one : *right) {
      if (is_time(one.key) || recorded.find(one.key) != nullptr) continue;
      differs(where + joint + one.key, shown(nullptr), shown(&one.value));
    }
  }

  ReplayReport report;
};

std::string bytes_of(const std::vector<TrajectoryEvent>& events) {
  std::string out;
  for (const TrajectoryEvent& event : events) {
    if (is_of_run(event)) out += encode_event(event.kind, event.body, EventStamp{}, kWholeLine);
  }
  return out;
}

}  // namespace

struct MemoryTrajectory::State {
  mutable std::mutex mutex;
  std::vector<TrajectoryEvent> events;
};

MemoryTrajectory::MemoryTrajectory() : state_(std::make_unique<State>()) {}
MemoryTrajectory::~MemoryTrajectory() = default;

void MemoryTrajectory::add(EventKind kind, JsonValue body) {
  TrajectoryEvent event{kind, without_secrets_in(body)};
  const std::lock_guard lock(state_->mutex);
  state_->events.push_back(std::move(event));
}

std::vector<TrajectoryEvent> MemoryTrajectory::events() const {
  const std::lock_guard lock(state_->mutex);
  return state_->events;
}

ReplayReport compare_events(const std::vector<TrajectoryEvent>& recorded,
                            const std::vector<TrajectoryEvent>& now) {
  Comparison comparison;
  const auto left = named(recorded);
  const auto right = named(now);
  for (const auto& [name, body] : left) {
    ++comparison.report.events;
    const auto found = right.find(name);
    if (found == right.end()) {
      comparison.differs(words_of(name), "(is there)", "(nothing)");
    } else {
      comparison.compare_bodies(words_of(name), *body, *found->second);
    }
  }
  for (const auto& [name, body] : right) {
    if (!left.contains(name)) comparison.differs(words_of(name), "(nothing)", "(is there)");
  }
  comparison.report.is_identical = bytes_of(recorded) == bytes_of(now);
  return std::move(comparison.report);
}

std::string report_text(const ReplayReport& report) {
  if (report.is_same()) {
    return fmt::format("the same: {} events{}\n", format_count(report.events),
                       report.is_identical ? ", byte for byte" : ", in another order");
  }
  const std::uint64_t count = report.differences.size() + report.differences_left_out;
  std::string out =
      fmt::format("{} {} in {} events\n", format_count(count),
                  count == 1 ? "difference" : "differences", format_count(report.events));
  for (const ReplayDifference& one : report.differences) {
    out += fmt::format("{}\n  < {}\n  > {}\n", one_line(one.where, kLineChars),
                       one_line(one.recorded, kLineChars), one_line(one.now, kLineChars));
  }
  if (report.differences_left_out != 0) {
    out += fmt::format("and {} more\n", format_count(report.differences_left_out));
  }
  return out;
}

JsonValue report_json(const ReplayReport& report) {
  JsonValue::Object out;
  out.push_back({"same", JsonValue(report.is_same())});
  out.push_back({"identical", JsonValue(report.is_identical)});
  out.push_back({"events", JsonValue(report.events)});
  JsonValue::Array differences;
  for (const ReplayDifference& one : report.differences) {
    JsonValue::Object entry;
    entry.push_back({"where", JsonValue(one.where)});
    entry.push_back({"recorded", JsonValue(one.recorded)});
    entry.push_back({"now", JsonValue(one.now)});
    differences.emplace_back(std::move(entry));
  }
  out.push_back({"differences", JsonValue(std::move(differences))});
  out.push_back({"differences_left_out", JsonValue(report.differences_left_out)});
  return JsonValue(std::move(out));
}

}  // namespace helve::agent
