// All families of tools, in the order in which they are listed.
#include "toolkit/skills/skill_set.h"
#include "toolkit/tools/learning_tools.h"
#include "toolkit/tools/registry.h"

namespace helve::toolkit {

Registry make_registry(std::shared_ptr<const SkillSet> skills, MemoryAccess memory) {
  Registry registry(memory);
  add_explore_tools(registry);
  add_source_info(registry);
  add_query_tools(registry);
  add_handle_tools(registry);
  add_context_tools(registry);
  add_example_tools(registry);
  add_service_tools(registry);
  add_task_tools(registry);
  if (skills == nullptr) skills = SkillSet::built_in();
  add_skill_tools(registry, skills);
  add_summary_tools(registry, std::move(skills));
  add_table_tools(registry);
  add_write_tools(registry);
  add_sql_over_handles(registry);
  if (memory != MemoryAccess::None) {
    add_memory_tools(registry);
    add_learning_tools(registry);
  }
  add_listing_tools(registry);
  return registry;
}

}  // namespace helve::toolkit
