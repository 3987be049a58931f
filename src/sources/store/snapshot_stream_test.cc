#include "sources/store/snapshot_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sources/store/loader.h"
#include "sources/store/snapshot_file.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

std::shared_ptr<const Snapshot> load_nquads(const std::string& nquads) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nq", nquads, rdf::Format::NQuads));
  auto loaded = load_documents(std::move(documents), {}, OpContext());
  EXPECT_TRUE(loaded) << loaded.error().to_string();
  return loaded->snapshot;
}

std::string random_stream_statements(unsigned seed, std::size_t count, bool with_graphs) {
  std::mt19937 random(seed);
  const auto number = [&](std::size_t below) { return std::to_string(random() % below); };
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += random() % 8 == 0 ? "_:b" + number(50) : "<http://a/s" + number(200) + ">";
    text += " <http://a/p" + number(9) + "> ";
    switch (random() % 5) {
      case 0:
        text += "<http://a/s" + number(200) + ">";
        break;
      case 1:
        text += "\"text " + number(90) + "\"";
        break;
      case 2:
        text += "\"text " + number(9) + "\"@" + (random() % 2 == 0 ? "en" : "de");
        break;
      case 3:
        text += "\"" + number(9) + "\"^^<http://a/type" + number(3) + ">";
        break;
      default:
        text += "\"" + number(50) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    }
    if (with_graphs && random() % 3 != 0) text += " <http://g/" + number(4) + ">";
    text += " .\n";
  }
  return text;
}

std::vector<Code> used(const Permutation& order) {
  std::vector<Code> codes;
  const auto [first, last] = order.leading_codes();
  for (Code code = first; code < last; ++code) {
    if (!order.rows_of(code).empty()) codes.push_back(code);
  }
  return codes;
}

Result<void> send_terms(const Dictionary& from, SnapshotStream& to) {
  for (std::size_t i = 1; i <= Dictionary::kSections; ++i) {
    const auto tag = static_cast<Tag>(i);
    const DictionarySection& section = from.section(tag);
    std::string text;
    for (std::uint64_t k = 0; k < section.strings.size(); ++k) {
      section.strings.get(k, text);
      HELVE_TRY(to.add_term(tag, text, section.qualifiers.empty() ? 0 : section.qualifiers[k]));
    }
  }
  for (std::uint64_t k = 0; k < from.inlined().size(); ++k) {
    HELVE_TRY(to.add_inlined(from.inlined()[k]));
  }
  return to.finish_terms(from.qualifier_names());
}

Result<void> send_order(const Permutation& from, Order order, SnapshotStream& to) {
  for (std::uint64_t row = 0; row < from.rows(); ++row) {
    OrderRow parts{from.leading(row), from.at(1, row), from.at(2, row), 0};
    if (from.has_column(3)) parts[3] = from.at(3, row);
    HELVE_TRY(to.order(order).add(parts));
  }
  return to.finish_order(order);
}

Result<std::shared_ptr<const Snapshot>> stream_again(const Snapshot& from, ScratchSpace* scratch,
                                                     const OpContext& context) {
  SnapshotStream to({scratch, context.memory}, context);
  HELVE_TRY(send_terms(from.dictionary(), to));
  const Indexes& indexes = from.indexes();
  to.start_orders({indexes.has_named_graphs, PartNames(used(indexes[Order::Pso])),
                   PartNames(used(indexes[Order::Gspo]))});
  for (std::size_t i = 0; i < (indexes.has_named_graphs ? kOrders : kTripleOrders); ++i) {
    HELVE_TRY(send_order(indexes.orders[i], static_cast<Order>(i), to));
  }
  return to.finish(from.prefixes());
}

std::uint64_t checksum_of(const Snapshot& snapshot) {
  return compute_content_checksum(snapshot, OpContext()).value_or(0);
}

class StreamedSnapshot : public ::testing::TestWithParam<bool> {};

TEST_P(StreamedSnapshot, IsTheLoadedOneToTheByte) {
  FakeEnv env;
  const auto space = ScratchSpace::create("/out", env);
  ASSERT_TRUE(space);
  for (const std::size_t count : {0u, 1u, 3u, 2'000u}) {
    const auto loaded = load_nquads(random_stream_statements(7, count, GetParam()));
    for (ScratchSpace* const scratch : {space->get(), static_cast<ScratchSpace*>(nullptr)}) {
      const auto streamed = stream_again(*loaded, scratch, OpContext());
      ASSERT_TRUE(streamed) << streamed.error().to_string();
      EXPECT_EQ(checksum_of(**streamed), checksum_of(*loaded)) << count;
      EXPECT_EQ((*streamed)->statistics().triples, loaded->statistics().triples);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, StreamedSnapshot, ::testing::Bool());

TEST(SnapshotStream, MoreStatementsThanTheLimitAreAnError) {
  OpContext context;
  context.limits.quads_max = 1'000;
  const auto loaded = load_nquads(random_stream_statements(7, 2'000, false));
  const auto streamed = stream_again(*loaded, nullptr, context);
  ASSERT_FALSE(streamed);
  EXPECT_EQ(streamed.error().code, ErrorCode::LimitExceeded);
}

TEST(SnapshotStream, MemoryIsChargedWhileTheSnapshotLives) {
  MemoryBudget memory("test", 64 * kMiB);
  OpContext context;
  context.memory = &memory;
  {
    const auto loaded = load_nquads(random_stream_statements(7, 2'000, false));
    const auto streamed = stream_again(*loaded, nullptr, context);
    ASSERT_TRUE(streamed);
    EXPECT_GE(memory.bytes_used(), (*streamed)->indexes().memory_bytes());
  }
  EXPECT_EQ(memory.bytes_used(), 0u);
  MemoryBudget little("test", 1 * kKiB);
  context.memory = &little;
  const auto refused =
      stream_again(*load_nquads(random_stream_statements(7, 2'000, false)), nullptr, context);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace helve::store
