// Workbench: all tools on some sources, for tests and programs that call them as a surface does.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/json.h"
#include "toolkit/tools/toolkit.h"

namespace helve::memory {
class MemoryBank;
}

namespace helve::proofs {

struct Answer {
  toolkit::RenderedReply reply;
  JsonValue json;  // of the structured form; null where that is no JSON
  double ms = 0;

  bool is_error() const { return reply.is_error; }
  // Members of the object, or of "error" in it; empty or null where there is none.
  std::string text(std::string_view key) const;
  const JsonValue* find(std::string_view key) const;
};

class Workbench {
 public:
  // Without a bank there are no tools of the memory.
  explicit Workbench(bool marks_data = false, std::shared_ptr<memory::MemoryBank> bank = nullptr);

  toolkit::Toolkit& tools() { return *toolkit_; }
  const toolkit::Registry& registry() const { return toolkit_->registry(); }
  GraphFactory& factory() { return *factory_; }
  toolkit::HandleStore& handles();
  const toolkit::Caller& caller() const { return caller_; }
  void add(std::shared_ptr<const GraphSource> source);
  void add(std::shared_ptr<const TableSource> source);
  void set_policy(toolkit::Policy policy) {
    caller_.policy = std::make_shared<const toolkit::Policy>(std::move(policy));
  }
  // No call takes longer than this, whatever its arguments say.
  void set_deadline(Duration deadline) { deadline_ = deadline; }

  Answer call(std::string_view tool, const JsonValue& arguments);
  Answer call(std::string_view tool, std::string_view json);

 private:
  std::shared_ptr<GraphFactory> factory_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  toolkit::Caller caller_;
  Duration deadline_{0};  // 0: as the tools have it
};

// Keys and texts of what others answer; empty or null where it is something else.
std::string text_at(const JsonValue& object, std::string_view key);
JsonValue object_of(std::vector<std::pair<std::string, JsonValue>> members);

}  // namespace helve::proofs
