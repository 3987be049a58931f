// Memory banks at scale, from within; bench/memory.py calls it:
//   helve_memory_bank make ITEMS QUESTIONS FOLDER       items.tsv and questions.txt
//   helve_memory_bank fill FOLDER BANK THREADS BATCH FIRST COUNT    items a second, acknowledged
//   helve_memory_bank ask FOLDER BANK EXHAUSTIVE        times, and recall of EXHAUSTIVE questions
// Each prints one line of JSON.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/real_env.h"
#include "toolkit/memory/bank.h"
#include "toolkit/memory/question_terms.h"

namespace {

using namespace helve;
using namespace helve::memory;
using Steady = std::chrono::steady_clock;
using Millis = std::chrono::duration<double, std::milli>;

constexpr std::size_t kBest = 6;  // hits of a search, as mem_search gives

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

// Words of a language as texts have them: the n-th commonest is about n times rarer than the first.
class Words {
 public:
  Words() {
    double sum = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      words_.push_back(word(i));
      sums_.push_back(sum += 1 / std::pow(static_cast<double>(i) + 2.7, 1.05));
    }
  }
  static constexpr std::size_t kCount = 60'000;
  const std::string& at(std::size_t i) const { return words_[i]; }
  const std::string& any(std::mt19937_64& random) const {
    std::uniform_real_distribution<double> place(0, sums_.back());
    const auto found = std::lower_bound(sums_.begin(), sums_.end(), place(random));
    return words_[static_cast<std::size_t>(found - sums_.begin())];
  }

 private:
  // Syllables, so that each is one term, and none is a plural.
  static std::string word(std::size_t i) {
    static constexpr std::string_view kFirst = "bdfghklmnprtvz";
    static constexpr std::string_view kThen = "aeiou";
    std::string text;
    do {
      text += kFirst[i % kFirst.size()];
      i /= kFirst.size();
      text += kThen[i % kThen.size()];
      i /= kThen.size();
    } while (i > 0);
    return text;
  }
  std::vector<std::string> words_;
  std::vector<double> sums_;
};

// An item is about one of many subjects, which have words of their own among the rarer ones.
class Maker {
 public:
  std::string subject_word(std::size_t subject) {
    std::mt19937_64 own(subject * 31 + random_() % kSubjectWords);
    std::uniform_int_distribution<std::size_t> rarer(500, Words::kCount - 1);
    return words_.at(rarer(own));
  }
  std::string sentence(std::size_t subject, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += text.empty() ? "" : " ";
      text += random_() % 4 == 0 ? subject_word(subject) : words_.any(random_);
    }
    return text;
  }
  std::size_t subject() { return random_() % kSubjects; }

 private:
  static constexpr std::size_t kSubjects = 5'000;
  static constexpr std::size_t kSubjectWords = 30;
  Words words_;
  std::mt19937_64 random_{20'261'116};
};

int make(std::size_t items, std::size_t questions, const std::string& folder) {
  Maker maker;
  std::ofstream out(folder + "/items.tsv");
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t subject = maker.subject();
    out << maker.sentence(subject, 6) << ' ' << i << '\t' << maker.sentence(subject, 14) << '\t'
        << maker.sentence(subject, 50) << '\n';
  }
  std::ofstream asked(folder + "/questions.txt");
  for (std::size_t i = 0; i < questions; ++i) {
    asked << maker.sentence(maker.subject(), 8) << '\n';
  }
  if (!out.flush() || !asked.flush()) give_up("cannot write in " + folder);
  fmt::print("{{\"items\": {}, \"questions\": {}}}\n", items, questions);
  return 0;
}

std::vector<Item> read_items(const std::string& folder, std::size_t first_item, std::size_t count) {
  std::ifstream in(folder + "/items.tsv");
  std::vector<Item> items;
  std::size_t place = 0;
  for (std::string line; items.size() < count && std::getline(in, line);) {
    if (place++ < first_item) continue;
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    if (second == std::string::npos) give_up("not an item: " + line);
    Item item;
    item.title = line.substr(0, first);
    item.desc = line.substr(first + 1, second - first - 1);
    item.content = line.substr(second + 1);
    item.src = items.size() % 3 == 0 ? ItemSource::Failure : ItemSource::Success;
    item.id = id_of(item);
    items.push_back(std::move(item));
  }
  return items;
}

std::shared_ptr<MemoryBank> open_bank(const std::string& path) {
  auto bank = MemoryBank::open(path, true, real_env(), {});
  if (!bank) give_up(bank.error().to_string());
  return *bank;
}

