// The conversation so far, read: what was asked, what was called, what came back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/llm/rules/reply.h"

namespace helve::llm::rules {

struct Call {
  std::string tool;
  JsonValue arguments;
};
Call call_of(std::string_view tool, std::string_view argument, std::string_view text);
std::string text_argument(const JsonValue& arguments, std::string_view name);

struct Exchange {
  Call call;
  ToolReply reply;
};

struct Talk {
  std::string question;
  std::vector<Exchange> exchanges;
  std::size_t steps = 0;          // answers of ours
  std::size_t words_of_user = 0;  // behind the question: we are asked to come to an end

  const Exchange* find(const Call& call) const;
  bool has_called(std::string_view tool) const;
  bool has_handle() const;
};

Talk read_talk(const Request& request);
bool is_declared(const Request& request, std::string_view tool);
bool takes(const Request& request, std::string_view tool, std::string_view argument);

}  // namespace helve::llm::rules
