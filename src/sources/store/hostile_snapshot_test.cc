// Snapshots whose checksums are right and whose contents are not: made by somebody who means harm,
// or by a writer with a mistake. Readers stay within bounds; verify_snapshot() finds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sources/store/loader.h"
#include "sources/store/packed_column_builder.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

using Numbers = PackedColumn<std::uint32_t>;

const std::filesystem::path kIndexFolder = "/index";

std::shared_ptr<const Snapshot> load_trig(const std::string& text) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t", text, rdf::Format::TriG));
  auto loaded = load_documents(std::move(documents), {}, OpContext{});
  EXPECT_TRUE(loaded.has_value()) << loaded.error().to_string();
  return loaded->snapshot;
}

std::string some_graph() {
  std::string text = "@prefix x: <http://x/> .\n";
  for (int i = 0; i < 200; ++i) {
    text += "x:s" + std::to_string(i % 40) + " x:p" + std::to_string(i % 3) + " x:s" +
            std::to_string(i * 7 % 50) + ", \"text " + std::to_string(i) + "\"@en, " +
            std::to_string(i) + " .\n";
  }
  return text;
}

std::vector<std::uint32_t> values_of(const Numbers& column) {
  std::vector<std::uint32_t> values(column.size());
  column.read(0, values.size(), values.data());
  return values;
}

class HostileSnapshot : public ::testing::Test {
 protected:
  // The sound snapshot, with another order, statistics or dictionary.
  Snapshot with(Indexes indexes) const {
    return {original_->dictionary(), std::move(indexes), original_->statistics(), {}};
  }
  Snapshot with(Dictionary dictionary) const {
    return {std::move(dictionary), original_->indexes(), original_->statistics(), {}};
  }
  Snapshot with(Statistics statistics) const {
    return {original_->dictionary(), original_->indexes(), std::move(statistics), {}};
  }
  // With changed values of one column, or of the directory where depth is 0.
  template <typename Change>
  Snapshot with_changed(Order order, std::size_t depth, Change&& change) const {
    Indexes indexes = original_->indexes();
    Permutation& changed = indexes.orders[static_cast<std::size_t>(order)];
    std::vector<std::uint32_t> values =
        values_of(depth == 0 ? changed.starts() : changed.column(depth).values());
    change(values);
    const Numbers packed = pack_column<std::uint32_t>(values);
    std::array<CodeColumn, 3> columns = {changed.column(1), changed.column(2), changed.column(3)};
    if (depth > 0) columns[depth - 1] = CodeColumn(packed, columns[depth - 1].names());
    changed =
        Permutation(changed.leading_codes().first, depth == 0 ? packed : changed.starts(), columns);
    return with(std::move(indexes));
  }

  void write(const Snapshot& snapshot) {
    const auto written = write_snapshot(snapshot, {}, kIndexFolder, context_, env_);
    ASSERT_TRUE(written.has_value()) << written.error().to_string();
  }

  // Everything is read, and nothing goes out of bounds. True when the reader took notice.
  bool is_noticed_in_use() {
    const auto opened = open_snapshot(kIndexFolder, context_, env_);
    if (!opened) return true;
    const Snapshot& snapshot = **opened;
    std::string scratch;
    for (std::uint64_t code = 0; code < snapshot.dictionary().size(); ++code) {
      const Id id = snapshot.dictionary().id_of(static_cast<Code>(code));
      if (!id.is_defined()) continue;
      (void)snapshot.dictionary().find(snapshot.dictionary().term(id, scratch));
    }
    for (std::size_t order = 0; order < kOrders; ++order) {
      Scan scan = snapshot.scan({}, static_cast<Order>(order));
      QuadBatch batch;
      while (scan.next(batch)) {
        for (const auto& column : batch.columns) {
          for (const Id id : column) {
            if (id.is_defined()) (void)snapshot.dictionary().term(id, scratch);
          }
        }
      }
      const Permutation& rows = snapshot.indexes().orders[order];
      for (std::uint64_t row = 0; row < rows.rows(); ++row) (void)rows.leading(row);
    }
    return snapshot.failure().has_value();
  }

