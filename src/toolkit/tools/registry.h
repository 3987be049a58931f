// Registry: all tools there are, by name. Toolkit (toolkit.h) runs them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/tools/tool.h"

namespace helve::toolkit {

class SkillSet;

enum class MemoryAccess : std::uint8_t { None, Read, Write };

class Registry {
 public:
  explicit Registry(MemoryAccess memory = MemoryAccess::Write) : memory_access_(memory) {}

  // REQUIRES: the name is new, parameters are sound (a bug of ours otherwise).
  void add(Tool tool);
  // NotFound with the nearest names.
  Result<const Tool*> find(std::string_view name) const;
  std::span<const Tool> tools() const { return tools_; }
  // What the tools may do with the memory bank. Without Write no tool can change it.
  MemoryAccess memory_access() const { return memory_access_; }

 private:
  const MemoryAccess memory_access_;
  std::vector<Tool> tools_;
  std::vector<std::string> memory_writers_;  // left out, because the bank is only read
};

// Families of tools, each in files of its own.
void add_query_tools(Registry& registry);  // sparql_query, sparql_slice, sparql_count, sparql_stats
void add_explore_tools(Registry& registry);  // peek, describe, schema, find, classes, properties,
                                             // sample
void add_source_info(Registry& registry);    // endpoint_info
void add_handle_tools(Registry& registry);   // g_*, ont_*
void add_context_tools(Registry& registry);  // ctx_*
void add_example_tools(Registry& registry);  // federated_endpoints, endpoints_list,
                                             // endpoint_detail, data_graphs
void add_service_tools(Registry& registry);  // service_desc, service_desc_*
void add_task_tools(Registry& registry);     // load_shacl_tasks, get_task_stats, sample_tasks
void add_skill_tools(Registry& registry,     // read_skill
                     std::shared_ptr<const SkillSet> skills);
void add_summary_tools(Registry& registry,  // get_schema_summary, get_skills_summary
                       std::shared_ptr<const SkillSet> skills);
void add_sql_over_handles(Registry& registry);  // result_sql
void add_table_tools(Registry& registry);       // schema_inspect, query_execute, explain_plan
void add_write_tools(Registry& registry);       // data_modify, ddl_execute, transaction
void add_memory_tools(Registry& registry);      // mem_search, mem_get, mem_quote, mem_add
void add_listing_tools(Registry& registry);     // list_tools, call_tool
// All of them, as far as `memory` allows. Null: the skills are those that come with the program.
Registry make_registry(std::shared_ptr<const SkillSet> skills = nullptr,
                       MemoryAccess memory = MemoryAccess::Write);

}  // namespace helve::toolkit
