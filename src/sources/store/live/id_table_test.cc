#include "sources/store/live/id_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace helve::store {
namespace {

using rdf::Id;
using rdf::Tag;

std::optional<Id> find(const IdTable& table, std::uint64_t checksum, Id id) {
  return table.find(checksum, [&](Id found) { return found == id; });
}

TEST(IdTableTest, WithoutEntriesNothingIsFound) {
  IdTable table;
  EXPECT_FALSE(find(table, 7, Id(Tag::Iri, 1)));
  table.erase(7, Id(Tag::Iri, 1));
  EXPECT_EQ(table.size(), 0U);
}

TEST(IdTableTest, TheSameChecksumIsToldApart) {
  IdTable table;
  for (std::uint64_t i = 0; i < 50; ++i) table.insert(7, Id(Tag::Iri, i));
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(find(table, 7, Id(Tag::Iri, i)), Id(Tag::Iri, i));
  }
  EXPECT_FALSE(find(table, 8, Id(Tag::Iri, 1)));
}

// Few homes, many neighbours: holes are closed across the end of the array too.
TEST(IdTableTest, WhatStaysIsFoundWhateverIsErased) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::uint64_t checksums = seed % 2 == 0 ? 20 : UINT64_MAX;
    IdTable table;
    std::map<Id, std::uint64_t> model;
    for (std::uint64_t step = 0; step < 2'000; ++step) {
      if (!model.empty() && random() % 5 < (step < 1'000 ? 2U : 3U)) {
        const auto gone = std::next(model.begin(), random() % model.size());
        table.erase(gone->second, gone->first);
        model.erase(gone);
      } else {
        const std::uint64_t checksum = (random() * std::uint64_t{0x9E3779B97F4A7C15}) % checksums;
        // Close to the end as well.
        const std::uint64_t placed = seed % 3 == 0 ? checksum - 10 : checksum;
        table.insert(placed, Id(Tag::Iri, step));
        model[Id(Tag::Iri, step)] = placed;
      }
      ASSERT_EQ(table.size(), model.size());
    }
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      const auto at = model.find(Id(Tag::Iri, i));
      const std::uint64_t checksum = at != model.end() ? at->second : 5;
      EXPECT_EQ(find(table, checksum, Id(Tag::Iri, i)).has_value(), at != model.end());
    }
  }
}

}  // namespace
}  // namespace helve::store
