// Look-ups, intersections and groups against what scans give.
#include "sources/store/lookup.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "sources/store/dataset.h"
#include "sources/store/loader.h"

namespace helve::store {
namespace {

using sparql::LookupKeys;
using sparql::LookupKind;
using sparql::Matches;
using Kind = GraphChoice::Kind;

constexpr std::array<Part, 3> kParts = {Part::Subject, Part::Predicate, Part::Object};

class LookupTest : public ::testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  LookupTest() : random_(std::get<0>(GetParam())) {
    std::string text;
    const auto pick = [&](const char* name, unsigned count) {
      return "<x:" + std::string(name) + std::to_string(random_() % count) + ">";
    };
    for (int i = 0; i < 3'000; ++i) {
      // Hubs and leaves; nodes are subjects and objects; numbers are inlined.
      const std::string subject = random_() % 4 == 0 ? pick("n", 3) : pick("n", 150);
      const std::string object = random_() % 5 == 0
                                     ? "\"" + std::to_string(random_() % 20) +
                                           "\"^^<http://www.w3.org/2001/XMLSchema#integer>"
                                     : pick("n", random_() % 3 == 0 ? 5 : 150);
      const bool has_graph = std::get<1>(GetParam()) && random_() % 3 != 0;
      const std::string predicate = pick("p", 4);
      text += fmt::format("{} {} {} {} .\n", subject, predicate, object,
                          has_graph ? pick("g", 2) : std::string());
    }
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("t.nq", text, rdf::Format::NQuads));
    auto loaded = load_documents(std::move(documents), {}, OpContext());
    EXPECT_TRUE(loaded.has_value()) << loaded.error().to_string();
    data_ = as_dataset(loaded->snapshot);
    sparql::QuadPattern everything;
    everything.graph.kind = Kind::Union;
    QuadBatch batch;
    for (const auto scan = data_->scan(everything); scan->next(batch, QuadBatch::kRows);) {
      for (std::size_t row = 0; row < batch.rows; ++row) {
        triples_.push_back({batch.columns[0][row], batch.columns[1][row], batch.columns[2][row]});
      }
    }
  }

  std::vector<GraphChoice> choices() const {
    std::vector<GraphChoice> all = {{Kind::Default, {}}, {Kind::Union, {}}};
    for (const Id graph : data_->named_graphs()) all.push_back({Kind::One, graph});
    all.push_back({Kind::One, Id(Tag::Local, 3)});
    return all;
  }

  // Keys that are mostly there; some that no statement has.
  Id some_key(Part part) {
    if (random_() % 10 == 0) return Id(Tag::Local, random_() % 5);
    if (random_() % 10 == 0) return Id(Tag::Integer, random_() % 50);
    return triples_[random_() % triples_.size()][static_cast<std::size_t>(part)];
  }

  // By definition: a scan for each key.
  std::vector<std::array<Id, 4>> expected(const LookupKeys& keys, LookupKind kind) const {
    std::vector<std::array<Id, 4>> rows;
    for (std::size_t key = 0; key < keys.rows; ++key) {
      std::array<Id, 3> ids;
      bool is_known = true;
      for (std::size_t i = 0; i < 3; ++i) {
        ids[i] = keys.parts[i].ids != nullptr ? keys.parts[i].ids[key] : keys.parts[i].constant;
        is_known = is_known && ids[i].tag() != Tag::Local;
      }
      if (!is_known || keys.graph.graph.tag() == Tag::Local) continue;
      const auto scan = data_->scan({ids[0], ids[1], ids[2], keys.graph});
      QuadBatch batch;
      std::size_t found = 0;
      while (scan->next(batch, QuadBatch::kRows)) {
        for (std::size_t row = 0; row < batch.rows; ++row, ++found) {
          if (kind == LookupKind::First && found > 0) continue;
          rows.push_back({Id(Tag::Local, key), batch.columns[0][row], batch.columns[1][row],
                          batch.columns[2][row]});
        }
      }
    }
    return rows;
  }

  std::mt19937 random_;
  std::shared_ptr<const sparql::Snapshot> data_;
  std::vector<std::array<Id, 3>> triples_;
};