int fill(const std::vector<Item>& items, const std::string& path, std::size_t threads,
         std::size_t batch) {
  const auto bank = open_bank(path);
  std::atomic<std::size_t> next{0};
  const auto started = Steady::now();
  std::vector<std::thread> writers;
  for (std::size_t t = 0; t < threads; ++t) {
    writers.emplace_back([&] {
      for (std::size_t at = next.fetch_add(batch); at < items.size(); at = next.fetch_add(batch)) {
        const auto from = items.begin() + static_cast<std::ptrdiff_t>(at);
        const auto to =
            items.begin() + static_cast<std::ptrdiff_t>(std::min(at + batch, items.size()));
        const auto added = bank->repository().add({from, to}, {});
        if (!added) give_up(added.error().to_string());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const double seconds = Millis(Steady::now() - started).count() / 1'000;
  const auto stats = bank->repository().stats({});
  if (!stats) give_up(stats.error().to_string());
  fmt::print(
      "{{\"items\": {}, \"threads\": {}, \"batch\": {}, \"seconds\": {:.2f}, \"items_per_second\": "
      "{:.0f}, \"bytes\": {}}}\n",
      items.size(), threads, batch, seconds, static_cast<double>(items.size()) / seconds,
      stats->bytes);
  return 0;
}

std::vector<std::string> read_questions(const std::string& folder) {
  std::ifstream in(folder + "/questions.txt");
  std::vector<std::string> questions;
  for (std::string line; std::getline(in, line);) questions.push_back(line);
  if (questions.empty()) give_up("there are no questions in " + folder);
  return questions;
}

// The whole bank as candidates: what searches would rank had they all the time.
Candidates whole(MemoryBank& bank) {
  Candidates all;
  const auto visited = bank.repository().visit(whole_bank(),
                                               [&](const Item& item) -> Result<void> {
                                                 std::vector<std::string> terms;
                                                 Candidate one;
                                                 one.id = item.id;
                                                 one.bag = Bag::of(item, terms);
                                                 one.length = length_of(item);
                                                 one.created_at = item.created_at;
                                                 all.items.push_back(std::move(one));
                                                 return {};
                                               },
                                               {});
  if (!visited) give_up(visited.error().to_string());
  return all;
}

// The share of the best by BM25 over everything that the searches found too.
double recall(MemoryBank& bank, const std::vector<std::string>& questions) {
  Candidates all = whole(bank);
  std::size_t wanted = 0;
  std::size_t met = 0;
  SearchOptions options;
  options.count = kBest;
  options.uses_history = false;
  for (const std::string& question : questions) {
    const auto found = bank.search(question, options, {});
    if (!found) give_up(found.error().to_string());
    const auto terms = telling_terms(question);
    const auto numbers = bank.repository().candidates({terms, {}, 1}, {});
    if (!numbers) give_up(numbers.error().to_string());
    all.documents = numbers->documents;
    all.total_length = numbers->total_length;
    all.frequencies = numbers->frequencies;
    const auto best = rank(all, terms, {Ranker::Bm25, false, {}}, kBest);
    wanted += best.size();
    for (const Ranked& one : best) {
      met += static_cast<std::size_t>(
          std::any_of(found->hits.begin(), found->hits.end(),
                      [&](const Hit& hit) { return hit.item.id == one.id; }));
    }
  }
  return static_cast<double>(met) / static_cast<double>(std::max<std::size_t>(wanted, 1));
}

int ask(const std::string& folder, const std::string& path, std::size_t exhaustive) {
  const std::vector<std::string> questions = read_questions(folder);
  const auto bank = open_bank(path);
  std::vector<double> times;
  double candidates = 0;
  std::size_t complete = 0;
  for (const std::string& question : questions) {
    const auto started = Steady::now();
    const auto found = bank->search(question, {}, {});
    times.push_back(Millis(Steady::now() - started).count());
    if (!found) give_up(found.error().to_string());
    candidates += static_cast<double>(found->candidates);
    complete += found->is_complete ? 1 : 0;
  }
  const double first = times.front();
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  fmt::print(
      "{{\"questions\": {}, \"first_ms\": {:.2f}, \"p50_ms\": {:.2f}, \"p99_ms\": {:.2f}, "
      "\"max_ms\": {:.2f}, \"candidates\": {:.0f}, \"complete\": {}",
      times.size(), first, at(0.5), at(0.99), times.back(),
      candidates / static_cast<double>(times.size()), complete);
  if (exhaustive > 0) {
    fmt::print(
        ", \"recall\": {:.4f}",
        recall(*bank, {questions.begin(), questions.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  exhaustive, questions.size()))}));
  }
  fmt::print("}}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
  if (words.size() == 4 && words[0] == "make") return make(number(1), number(2), words[3]);
  if (words.size() == 7 && words[0] == "fill") {
    return fill(read_items(words[1], number(5), number(6)), words[2],
                std::max<std::size_t>(number(3), 1), std::max<std::size_t>(number(4), 1));
  }
  if (words.size() == 4 && words[0] == "ask") return ask(words[1], words[2], number(3));
  give_up(
      "usage: make ITEMS QUESTIONS FOLDER | fill FOLDER BANK THREADS BATCH FIRST COUNT | ask "
      "FOLDER "
      "BANK EXHAUSTIVE");
}
