// How well questions find lessons of other questions: retrieval_quality [--check] [EXAMPLES]
// Each example of a folder (SHACL SPARQL examples) is asked; items are made of all examples, and
// its own is passed over. Prints a table in Markdown; --check leaves fusion out, and fails where
// BM25 is not clearly ahead of word overlap. docs/benchmarks.md has the figures and what they mean.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/real_env.h"
#include "tests/memory/quality/local_embedder.h"
#include "tests/memory/quality/retrieval_cases.h"
#include "tests/support/fake_http.h"
#include "tests/support/temp_directory.h"
#include "tests/support/test_data.h"
#include "toolkit/memory/bank.h"
#include "toolkit/memory/question_terms.h"

namespace {

using namespace helve;
using namespace helve::quality;
using memory::Ranker;

constexpr std::size_t kLookedAt = 10;  // places that count: beyond, a question found nothing
constexpr std::size_t kFolds = 5;  // the embedder never saw the item of a question that it ranks

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "retrieval_quality: {}\n", why);
  std::exit(1);
}

template <typename T>
T taken(Result<T> result) {
  if (!result) give_up(result.error().to_string());
  return *std::move(result);
}

struct Score {
  std::size_t questions = 0;
  std::size_t first = 0;
  std::size_t in_three = 0;
  double reciprocal = 0;

  double hit1() const { return share(static_cast<double>(first)); }
  double hit3() const { return share(static_cast<double>(in_three)); }
  double mrr() const { return share(reciprocal); }
  double share(double of) const {
    return of / static_cast<double>(std::max<std::size_t>(questions, 1));
  }
};

using Judge = bool (*)(const Case& asked, const Case& other);
constexpr std::pair<Judge, std::string_view> kJudges[] = {
    {is_relevant, "a shared class or property"},
    {is_close, "half of them shared"},
};

// A bank with an item for every example, and who is right about each.
class Measured {
 public:
  Measured(const std::vector<Case>& cases, Wording wording) : cases_(cases) {
    std::vector<memory::Item> items;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      items.push_back(item_of(cases_[i], wording));
      texts_.push_back(memory::embedded_text(items.back()));
      auto& makers = makers_[items.back().id];
      if (makers.empty()) add_candidate(items.back());
      makers.push_back(i);
    }
    taken(open()->repository().add(std::move(items), {}));
    for (std::size_t j = 0; j < std::size(kJudges); ++j) find_answerable(j);
  }

  std::shared_ptr<memory::MemoryBank> open() const {
    return taken(memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), {}));
  }
  std::size_t items() const { return makers_.size(); }

  // Over all items: the bank's own switch ranks those that BM25 found.
  std::vector<Score> by_overlap(bool is_of_all_words) const {
    std::vector<Score> scores(std::size(kJudges));
    memory::Candidates all = all_;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const std::string& question = cases_[i].question;
      const auto terms =
          is_of_all_words ? memory::query_terms(question) : memory::telling_terms(question);
      all.frequencies.assign(terms.size(), 0);  // how rare words are is not asked
      std::vector<std::string> ids;
      for (const auto& one : rank(all, terms, {Ranker::WordOverlap, false, {}}, kAsked)) {
        ids.push_back(one.id);
      }
      judge(i, ids, scores);
    }
    return scores;
  }

  std::vector<Score> by_search(Ranker ranker) const {
    const auto bank = open();
    std::vector<Score> scores(std::size(kJudges));
    for (std::size_t i = 0; i < cases_.size(); ++i) ask(*bank, i, ranker, scores);
    return scores;
  }

  std::vector<Score> by_fusion() const {
    std::vector<Score> scores(std::size(kJudges));
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      std::vector<std::string> seen;
      for (std::size_t i = 0; i < texts_.size(); ++i) {
        if (i % kFolds != fold) seen.push_back(texts_[i]);
      }
      const LocalEmbedder embedder(seen);
      FakeHttp http;
      http.set_handler([&](const HttpRequest& request) { return embedder.answer(request); });
      memory::EmbeddingOptions options;
      options.url = "http://127.0.0.1/v1/embeddings";
      options.model = fmt::format("local-{}", fold);
      const auto bank = open();
      bank->set_embeddings(std::make_shared<const memory::EmbeddingClient>(
          taken(memory::EmbeddingClient::make(options, http))));
      taken(bank->embed_missing(cases_.size(), {}));
      for (std::size_t i = fold; i < cases_.size(); i += kFolds) {
        ask(*bank, i, Ranker::Fusion, scores);
      }
    }
    return scores;
  }

  // What a bank of this size gives who takes any item.
  double chance(std::size_t judge) const {
    double sum = 0;
    for (const std::size_t count : relevant_[judge]) {
      sum += static_cast<double>(count) / static_cast<double>(cases_.size() - 1);
    }
    const auto asked = relevant_[judge].size() -
                       static_cast<std::size_t>(std::count(relevant_[judge].begin(),
                                                           relevant_[judge].end(), std::size_t{0}));
    return sum / static_cast<double>(std::max<std::size_t>(asked, 1));
  }

 private:
  static constexpr std::size_t kAsked = kLookedAt + 1;  // one of them may be its own

  void add_candidate(const memory::Item& item) {
    memory::Candidate one;
    one.id = item.id;
    one.bag = memory::item_terms(item).bag;
    all_.items.push_back(std::move(one));
    ++all_.documents;
  }

  void find_answerable(std::size_t judge) {
    auto& counts = relevant_[judge];
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      counts.push_back(0);
      for (std::size_t other = 0; other < cases_.size(); ++other) {
        if (other != i && kJudges[judge].first(cases_[i], cases_[other])) ++counts.back();
      }
    }
  }

  void ask(memory::MemoryBank& bank, std::size_t asked, Ranker ranker,
           std::vector<Score>& scores) const {
    memory::SearchOptions options;
    options.count = kAsked;
    options.ranker = ranker;
    options.uses_history = false;
    const auto found = taken(bank.search(cases_[asked].question, options, {}));
    if (!found.warning.empty()) give_up(found.warning);
    std::vector<std::string> ids;
    for (const memory::Hit& hit : found.hits) ids.push_back(hit.item.id);
    judge(asked, ids, scores);
  }

  void judge(std::size_t asked, const std::vector<std::string>& ids,
             std::vector<Score>& scores) const {
    for (std::size_t j = 0; j < std::size(kJudges); ++j) {
      if (relevant_[j][asked] == 0) continue;  // no item could help
      Score& score = scores[j];
      ++score.questions;
      std::size_t place = 0;
      for (const std::string& id : ids) {
        std::vector<std::size_t> others = makers_.at(id);
        std::erase(others, asked);
        if (others.empty()) continue;  // its own
        if (++place > kLookedAt) break;
        const bool helps = std::any_of(others.begin(), others.end(), [&](std::size_t other) {
          return kJudges[j].first(cases_[asked], cases_[other]);
        });
        if (!helps) continue;
        score.first += place == 1 ? 1 : 0;
        score.in_three += place <= 3 ? 1 : 0;
        score.reciprocal += 1 / static_cast<double>(place);
        break;
      }
    }
  }

  const std::vector<Case>& cases_;
  TempDirectory folder_;
  memory::Candidates all_;
  std::vector<std::string> texts_;                          // of items, for the embedder
  std::map<std::string, std::vector<std::size_t>> makers_;  // of an item: examples, by place
  std::vector<std::size_t> relevant_[std::size(kJudges)];   // examples that help each
};

