#include "toolkit/tasks/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"

namespace helve::toolkit {

namespace {

constexpr std::array<std::string_view, kTaskComplexities> kNames = {"simple", "moderate",
                                                                    "complex"};

std::string without_ending(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  const std::size_t dot = file.rfind('.');
  const bool has_ending = dot != std::string_view::npos && dot > 0 &&
                          (slash == std::string_view::npos || dot > slash + 1);
  return std::string(has_ending ? file.substr(0, dot) : file);
}

// Of names that are taken once each.
class Ids {
 public:
  std::string take(const std::string& name) {
    std::string id = name;
    std::uint64_t& number = used_[name];
    while (!taken_.insert(id).second) id = fmt::format("{}#{}", name, ++number + 1);
    return id;
  }

 private:
  std::unordered_map<std::string, std::uint64_t> used_;
  std::set<std::string> taken_;
};

// Of a query and of what is said about it, each endpoint once.
std::vector<std::string> federated_of(const ExampleQuery& query) {
  std::vector<std::string> all = query.reach.services;
  all.insert(all.end(), query.federates_with.begin(), query.federates_with.end());
  std::vector<std::string> once;
  std::set<std::string> seen;
  for (std::string& one : all) {
    if (seen.insert(endpoint_key(one)).second) once.push_back(std::move(one));
  }
  return once;
}

// Counts texts that mean the same under one key, and shows the commonest of them.
class Tally {
 public:
  void add(const std::string& key, const std::string& text) {
    Entry& entry = entries_[key];
    ++entry.count;
    ++entry.texts[text];
  }

  CountedTexts take() const {
    CountedTexts list;
    for (const auto& [key, entry] : entries_) {
      const auto commonest =
          std::max_element(entry.texts.begin(), entry.texts.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      list.emplace_back(commonest->first, entry.count);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return list;
  }

 private:
  struct Entry {
    std::uint64_t count = 0;
    std::map<std::string, std::uint64_t> texts;
  };
  std::map<std::string, Entry> entries_;
};

// The same on every machine: FNV-1a over the id, mixed with the seed by the steps of SplitMix64.
std::uint64_t rank_of(std::string_view id, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  std::uint64_t mixed = hash + (seed + 1) * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31U);
}

}  // namespace

std::string_view name_of(TaskComplexity complexity) {
  return kNames[static_cast<std::size_t>(complexity)];
}

std::optional<TaskComplexity> find_complexity(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TaskComplexity>(found - kNames.begin());
}

TaskComplexity complexity_of(std::string_view query, const QueryShape& shape) {
  constexpr std::size_t kSimpleBelow = 200;
  constexpr std::size_t kComplexAbove = 500;
  const std::size_t characters = utf8_length(query);
  if (shape.has_sub_select || characters > kComplexAbove) return TaskComplexity::Complex;
  if (characters < kSimpleBelow && !shape.has_union && !shape.has_optional) {
    return TaskComplexity::Simple;
  }
  return TaskComplexity::Moderate;
}

Result<std::vector<Task>> tasks_of(const ExampleFolder& folder, const OpContext& context) {
  std::vector<Task> tasks;
  tasks.reserve(folder.queries.size());
  Ids ids;
  for (const ExampleQuery& query : folder.queries) {
    HELVE_TRY(context.check());
    Task task;
    task.id = ids.take(without_ending(query.file));
    task.query = query.comment;
    task.expected_sparql = query.text;
    if (!query.targets.empty()) {
      task.endpoint = query.targets.front();
      task.also_for.assign(query.targets.begin() + 1, query.targets.end());
    }
    task.keywords = query.keywords;
    task.federated = federated_of(query);
    task.complexity = complexity_of(query.text, query.shape);
    task.form = query.form;
    task.iri = query.iri;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

TaskStats stats_of(const std::vector<Task>& tasks) {
  TaskStats stats;
  stats.total = tasks.size();
  Tally endpoints;
  Tally keywords;
  for (const Task& task : tasks) {
    ++stats.by_complexity[static_cast<std::size_t>(task.complexity)];
    stats.federated += task.federated.empty() ? 0 : 1;
    stats.without_endpoint += task.endpoint.empty() ? 1 : 0;
    std::set<std::string> seen;
    if (!task.endpoint.empty()) {
      seen.insert(endpoint_key(task.endpoint));
      endpoints.add(endpoint_key(task.endpoint), task.endpoint);
    }
    for (const std::string& one : task.also_for) {
      if (seen.insert(endpoint_key(one)).second) endpoints.add(endpoint_key(one), one);
    }
    std::set<std::string> words;
    for (const std::string& one : task.keywords) {
      const std::string key = ascii_lower(one);
      if (words.insert(key).second) keywords.add(key, one);
    }
  }
  stats.by_endpoint = endpoints.take();
  stats.keywords = keywords.take();
  return stats;
}

std::vector<std::size_t> sample_of(const std::vector<Task>& tasks, std::size_t count,
                                   std::optional<TaskComplexity> complexity, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::size_t>> ranked;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (complexity && tasks[i].complexity != *complexity) continue;
    ranked.emplace_back(rank_of(tasks[i].id, seed), i);
  }
  const std::size_t taken = std::min(count, ranked.size());
  const auto by_rank = [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : tasks[a.second].id < tasks[b.second].id;
  };
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(taken),
                    ranked.end(), by_rank);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < taken; ++i) places.push_back(ranked[i].second);
  return places;
}

}  // namespace helve::toolkit