std::vector<std::array<Id, 4>> sorted(std::vector<std::array<Id, 4>> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST_P(LookupTest, FindsWhatScansFind) {
  for (int round = 0; round < 300; ++round) {
    LookupKeys keys;
    keys.rows = random_() % 40;
    std::array<std::vector<Id>, 3> columns;
    std::size_t key_columns = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto how = random_() % 3;
      if (how == 0) keys.parts[i].constant = some_key(kParts[i]);
      if (how != 1) continue;
      ++key_columns;
      for (std::size_t key = 0; key < keys.rows; ++key) columns[i].push_back(some_key(kParts[i]));
      keys.parts[i].ids = columns[i].data();
    }
    if (key_columns == 1 && random_() % 2 == 0) {
      for (auto& column : columns) std::sort(column.begin(), column.end());
      keys.is_ascending = true;
    }
    for (const GraphChoice& choice : choices()) {
      keys.graph = choice;
      for (const LookupKind kind : {LookupKind::All, LookupKind::First}) {
        const auto lookup = data_->lookup(kind, sparql::kTripleParts);
        lookup->start(keys);
        Matches matches;
        std::vector<std::array<Id, 4>> rows;
        for (bool has_more = true; has_more;) {
          has_more = lookup->next(matches, 1 + random_() % 50);
          for (std::size_t i = 0; i < matches.rows.size(); ++i) {
            rows.push_back({Id(Tag::Local, matches.rows[i]), matches.columns[0][i],
                            matches.columns[1][i], matches.columns[2][i]});
          }
          matches.clear();
        }
        const auto of_key = [](const auto& a, const auto& b) { return a[0] < b[0]; };
        ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end(), of_key));
        const auto wanted = expected(keys, kind);
        if (kind == LookupKind::First) {
          // Any one of them will do.
          ASSERT_EQ(rows.size(), wanted.size());
          const auto all = sorted(expected(keys, LookupKind::All));
          for (const auto& row : rows) ASSERT_TRUE(std::binary_search(all.begin(), all.end(), row));
        } else {
          ASSERT_EQ(rows.size(), wanted.size()) << "round " << round;
          ASSERT_TRUE(sorted(rows) == sorted(wanted)) << "round " << round;
        }
      }
    }
  }
}

TEST_P(LookupTest, IntersectsWhatLookupsFind) {
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 2 + random_() % 2;
    std::vector<Part> free;
    std::vector<LookupKeys> patterns(count);
    std::vector<std::array<std::vector<Id>, 3>> columns(count);
    const std::size_t keys = random_() % 30;
    for (std::size_t p = 0; p < count; ++p) {
      free.push_back(random_() % 2 == 0 ? Part::Subject : Part::Object);
      patterns[p].rows = keys;
      for (std::size_t i = 0; i < 3; ++i) {
        if (kParts[i] == free.back()) continue;
        if (random_() % 2 == 0) {
          patterns[p].parts[i].constant = some_key(kParts[i]);
          continue;
        }
        for (std::size_t key = 0; key < keys; ++key) {
          columns[p][i].push_back(some_key(kParts[i]));
        }
        patterns[p].parts[i].ids = columns[p][i].data();
      }
    }
    for (const GraphChoice& choice : choices()) {
      std::map<std::pair<std::size_t, Id>, std::size_t> met;
      for (std::size_t p = 0; p < count; ++p) {
        patterns[p].graph = choice;
        for (const auto& row : expected(patterns[p], LookupKind::All)) {
          ++met[{row[0].payload(), row[1 + static_cast<std::size_t>(free[p])]}];
        }
      }
      std::vector<std::pair<std::size_t, Id>> wanted;
      for (const auto& [key, times] : met) {
        if (times == count) wanted.push_back(key);
      }
      const auto intersection = data_->intersect(free);
      ASSERT_NE(intersection, nullptr);
      intersection->start(patterns);
      std::vector<std::uint32_t> rows;
      std::vector<Id> values;
      while (intersection->next(rows, values, 1 + random_() % 20)) {
      }
      std::vector<std::pair<std::size_t, Id>> found;
      for (std::size_t i = 0; i < rows.size(); ++i) found.emplace_back(rows[i], values[i]);
      ASSERT_TRUE(found == wanted) << found.size() << " instead of " << wanted.size();
    }
  }
}

