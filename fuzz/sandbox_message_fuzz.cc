// Messages of a guest: whatever it sends is read or refused, and what is read is within its limits.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/sandbox/messages.h"
#include "base/check.h"

namespace {

using helve::sandbox::BlockResult;

constexpr std::size_t kTextMax = 64UL * 1024;

void check_texts(const helve::JsonValue& body) {
  BlockResult block;
  helve::sandbox::read_done(body, block);
  HELVE_CHECK(block.value.size() <= kTextMax && block.value_type.size() <= kTextMax);
  if (block.error) HELVE_CHECK(block.error->traceback.size() <= kTextMax);
  HELVE_CHECK(helve::sandbox::read_views(body).size() <= 200);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto message = helve::sandbox::read_message(text);
  if (!message) return 0;
  check_texts(message->body);
  if (!message->is_request()) return 0;
  const auto request = helve::sandbox::read_request(*std::move(message));
  if (!request) return 0;
  if (const auto* submit = std::get_if<helve::sandbox::SubmitRequest>(&*request)) {
    HELVE_CHECK(submit->value.if_object() != nullptr);
    static_cast<void>(helve::sandbox::check_submitted(submit->value, {{"answer", "str"}}));
  }
  if (const auto* call = std::get_if<helve::sandbox::CallRequest>(&*request)) {
    HELVE_CHECK(call->arguments.if_object() != nullptr);
  }
  return 0;
}