struct Row {
  std::string_view ranker;
  std::vector<Score> scores;  // by judge
};

void print(const Measured& bank, std::string_view wording, const std::vector<Row>& rows) {
  for (std::size_t j = 0; j < std::size(kJudges); ++j) {
    fmt::print("| {} | {} | any item | {:.3f} | | |\n", wording, kJudges[j].second, bank.chance(j));
    for (const Row& row : rows) {
      const Score& score = row.scores[j];
      fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} |\n", wording, kJudges[j].second,
                 row.ranker, score.hit1(), score.hit3(), score.mrr());
    }
  }
}

// How far BM25 has to be ahead of word overlap, in MRR. Items that are named after their task share
// whole phrases with questions: there is little left to be ahead by.
double margin_of(Wording wording) { return wording == Wording::Lesson ? 0.03 : 0.005; }

bool is_ahead(std::string_view wording, double margin, const std::vector<Row>& rows) {
  bool is_well = true;
  for (std::size_t j = 0; j < std::size(kJudges); ++j) {
    const double overlap = std::max(rows[0].scores[j].mrr(), rows[1].scores[j].mrr());
    const double bm25 = rows[2].scores[j].mrr();
    if (bm25 >= overlap + margin) continue;
    fmt::print(stderr, "failed: {}, {}: BM25 has an MRR of {:.3f}, word overlap {:.3f}\n", wording,
               kJudges[j].second, bm25, overlap);
    is_well = false;
  }
  return is_well;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_check = std::erase(words, "--check") > 0;
  if (words.size() > 1) give_up("usage: retrieval_quality [--check] [EXAMPLES]");
  const std::filesystem::path folder =
      words.empty() ? helve::testing::shared_path("data/sib-examples/examples") : words[0];
  if (!std::filesystem::is_directory(folder)) {
    fmt::print("skipped: no examples found; set HELVE_SHARED or name their folder\n");
    return 0;
  }
  const Cases read = taken(read_cases(folder));
  if (read.cases.size() < 2) give_up("too few examples in " + folder.string());
  fmt::print("{} examples, {} left out; MRR of the first {} places.\n\n", read.examples,
             read.left_out, kLookedAt);
  fmt::print("| items | relevant | ranker | hit@1 | hit@3 | MRR |\n|---|---|---|---:|---:|---:|\n");
  bool is_well = true;
  for (const auto& [wording, name] :
       {std::pair{Wording::Lesson, std::string_view("lessons")},
        std::pair{Wording::Named, std::string_view("named after their task")}}) {
    const Measured bank(read.cases, wording);
    std::vector<Row> rows = {{"word overlap, all words", bank.by_overlap(true)},
                             {"word overlap, words as BM25 has them", bank.by_overlap(false)},
                             {"BM25", bank.by_search(Ranker::Bm25)}};
    if (!is_check) rows.push_back({"fusion", bank.by_fusion()});
    print(bank, name, rows);
    if (is_check) is_well = is_ahead(name, margin_of(wording), rows) && is_well;
  }
  return is_well ? 0 : 1;
}
