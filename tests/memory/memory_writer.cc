// memory_writer BANK NAME THREADS [again]: adds items to a bank until it is killed, and tells on
// standard output the title of each one that was acknowledged; with "again", what cannot be had now
// is tried until it can. memory_writer BANK: opens it as any reader does, and tells all titles.
// kill_test.py and server_kill_test.py start and kill it.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "surfaces/opening/open_bank.h"

namespace {

using helve::memory::Item;
using helve::memory::MemoryBank;

// One write, so that lines of several threads do not mix.
bool tell(const std::string& line) {
  return ::write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

[[noreturn]] void give_up(const helve::Error& error) {
  fmt::print(stderr, "{}\n", error.to_string());
  std::_Exit(1);
}

void add(MemoryBank& bank, const Item& item, bool is_tried_again) {
  while (true) {
    const auto added = bank.repository().add({item}, {});
    if (added) return;
    if (!is_tried_again || added.error().code != helve::ErrorCode::Unavailable) {
      give_up(added.error());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void add_items(MemoryBank& bank, const std::string& name, bool is_tried_again) {
  for (std::size_t n = 0;; ++n) {
    Item item;
    item.title = fmt::format("{}-{}", name, n);
    item.desc = "One of many.";
    item.content = fmt::format("what was learnt {} times by {}", n, name);
    item.id = helve::memory::id_of(item);
    add(bank, item, is_tried_again);
    if (!tell(item.title + "\n")) return;
  }
}

int tell_all(MemoryBank& bank) {
  const auto visited = bank.repository().visit(helve::memory::whole_bank(),
                                               [](const Item& item) -> helve::Result<void> {
                                                 tell(item.title + "\n");
                                                 return {};
                                               },
                                               {});
  if (!visited) give_up(visited.error());
  // Each item has the word, in the index too.
  const auto found = bank.repository().candidates({{"learnt"}, {}}, {});
  if (!found) give_up(found.error());
  if (!found->frequencies.empty()) fmt::print(stderr, "indexed {}\n", found->frequencies[0]);
  for (const std::string& warning : bank.repository().take_warnings()) {
    fmt::print(stderr, "{}\n", warning);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4 && argc != 5) return 2;
  helve::opening::BankInput input;
  input.place = argv[1];
  const auto bank = helve::opening::open_bank(input, helve::real_env(), {});
  if (!bank) give_up(bank.error());
  if (argc == 2) return tell_all(**bank);
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    threads.emplace_back([&bank, name = fmt::format("{}-{}", argv[2], i),
                          is_tried_again = argc == 5] { add_items(**bank, name, is_tried_again); });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}
