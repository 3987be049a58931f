#include "agent/llm/pieces.h"

#include <algorithm>

#include "base/redaction.h"

namespace helve::llm {

Pieces::Pieces(const StreamSink* sink, std::vector<std::string> secrets)
    : secrets_(std::move(secrets)) {
  if (sink == nullptr) return;
  text_.to = &sink->on_text;
  reasoning_.to = &sink->on_reasoning;
}

void Pieces::pass(Channel& channel, std::string_view piece) const {
  if (piece.empty() || channel.to == nullptr || !*channel.to) return;
  channel.held += piece;
  // Before it is cut: the end of a whole secret may be the beginning of the next.
  redact_known(channel.held);
  pass_on(channel, channel.held.size() - held_bytes(channel.held));
}

void Pieces::finish() {
  for (Channel* channel : {&reasoning_, &text_}) pass_on(*channel, channel->held.size());
}

void Pieces::pass_on(Channel& channel, std::size_t bytes) {
  if (bytes == 0) return;
  const std::string passed = channel.held.substr(0, bytes);
  channel.held.erase(0, bytes);
  channel.has_passed = true;
  (*channel.to)(passed);
}

// The longest end of the text that a secret begins with.
std::size_t Pieces::held_bytes(std::string_view text) const {
  std::size_t most = 0;
  for (const std::string& secret : secrets_) {
    if (secret.size() < kSecretInDataMin) continue;
    for (std::size_t size = std::min(secret.size() - 1, text.size()); size > most; --size) {
      if (text.ends_with(std::string_view(secret).substr(0, size))) most = size;
    }
  }
  return most;
}

}  // namespace helve::llm
