#include "tests/store/crash_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace helve {

namespace {

using store::live_testing::Model;
using store::live_testing::to_nquads;

std::string integer(std::uint64_t value) {
  return fmt::format("\"{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", value);
}

Model missing_of(const Model& wanted, const Model& found) {
  Model missing;
  std::set_difference(wanted.begin(), wanted.end(), found.begin(), found.end(),
                      std::inserter(missing, missing.end()));
  return missing;
}

std::string some_of(const Model& model) {
  Model few;
  for (const auto& one : model) {
    if (few.size() < 5) few.insert(one);
  }
  return fmt::format("{} statements, as\n{}", model.size(), to_nquads(few));
}

}  // namespace

Model CrashTransaction::added() const {
  Model model;
  const std::string subject = fmt::format("<urn:t/{}>", id);
  for (std::uint64_t i = 0; i < statements; ++i) {
    const std::string graph = i % 3 == 0 ? "" : fmt::format("<urn:g/{}>", i % 3);
    model.insert(
        {subject, fmt::format("<urn:p/{}>", i % 5), fmt::format("\"{} of {}\"", i, id), graph});
  }
  model.insert({subject, "<urn:statements>", integer(statements), ""});
  return model;
}

Model counters_at(std::uint64_t thread, std::uint64_t value) {
  const std::string subject = fmt::format("<urn:c/{}>", thread);
  return {{subject, "<urn:left>", integer(value), ""},
          {subject, "<urn:right>", integer(value), "<urn:g/1>"}};
}

Model load_number(std::uint64_t number) {
  Model model;
  for (std::uint64_t i = 0; i < 20 + number % 50; ++i) {
    model.insert({fmt::format("<urn:l/{}>", i), "<urn:number>", integer(number), ""});
  }
  return model;
}

void CrashLedger::read_line(const std::string& line) {
  std::istringstream words(line);
  char kind = 0;
  words >> kind;
  ++lines[kind];
  if (kind == 'B') {
    CrashTransaction one;
    words >> one.id >> one.thread >> one.number >> one.statements >> one.replaces;
    entries_[one.id] = {one, Status::Begun};
  } else if (kind == 'A') {
    std::string id;
    words >> id;
    make_sure(entries_.at(id));
  } else if (kind == 'L') {
    words >> load_begun_;
  } else if (kind == 'l') {
    words >> load_sure_;
  }
}

void CrashLedger::make_sure(Entry& entry) {
  const CrashTransaction& one = entry.transaction;
  entry.status = Status::Sure;
  counters_[one.thread] = std::max(counters_[one.thread], one.number);
  if (!one.replaces.empty()) entries_.at(one.replaces).status = Status::Gone;
}

bool CrashLedger::has(const Model& found, const CrashTransaction& transaction) {
  const Model wanted = transaction.added();
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const auto& one) { return found.count(one) > 0; });
}

std::string CrashLedger::check(const Model& found) const {
  Model wanted = first_;
  std::map<std::uint64_t, std::uint64_t> counters = counters_;
  std::set<std::string> replaced;
  for (const auto& [id, entry] : entries_) {
    const CrashTransaction& one = entry.transaction;
    if (entry.status != Status::Begun || !has(found, one)) continue;
    wanted.merge(one.added());
    counters[one.thread] = std::max(counters[one.thread], one.number);
    replaced.insert(one.replaces);
  }
  for (const auto& [id, entry] : entries_) {
    if (entry.status == Status::Sure && replaced.count(id) == 0) {
      wanted.merge(entry.transaction.added());
    }
  }
  for (std::uint64_t thread = 0; thread < kCrashThreads; ++thread) {
    wanted.merge(counters_at(thread, counters[thread]));
  }
  const Model missing = missing_of(wanted, found);
  const Model extra = missing_of(found, wanted);
  if (!missing.empty()) return "lost: " + some_of(missing);
  return extra.empty() ? "" : "never done, or undone: " + some_of(extra);
}

std::string CrashLedger::check_loaded(const std::optional<Model>& found) const {
  if (!found) return load_sure_ == 0 ? "" : fmt::format("load {} is lost", load_sure_);
  for (std::uint64_t number = load_sure_; number <= load_begun_; ++number) {
    if (number > 0 && *found == load_number(number)) return "";
  }
  return fmt::format("the folder has none of the loads {} to {}: {}", load_sure_, load_begun_,
                     some_of(*found));
}

void CrashLedger::settle(const Model& found, const std::optional<Model>& loaded, bool is_durable) {
  for (auto& [id, entry] : entries_) {
    if (entry.status != Status::Begun) continue;
    if (!has(found, entry.transaction)) {
      entry.status = Status::Gone;
    } else if (is_durable) {
      make_sure(entry);
    }
  }
  std::erase_if(entries_, [](const auto& one) { return one.second.status == Status::Gone; });
  if (!loaded || !is_durable) return;
  for (std::uint64_t number = load_sure_; number <= load_begun_; ++number) {
    if (*loaded == load_number(number)) load_sure_ = number;
  }
}

}  // namespace helve
