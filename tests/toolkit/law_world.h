// LawWorld: the tools on a small graph that has everything laws can be broken with: many rows, long
// texts, steering characters, several graphs, handles of each type; and on a SQL database.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "tests/support/temp_directory.h"
#include "tests/toolkit/made_calls.h"
#include "tests/toolkit/workbench.h"
#include "toolkit/examples/example_folder_testing.h"

namespace helve::proofs {

inline constexpr int kThings = 1'200;

// Reads examples and a description, which it writes into the folder, for the tools of endpoints.
void know_endpoints(toolkit::ExampleFiles& examples, const std::filesystem::path& folder,
                    Workbench& bench, KnownThings& known);

class LawWorld {
 public:
  explicit LawWorld(bool marks_data = false);

  Workbench& bench() { return bench_; }
  const GraphSource& graph() const { return *graph_; }
  const KnownThings& known() const { return known_; }
  CallMaker maker(std::uint64_t seed) const { return {bench_.registry(), known_, seed}; }

  // Right calls have the time of the tools themselves, others little.
  Answer answer(const MadeCall& call);
  using Visitor = std::function<void(const MadeCall& call, const Answer& answer)>;
  // Makes `each` calls of every kind to every tool.
  void walk(std::uint64_t seed, int each, const Visitor& visit);

 private:
  TempDirectory folder_;
  std::shared_ptr<memory::MemoryBank> bank_;
  Workbench bench_;
  std::shared_ptr<const GraphSource> graph_;
  toolkit::ExampleFiles examples_;
  KnownThings known_;
};

// The laws look at one world; each with calls of its own.
class Laws : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<LawWorld>(); }
  static void TearDownTestSuite() { world_.reset(); }
  static LawWorld& world() { return *world_; }

 private:
  static inline std::unique_ptr<LawWorld> world_;
};

// The number of a member; nullopt where there is none.
std::optional<std::uint64_t> number_at(const JsonValue& object, std::string_view key);
std::optional<bool> flag_at(const JsonValue& object, std::string_view key);
// Of the object or array; 0 where it is something else.
std::size_t items_at(const JsonValue& object, std::string_view key);
bool has_parameter(const toolkit::Tool& tool, std::string_view name);

}  // namespace helve::proofs
