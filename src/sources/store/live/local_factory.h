// GraphFactory on the store: graphs of files, of index folders and of statements, in this process.
#pragma once

#include <memory>
#include <string>

#include "base/env.h"
#include "sources/graph_source.h"

namespace helve::store {

struct LocalFactoryOptions {
  std::string engine = "helve";  // SourceInfo::engine, and what index folders say made them
  bool is_lenient = false;       // statements that cannot be read are left out
};

// Thread-safe. Graphs are charged to budgets of their own, which are as large as what is left in
// the memory of the call that made them; they may outlive the call and the factory, but not `env`.
std::unique_ptr<GraphFactory> make_local_factory(Env& env, LocalFactoryOptions options = {});

}  // namespace helve::store
