// Resources: what can be read without calling a tool. All of it comes through the tools, so that
// the caller's policy holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "surfaces/mcp/offer/helve_uri.h"
#include "surfaces/mcp/server/offer.h"
#include "toolkit/skills/skill_set.h"
#include "toolkit/tools/toolkit.h"

namespace helve::mcp {

// Thread-safe.
class Resources {
 public:
  // Both must outlive it.
  Resources(toolkit::Toolkit& toolkit, Env& env) : toolkit_(toolkit), env_(env) {}

  std::vector<std::string> list(Turn& turn) const;
  static std::vector<std::string> templates(Revision revision);
  std::optional<Outcome> read(const std::string& uri, Turn& turn) const;
  bool has(const std::string& uri, Turn& turn) const;

  // Those that the caller may see.
  std::vector<std::string> source_names(Turn& turn) const;
  // Null where the caller may not read any.
  const toolkit::SkillSet* skills(Turn& turn) const;
  std::vector<std::string> skill_names(Turn& turn) const;
  static std::vector<std::string> fragment_names();
  // The most recently used first.
  std::vector<std::string> handle_keys(Turn& turn) const;

 private:
  bool is_database(std::string_view source, Turn& turn) const;
  Outcome read_tables(const std::string& uri, const std::string& source, Turn& turn) const;
  JsonValue facts_of(const toolkit::KnownSource& source, Turn& turn) const;
  std::optional<Outcome> read_sources(const std::string& uri, Turn& turn) const;
  // Names the one that is probably meant; nullopt where there is none.
  std::optional<Outcome> unknown_source(const std::string& uri, const std::string& source,
                                        Turn& turn) const;
  std::optional<Outcome> read_schema(const std::string& uri, const std::string& source,
                                     Turn& turn) const;
  std::optional<Outcome> read_context(const std::string& uri, const std::string& source,
                                      Turn& turn) const;
  std::optional<Outcome> read_results(const std::string& uri, const ResourceAddress& address,
                                      Turn& turn) const;
  // Null where there is none, or the caller may not read skills.
  const toolkit::Skill* find_skill(std::string_view name, Turn& turn) const;
  std::optional<Outcome> unknown_skill(const std::string& uri, const std::string& name,
                                       Turn& turn) const;
  std::string tools_text(Turn& turn) const;
  std::vector<toolkit::Ref> handles(Turn& turn, std::size_t most = SIZE_MAX) const;
  bool has_source(std::string_view name, Turn& turn) const;

  toolkit::Toolkit& toolkit_;
  Env& env_;
};

}  // namespace helve::mcp
