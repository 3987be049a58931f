// What the owner of a PostgreSQL database runs so that there is a role that can read and nothing
// else. The scripts may be run again.
#pragma once

#include <string>
#include <vector>

#include "sources/sql/database_uri.h"

namespace helve::sql {

// One that reads everything of the schema public.
std::string role_script(const DatabaseAddress& address);

struct GrantedTable {
  std::string schema;
  std::string name;
  bool is_granted = false;
  std::vector<std::string> columns;  // these alone; empty: all
  bool is_taken_from_all = false;    // PUBLIC has what the policy denies
};
// One that reads what is granted.
std::string policy_script(const DatabaseAddress& address, const std::vector<GrantedTable>& tables);

}  // namespace helve::sql
