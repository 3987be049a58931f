// What tests of repositories have in common: items, searches, and a place for a bank.
// repository_suite_testing.h are those that run on every kind.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "toolkit/memory/bank.h"

namespace helve::memory {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

inline Item item_of(const std::string& title, const std::string& content,
                    ItemSource src = ItemSource::Success) {
  Item item;
  item.title = title;
  item.desc = "When it helps.";
  item.content = content;
  item.src = src;
  item.id = id_of(item);
  return item;
}

// The best first.
inline std::vector<std::string> found_in(MemoryRepository& bank, const std::string& text,
                                         const ItemFilter& filter = {}) {
  const auto found = bank.candidates({query_terms(text), filter}, {});
  EXPECT_TRUE(found) << found.error().to_string();
  std::vector<std::string> ids;
  if (!found) return ids;
  for (const Ranked& one : rank(*found, query_terms(text), {}, 100)) ids.push_back(one.id);
  return ids;
}

// Where one bank can be that nobody else has.
class BankPlace {
 public:
  virtual ~BankPlace() = default;
  virtual Result<std::unique_ptr<MemoryRepository>> open(bool is_made) = 0;
};
using MakePlace = std::function<std::unique_ptr<BankPlace>()>;

}  // namespace helve::memory