  std::string verify_message() {
    const auto verified = verify_snapshot(kIndexFolder, context_, env_);
    return verified ? "" : verified.error().message;
  }
  void expect_verify_says(const std::string& part) {
    const std::string message = verify_message();
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  FakeEnv env_;
  OpContext context_;
  const std::shared_ptr<const Snapshot> original_ = load_trig(some_graph());
};

TEST_F(HostileSnapshot, TheOriginalIsSound) {
  write(*original_);
  EXPECT_FALSE(is_noticed_in_use());
  EXPECT_EQ(verify_message(), "");
}

TEST_F(HostileSnapshot, CodesOutOfRangeAreDamage) {
  for (const Order order : {Order::Spo, Order::Pos, Order::Ops}) {
    for (const std::size_t depth : {1U, 2U}) {
      for (const std::uint32_t code : {1'000'000U, 0xFFFFFFFFU}) {
        write(with_changed(order, depth, [&](auto& values) { values[100] = code; }));
        EXPECT_TRUE(is_noticed_in_use());
        expect_verify_says("a value out of range");
      }
    }
  }
}

TEST_F(HostileSnapshot, DirectoriesOutOfRangeAreDamage) {
  write(with_changed(Order::Spo, 0, [](auto& values) { values[3] = 0xFFFFFFF0; }));
  EXPECT_TRUE(is_noticed_in_use());
  expect_verify_says("a value out of range");
}

TEST_F(HostileSnapshot, DirectoriesThatFallAreFoundByVerify) {
  write(with_changed(Order::Spo, 0, [](auto& values) { std::swap(values[3], values[10]); }));
  (void)is_noticed_in_use();
  expect_verify_says("the order 'spo' is not sorted");
}

TEST_F(HostileSnapshot, OrdersThatAreNotSortedAreFoundByVerify) {
  write(with_changed(Order::Pos, 1,
                     [](auto& values) { std::reverse(values.begin(), values.end()); }));
  (void)is_noticed_in_use();
  expect_verify_says("the order 'pos' is not sorted");
}

TEST_F(HostileSnapshot, OrdersOfOtherStatementsAreFoundByVerify) {
  const RowRange rows = original_->indexes()[Order::Pso].rows_of(
      original_->indexes()[Order::Pso].leading_codes().first);
  // The last row of a predicate keeps its place with a larger object.
  write(with_changed(Order::Pso, 2, [&](auto& values) { ++values[rows.last - 1]; }));
  (void)is_noticed_in_use();
  expect_verify_says("different statements");
}

TEST_F(HostileSnapshot, WrongStatisticsAreFoundByVerify) {
  Statistics statistics = original_->statistics();
  ++statistics.predicates[1].distinct_objects;
  write(with(statistics));
  expect_verify_says("the statistics");
  // Ids that the dictionary does not have are worse.
  statistics.predicates[1].predicate = Id(Tag::Iri, 1'000'000);
  write(with(statistics));
  EXPECT_FALSE(open_snapshot(kIndexFolder, context_, env_).has_value());
  statistics.predicates[1].predicate = Id(Tag::Local, 1);
  write(with(statistics));
  EXPECT_FALSE(open_snapshot(kIndexFolder, context_, env_).has_value());
}

TEST_F(HostileSnapshot, CharacteristicSetsOutOfRangeAreDamage) {
  const auto replaced = [](const Column<std::uint32_t>& column, std::size_t at, std::uint32_t by) {
    std::vector<std::uint32_t> values(column.begin(), column.end());
    values[at] = by;
    return Column<std::uint32_t>::own(std::move(values));
  };
  for (const int which : {0, 1, 2, 3}) {
    Statistics statistics = original_->statistics();
    CharacteristicSets& sets = statistics.characteristic_sets;
    if (which == 0) sets.sets = replaced(sets.sets, 0, 0xFFFFFFFF);
    if (which == 1) sets.starts = replaced(sets.starts, sets.starts.size() - 1, 0xFFFFFFFF);
    if (which == 2) sets.triples = {};
    if (which == 3) sets.subjects = replaced(sets.subjects, 0, 0);
    write(with(std::move(statistics)));
    EXPECT_FALSE(open_snapshot(kIndexFolder, context_, env_).has_value()) << which;
  }
}

TEST_F(HostileSnapshot, TermsThatAreNotSortedAreFoundByVerify) {
  std::array<DictionarySection, Dictionary::kSections> sections;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i] = original_->dictionary().section(static_cast<Tag>(i + 1));
  }
  std::vector<std::string> iris;
  sections[0].strings.for_each(0, sections[0].strings.size(),
                               [&](auto, std::string_view text) { iris.emplace_back(text); });
  std::swap(iris[5], iris[20]);
  FrontCodedBuilder builder;
  for (const auto& iri : iris) builder.add(iri);
  sections[0].strings = builder.finish();
  write(with(Dictionary(sections, original_->dictionary().qualifier_names(),
                        original_->dictionary().inlined())));
  EXPECT_FALSE(is_noticed_in_use());
  expect_verify_says("'iri.text' is not sorted");
}

TEST_F(HostileSnapshot, StringsThatDoNotEndOrAreNoUtf8AreDamage) {
  const FrontCoded& sound = original_->dictionary().section(Tag::Iri).strings;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<char> bytes(sound.bytes().begin(), sound.bytes().end());
    const bool is_text = round % 2 == 0;
    bytes[random() % bytes.size()] = static_cast<char>(is_text ? 0xFF : random());
    std::array<DictionarySection, Dictionary::kSections> sections;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      sections[i] = original_->dictionary().section(static_cast<Tag>(i + 1));
    }
    sections[0].strings =
        FrontCoded(Column<char>::own(std::move(bytes)), sound.blocks(), sound.size());
    write(with(Dictionary(sections, original_->dictionary().qualifier_names(),
                          original_->dictionary().inlined())));
    EXPECT_TRUE(is_noticed_in_use() || !is_text);
  }
}

TEST_F(HostileSnapshot, IdsThatNoLiteralHasAreDamage) {
  std::array<DictionarySection, Dictionary::kSections> sections;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i] = original_->dictionary().section(static_cast<Tag>(i + 1));
  }
  for (const Id id : {Id(Tag::Date, 5), Id(Tag::DateTime, 5), Id(Tag::Iri, 0), Id(Tag::Boolean, 2),
                      Id::from_bits(~std::uint64_t{0}), Id()}) {
    std::vector<std::uint64_t> inlined(original_->dictionary().inlined().size());
    original_->dictionary().inlined().read(0, inlined.size(), inlined.data());
    inlined[7] = id.bits();
    write(with(Dictionary(sections, original_->dictionary().qualifier_names(),
                          pack_column<std::uint64_t>(inlined))));
    EXPECT_TRUE(is_noticed_in_use());
  }
}

}  // namespace
}  // namespace helve::store
