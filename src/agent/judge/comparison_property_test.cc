// Tables at random against shuffled, renamed and damaged copies of themselves.
#include <algorithm>
#include <random>
#include <set>

#include "agent/judge/comparison.h"
#include "agent/judge/judge_testing.h"

namespace helve::agent {
namespace {

using learning::Verdict;

constexpr int kRounds = 300;

struct Made {
  Words columns;
  std::vector<Words> rows;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  std::string word() {
    const std::string number = std::to_string(below(6));
    switch (below(8)) {
      case 0:
        return "";
      case 1:
        return "<http://example.org/" + number + ">";
      case 2:
        return number + "^integer";
      case 3:
        return number + ".50^decimal";
      case 4:
        return number + ".25^double";
      case 5:
        return "text" + number + "@en";
      case 6:
        return "200" + number + "-01-01^date";
      default:
        return "text " + number;
    }
  }

  Made table() {
    Made made;
    const std::size_t columns = 1 + below(5);
    for (std::size_t i = 0; i < columns; ++i) made.columns.push_back("c" + std::to_string(i));
    const std::size_t rows = 1 + below(12);
    for (std::size_t i = 0; i < rows; ++i) {
      Words row;
      for (std::size_t j = 0; j < columns; ++j) row.push_back(word());
      made.rows.push_back(std::move(row));
    }
    return made;
  }

  // The same number in another form.
  std::string rewritten(const std::string& word) {
    if (word.ends_with("^integer")) return "+0" + word.substr(0, 1) + ".0^decimal";
    if (word.ends_with(".50^decimal")) return word.substr(0, 1) + "5e-1^double";
    return word;
  }

  // Other names, columns and rows in another order, other forms.
  Made copy(const Made& made, bool is_rewritten) {
    std::vector<std::size_t> order(made.columns.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    Made other;
    for (std::size_t i = 0; i < order.size(); ++i) {
      other.columns.push_back("renamed" + std::to_string(i));
    }
    for (const Words& row : made.rows) {
      Words cells;
      for (const std::size_t column : order) {
        cells.push_back(is_rewritten ? rewritten(row[column]) : row[column]);
      }
      other.rows.push_back(std::move(cells));
    }
    std::shuffle(other.rows.begin(), other.rows.end(), random_);
    return other;
  }

 private:
  std::mt19937 random_;
};

Comparison compare_made(const Made& reference, const Made& candidate, bool is_bag) {
  ComparisonOptions options;
  options.is_bag = is_bag;
  const auto comparison =
      compare_results(*table_of(reference.columns, reference.rows),
                      *table_of(candidate.columns, candidate.rows), options, {});
  EXPECT_TRUE(comparison.has_value());
  return comparison.value_or(Comparison{});
}

TEST(ComparisonProperty, CopiesOfThemselvesAreCorrect) {
  Maker maker(7);
  for (int round = 0; round < kRounds; ++round) {
    const Made made = maker.table();
    for (const bool is_bag : {false, true}) {
      const Comparison comparison = compare_made(made, maker.copy(made, true), is_bag);
      ASSERT_EQ(comparison.verdict, Verdict::Correct) << round << ": " << comparison.says;
      EXPECT_EQ(comparison.f1, 1);
    }
  }
}

TEST(ComparisonProperty, WithoutOneOfItsRowsItIsNeverCorrect) {
  Maker maker(11);
  int tried = 0;
  for (int round = 0; round < kRounds; ++round) {
    Made made = maker.table();
    std::sort(made.rows.begin(), made.rows.end());
    made.rows.erase(std::unique(made.rows.begin(), made.rows.end()), made.rows.end());
    Made less = maker.copy(made, false);
    less.rows.pop_back();
    ++tried;
    ASSERT_NE(compare_made(made, less, false).verdict, Verdict::Correct) << round;
    ASSERT_NE(compare_made(less, made, false).verdict, Verdict::Correct) << round;
  }
  EXPECT_EQ(tried, kRounds);
}

TEST(ComparisonProperty, FiguresAgreeWithEachOther) {
  Maker maker(13);
  for (int round = 0; round < kRounds; ++round) {
    const Made left = maker.table();
    Made right = maker.copy(left, false);
    for (Words& row : right.rows) {
      if (maker.below(3) == 0) row[maker.below(row.size())] = maker.word();
    }
    const Comparison there = compare_made(left, right, true);
    const Comparison back = compare_made(right, left, true);
    EXPECT_EQ(there.common, back.common) << round;
    EXPECT_DOUBLE_EQ(there.precision, back.recall);
    EXPECT_EQ(there.verdict == Verdict::Correct, back.verdict == Verdict::Correct);
    EXPECT_LE(there.f1, 1);
    EXPECT_LE(there.common, std::min(there.rows, there.reference_rows));
    EXPECT_EQ(there.verdict == Verdict::Incorrect, there.common == 0);
  }
}

}  // namespace
}  // namespace helve::agent
