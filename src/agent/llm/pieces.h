// Pieces: what is passed on of an answer while it comes, without secrets wherever it is cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"

namespace helve::llm {

// Not thread-safe. The sink, which may be null, outlives it.
class Pieces {
 public:
  // What may be the beginning of one of the secrets is held back until more of it is there. All
  // that the process knows (base/redaction.h) are taken out.
  explicit Pieces(const StreamSink* sink, std::vector<std::string> secrets = {});

  void text(std::string_view piece) { pass(text_, piece); }
  void reasoning(std::string_view piece) { pass(reasoning_, piece); }
  // Nothing more is to come: what was held back is passed on.
  void finish();

  bool has_text() const { return text_.has_passed; }
  bool has_reasoning() const { return reasoning_.has_passed; }
  // Nothing is tried again then.
  bool has_any() const { return has_text() || has_reasoning(); }

 private:
  struct Channel {
    const std::function<void(std::string_view)>* to = nullptr;
    std::string held;
    bool has_passed = false;
  };

  void pass(Channel& channel, std::string_view piece) const;
  static void pass_on(Channel& channel, std::size_t bytes);
  std::size_t held_bytes(std::string_view text) const;

  std::vector<std::string> secrets_;
  Channel text_;
  Channel reasoning_;
};

}  // namespace helve::llm
