// Events: told at the begin and at the end of every call of a Tools.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "helve/error.h"

namespace helve::api {

// The texts are valid during the callback only.
struct CallBegin {
  std::uint64_t id = 0;  // of the call; the same at its end
  std::string_view identity;
  std::string_view session;
  std::string_view tool;       // as it was asked for; may be no tool at all
  std::string_view arguments;  // JSON, as given
};

struct CallEnd {
  std::uint64_t id = 0;
  std::string_view identity;
  std::string_view session;
  std::string_view tool;
  std::string_view source;  // what the reply names; "session" where no source was asked
  double ms = 0;
  std::uint64_t reply_chars = 0;  // of the text form
  std::string_view handle;        // that the reply is about; may be empty
  bool is_error = false;
  ErrorCode code = ErrorCode::Internal;  // where it is an error
};

// Called on the thread of the call, before it starts and before it returns. Never two at once for
// one get_tools(), so they need no lock of their own; what takes long in them holds up other calls.
// They must not throw. A call that is made inside of one has events of its own.
struct Events {
  std::function<void(const CallBegin&)> on_begin;
  std::function<void(const CallEnd&)> on_end;
};

}  // namespace helve::api
