#include "tests/store/crash_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace helve {

namespace {

using store::live_testing::Model;

std::string integer(std::uint64_t value) {
  return fmt::format("\"{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", value);
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

bool is_external_load(std::uint64_t number) { return number % 2 == 0; }

Model load_number(std::uint64_t number) {
  Model model;
  const std::uint64_t count = (is_external_load(number) ? 500 : 20) + number % 50;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string graph = i % 7 == 0 ? "<urn:g/1>" : "";
    model.insert({fmt::format("<urn:l/{}>", i), "<urn:number>", integer(number), graph});
  }
  return model;
}

Model replacement(std::uint64_t which) {
  Model model = {{"<urn:which>", "<urn:is>", integer(which), ""}};
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::string graph = i % 5 == which ? "<urn:g/1>" : "";
    model.insert({fmt::format("<urn:d/{}>", i), fmt::format("<urn:p/{}>", i % 5),
                  fmt::format("\"{} of {}\"", i, which), graph});
  }
  return model;
}

void CrashLedger::read_line(const std::string& line) {
  std::istringstream words(line);
  char kind = 0;
  words >> kind;
  ++lines[kind];
  if (kind == 'B' || kind == 'T') {
    CrashTransaction one;
    words >> one.id >> one.thread >> one.number >> one.statements >> one.replaces;
    if (kind == 'T') return read_change_of_replaced(one);
    entries_[one.id] = {one, Status::Begun};
  } else if (kind == 'A') {
    std::string id;
    words >> id;
    make_sure(entries_.at(id));
  } else if (kind == 'L') {
    words >> load_begun_;
  } else if (kind == 'l') {
    words >> load_sure_;
  } else if (kind == 'U' || kind == 'u') {
    read_update(line);
  } else if (kind == 'R') {
    std::uint64_t which = 0;
    words >> which;
    replaced_.begin(replacement(which));
  } else if (kind == 'r' || kind == 't') {
    replaced_.acknowledge();
  }
}

void CrashLedger::read_update(const std::string& line) {
  const bool is_begun = line[0] == 'U';
  if (is_begun) update_ = CrashUpdate::from_line(line.substr(1));
  for (const GraphStep& step : update_.steps) {
    std::uint64_t& cut = steps_cut[step.verb];
    cut = is_begun ? cut + 1 : cut - 1;
  }
  if (!is_begun) return updated_.acknowledge();
  Model next = updated_.last();
  update_.apply(next);
  updated_.begin(std::move(next));
}

void CrashLedger::read_change_of_replaced(const CrashTransaction& one) {
  Model next = replaced_.last();
  const std::string gone = fmt::format("<urn:t/{}>", one.replaces);
  std::erase_if(next, [&](const auto& statement) { return statement[0] == gone; });
  next.merge(one.added());
  replaced_.begin(std::move(next));
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

std::string CrashLedger::check(const Found& found) const {
  const auto about = [](std::string_view what, std::string wrong) {
    return wrong.empty() ? "" : fmt::format("{}: {}\n", what, wrong);
  };
  return about("the store", check_store(found.store)) +
         about("graphs of SPARQL updates", updated_.check(found.updated)) +
         about("the index that is replaced", replaced_.check(found.replaced)) +
         about("the folder of loads", check_loaded(found.loaded));
}

void CrashLedger::settle(const Found& found, bool is_durable) {
  settle_store(found.store, is_durable);
  updated_.settle(found.updated, is_durable);
  replaced_.settle(found.replaced, is_durable);
  settle_loaded(found.loaded, is_durable);
}

std::string CrashLedger::check_store(const Model& found) const {
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

void CrashLedger::settle_store(const Model& found, bool is_durable) {
  for (auto& [id, entry] : entries_) {
    if (entry.status != Status::Begun) continue;
    if (!has(found, entry.transaction)) {
      entry.status = Status::Gone;
    } else if (is_durable) {
      make_sure(entry);
    }
  }
  std::erase_if(entries_, [](const auto& one) { return one.second.status == Status::Gone; });
}

void CrashLedger::settle_loaded(const std::optional<Model>& found, bool is_durable) {
  if (!found || !is_durable) return;
  for (std::uint64_t number = load_sure_; number <= load_begun_; ++number) {
    if (*found == load_number(number)) load_sure_ = number;
  }
}

}  // namespace helve
