// OutputBuffer: text gathered for a ByteSink and handed over in large pieces. Shared by the
// writers.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/result.h"

namespace helve::rdf {

class OutputBuffer {
 public:
  // `out` must outlive the buffer.
  explicit OutputBuffer(ByteSink& out) : out_(&out) { text_.reserve(kPieceBytes + 4 * kKiB); }

  // Append here, then call drain_when_full() now and then.
  std::string& text() { return text_; }

  Result<void> drain_when_full() {
    if (text_.size() < kPieceBytes) [[likely]]
      return {};
    return drain();
  }

  // Everything to the sink, and on to the operating system.
  Result<void> finish() {
    HELVE_TRY(drain());
    return out_->flush();
  }

 private:
  static constexpr std::size_t kPieceBytes = 64 * kKiB;

  Result<void> drain() {
    if (text_.empty()) return {};
    HELVE_TRY(out_->write(text_));
    text_.clear();
    return {};
  }

  ByteSink* out_;
  std::string text_;
};

}  // namespace helve::rdf
