// What kill_test.py and server_kill_test.py start and kill:
//   memory_writer BANK NAME THREADS [again]  adds items until it is killed, and tells on standard
//                        output the titles that were acknowledged; with "again", what cannot be had
//                        now is tried until it can
//   memory_writer BANK fill COUNT            adds so many
//   memory_writer BANK check                 compares the bank with the titles on standard input
//                        and its index with a count of its own
//   memory_writer BANK                       opens it as any reader does, and tells all titles
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "surfaces/opening/open_bank.h"

namespace {

using helve::memory::Item;
using helve::memory::MemoryBank;

constexpr std::size_t kTogetherMax = 24;  // items of one call
constexpr std::size_t kWords = 40;        // that many items share

// One write, so that lines of several threads do not mix.
bool tell(const std::string& lines) {
  return ::write(STDOUT_FILENO, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
}

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::_Exit(1);
}

template <typename T>
T must(helve::Result<T> result) {
  if (!result) give_up(result.error().to_string());
  return *std::move(result);
}

// A word that this item alone has.
std::string own_word(const std::string& title) {
  std::string word = "x";
  for (const char c : title) word += c == '-' ? 'y' : c;
  return word;
}

Item item_named(const std::string& title) {
  Item item;
  item.title = title;
  item.desc = "One of many.";
  const std::size_t sum = std::hash<std::string>()(title);
  item.content = fmt::format("what was learnt {} w{} v{}", own_word(title), sum % kWords,
                             sum / kWords % 5'000);
  item.id = helve::memory::id_of(item);
  return item;
}

void add(MemoryBank& bank, const std::vector<Item>& items, bool is_tried_again) {
  while (true) {
    const auto added = bank.repository().add(items, {});
    if (added) return;
    if (!is_tried_again || added.error().code != helve::ErrorCode::Unavailable) {
      give_up(added.error().to_string());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void add_items(MemoryBank& bank, const std::string& name, bool is_tried_again) {
  std::size_t n = 0;
  for (std::size_t call = 0;; ++call) {
    std::vector<Item> items;
    std::string titles;
    for (std::size_t i = 0; i <= call % kTogetherMax; ++i) {
      items.push_back(item_named(fmt::format("{}-{}", name, n++)));
      titles += items.back().title + "\n";
    }
    add(bank, items, is_tried_again);
    if (!tell(titles)) return;
  }
}

int fill(MemoryBank& bank, std::size_t count) {
  constexpr std::size_t kStep = 1'000;
  // Named by what is there, so that it can be filled further.
  const std::size_t before = must(bank.repository().stats({})).items;
  for (std::size_t at = 0; at < count; at += kStep) {
    std::vector<Item> items;
    for (std::size_t i = at; i < std::min(count, at + kStep); ++i) {
      items.push_back(item_named(fmt::format("f{}-{}", before, i)));
    }
    add(bank, items, false);
  }
  return 0;
}

int tell_all(MemoryBank& bank) {
  const auto visited = bank.repository().visit(helve::memory::whole_bank(),
                                               [](const Item& item) -> helve::Result<void> {
                                                 tell(item.title + "\n");
                                                 return {};
                                               },
                                               {});
  if (!visited) give_up(visited.error().to_string());
  // Each item has the word, in the index too.
  const auto found = must(bank.repository().candidates({{"learnt"}, {}}, {}));
  if (!found.frequencies.empty()) fmt::print(stderr, "indexed {}\n", found.frequencies[0]);
  for (const std::string& warning : bank.repository().take_warnings()) {
    fmt::print(stderr, "{}\n", warning);
  }
  return 0;
}

// All of them are there by id, and each is found by its own word.
void check_titles(MemoryBank& bank, const std::vector<std::string>& titles) {
  constexpr std::size_t kStep = 32;
  for (std::size_t at = 0; at < titles.size(); at += kStep) {
    std::vector<std::string> ids;
    std::vector<std::string> words;
    for (std::size_t i = at; i < std::min(titles.size(), at + kStep); ++i) {
      ids.push_back(item_named(titles[i]).id);
      words.push_back(own_word(titles[i]));
    }
    (void)must(bank.repository().get(ids, {}));
    std::set<std::string> found;
    for (const auto& one : must(bank.repository().candidates({words, {}}, {})).items) {
      found.insert(one.id);
    }
    if (found != std::set<std::string>(ids.begin(), ids.end())) {
      give_up(
          fmt::format("{} of {} items are found from {} on", found.size(), ids.size(), titles[at]));
    }
  }
}

// What the index says of the whole bank is what its items say.
void check_numbers(MemoryBank& bank) {
  std::uint64_t documents = 0;
  std::uint64_t length = 0;
  std::map<std::string, std::uint64_t> counts{{"learnt", 0}, {"nowhere", 0}};
  for (std::size_t i = 0; i < kWords; ++i) {
    counts[fmt::format("w{}", i)] = 0;
    counts[fmt::format("v{}", i * 100)] = 0;
  }
  const auto visited = bank.repository().visit(helve::memory::whole_bank(),
                                               [&](const Item& item) -> helve::Result<void> {
                                                 const auto terms = helve::memory::item_terms(item);
                                                 ++documents;
                                                 length += terms.length;
                                                 for (const std::string& term : terms.distinct) {
                                                   const auto counted = counts.find(term);
                                                   if (counted != counts.end()) ++counted->second;
                                                 }
                                                 return {};
                                               },
                                               {});
  if (!visited) give_up(visited.error().to_string());
  for (const auto& [word, count] : counts) {
    const auto found = must(bank.repository().candidates({{word}, {}, 1}, {}));
    if (found.documents != documents || found.total_length != length ||
        found.frequencies.at(0) != count) {
      give_up(fmt::format("{}: the index has {} of {} items of length {}, the items {} of {} of {}",
                          word, found.frequencies.at(0), found.documents, found.total_length, count,
                          documents, length));
    }
  }
}

int check(MemoryBank& bank) {
  std::vector<std::string> titles;
  for (std::string title; std::getline(std::cin, title);) titles.push_back(title);
  check_titles(bank, titles);
  check_numbers(bank);
  for (const std::string& warning : bank.repository().take_warnings()) give_up(warning);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) return 2;
  const std::vector<std::string> words(argv + 1, argv + argc);
  helve::opening::BankInput input;
  input.place = words[0];
  const auto opened = helve::opening::open_bank(input, helve::real_env(), {});
  if (!opened) give_up(opened.error().to_string());
  MemoryBank& bank = **opened;
  if (words.size() == 1) return tell_all(bank);
  if (words.size() == 2) return words[1] == "check" ? check(bank) : 2;
  const auto number = static_cast<std::size_t>(std::atoi(words[2].c_str()));
  if (words[1] == "fill") return fill(bank, number);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < number; ++i) {
    threads.emplace_back(
        [&bank, name = fmt::format("{}-{}", words[1], i), is_tried_again = words.size() == 4] {
          add_items(bank, name, is_tried_again);
        });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}
