// BriefCache: briefs of graphs in a folder that processes share. What is in it is never needed: a
// file that is damaged or not ours is as if it were not there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "toolkit/context/source_brief.h"

namespace helve::context {

// Changes with every change of what briefs say: others of another version are not read.
inline constexpr int kPackersVersion = 1;

// Within the folder of all caches.
inline constexpr std::string_view kBriefFolder = "context";

struct BriefCacheLimits {
  std::size_t files_max = 200;
  std::size_t file_bytes_max = 64UL * 1024;
};

// Of everything that a brief is made of: the state of the graph, how it is called, the budgets and
// the constraint file. Of an endpoint also of when it was last asked about itself.
std::string brief_key(const GraphSource& graph, const ConstraintFile* own,
                      const BriefBudgets& budgets);

// Thread-safe. Env must outlive it.
class BriefCache {
 public:
  BriefCache(std::filesystem::path folder, Env& env, BriefCacheLimits limits = {})
      : folder_(std::move(folder)), env_(env), limits_(limits) {}

  std::optional<SourceBrief> find(const std::string& key) const;
  // Does what it can. Where there are too many files, the oldest go.
  void keep(const std::string& key, const SourceBrief& brief) const;
  // How many there were.
  std::size_t clear() const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  // The oldest first.
  std::vector<std::pair<WallTime, std::filesystem::path>> files() const;
  void make_room() const;

  std::filesystem::path folder_;
  Env& env_;
  BriefCacheLimits limits_;
};

}  // namespace helve::context
