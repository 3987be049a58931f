// The client libraries of databases as one would call them without Helve. sql_overhead.cc measures
// both.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "sources/sql/database_uri.h"

namespace helve::bench {

class BareClient {
 public:
  virtual ~BareClient() = default;
  // Runs a statement and looks at every value: the bytes of them all. Ends the program where it
  // fails.
  virtual std::size_t run(const std::string& sql) = 0;
};

std::unique_ptr<BareClient> connect_bare(const sql::DatabaseAddress& address);

}  // namespace helve::bench