// A caller can look at the clock however little is found.
TEST(LookupWorkTest, ComesBackFromLongListsThatHaveNothingInCommon) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    text += "<x:" + std::string(i % 2 == 0 ? "a" : "b") + "> <x:p> \"" + std::to_string(i) +
            "\"^^<http://www.w3.org/2001/XMLSchema#integer> <x:g> .\n";
  }
  text += "<x:a> <x:p> <x:b> .\n";
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nq", text, rdf::Format::NQuads));
  const auto loaded = load_documents(std::move(documents), {}, OpContext());
  const auto data = as_dataset(loaded->snapshot);
  const auto id = [&](const char* iri) { return *data->find(rdf::TermView::iri(iri)); };
  std::array<LookupKeys, 2> patterns;
  for (std::size_t i = 0; i < 2; ++i) {
    patterns[i].parts[0].constant = id(i == 0 ? "x:a" : "x:b");
    patterns[i].parts[1].constant = id("x:p");
    patterns[i].graph.kind = Kind::Union;
    patterns[i].rows = 1;
  }
  const std::array<Part, 2> free = {Part::Object, Part::Object};
  const auto intersection = data->intersect(free);
  intersection->start(patterns);
  std::vector<std::uint32_t> rows;
  std::vector<Id> values;
  int calls = 1;
  while (intersection->next(rows, values, 1'000)) ++calls;
  EXPECT_GE(calls, 4);
  EXPECT_TRUE(rows.empty());

  const auto lookup = data->lookup(LookupKind::All, sparql::kTripleParts);
  const Id key = id("x:a");
  patterns[0].parts[0] = {&key, {}};
  patterns[0].graph.kind = Kind::Default;
  lookup->start(patterns[0]);
  Matches matches;
  calls = 1;
  while (lookup->next(matches, 1'000)) ++calls;
  EXPECT_GE(calls, 2);
  EXPECT_EQ(matches.rows.size(), 1U);
}

TEST_P(LookupTest, GroupsCountTheTriplesOfEachValue) {
  for (int round = 0; round < 100; ++round) {
    QuadPattern pattern;
    const Part by = kParts[random_() % 3];
    if (by != Part::Subject && random_() % 2 == 0) pattern.subject = some_key(Part::Subject);
    if (by != Part::Predicate && random_() % 2 == 0) pattern.predicate = some_key(Part::Predicate);
    if (by != Part::Object && random_() % 2 == 0) pattern.object = some_key(Part::Object);
    for (const Kind kind : {Kind::Default, Kind::Union}) {
      pattern.graph = {kind, {}};
      const auto groups = data_->groups(pattern, by);
      if (groups == nullptr) {
        ASSERT_TRUE(std::get<1>(GetParam())) << "one graph alone hides nothing";
        continue;
      }
      const bool is_known = pattern.subject.tag() != Tag::Local &&
                            pattern.predicate.tag() != Tag::Local &&
                            pattern.object.tag() != Tag::Local;
      std::map<Id, std::uint64_t> wanted;
      QuadBatch batch;
      if (is_known) {
        const auto scan = data_->scan(pattern);
        while (scan->next(batch, QuadBatch::kRows)) {
          for (const Id id : batch[by]) ++wanted[id];
        }
      }
      std::vector<std::pair<Id, std::uint64_t>> found;
      sparql::GroupBatch group;
      while (groups->next(group, 1 + random_() % 9)) {
        for (std::size_t i = 0; i < group.values.size(); ++i) {
          found.emplace_back(group.values[i], group.counts[i]);
        }
      }
      ASSERT_TRUE(found ==
                  (std::vector<std::pair<Id, std::uint64_t>>(wanted.begin(), wanted.end())));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LookupTest,
                         ::testing::Combine(::testing::Values(1U, 2U, 3U), ::testing::Bool()));

}  // namespace
}  // namespace helve::store
