// InputWindow: the bytes of a document as one contiguous, UTF-8-checked stretch that slides over a
// stream, or is the whole of a document in memory. Shared by the hand-written readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace helve::rdf {

class InputWindow {
 public:
  // The whole document; `text` must outlive the window.
  explicit InputWindow(std::string_view text) : whole_(text) {}
  // A stream, read in pieces of about `piece_bytes`; the window grows up to `bytes_max` while the
  // caller keeps bytes.
  InputWindow(ByteSource& source, std::size_t piece_bytes, std::size_t bytes_max)
      : source_(&source), piece_bytes_(piece_bytes), bytes_max_(bytes_max) {}

  const char* begin() const { return begin_; }
  const char* end() const { return end_; }

  // Drops everything before `keep`, which must lie in [begin(), end()], and reads more behind it.
  // False at the end of the document. Pointers into the window are invalid afterwards: the byte
  // that was at `keep` is now at begin(). All bytes given are valid UTF-8; where the document is
  // not, the window ends before the bad byte and the next call returns InvalidInput. LimitExceeded
  // when the kept bytes fill the window. A leading byte order mark is dropped.
  Result<bool> slide(const char* keep);

 private:
  Result<bool> slide_whole();
  Result<bool> accept(std::size_t checked, bool at_end);

  std::string_view whole_;
  bool whole_given_ = false;
  ByteSource* source_ = nullptr;
  std::size_t piece_bytes_ = 0;
  std::size_t bytes_max_ = 0;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  // bytes of buffer_ in use; those behind end_ are not yet checked
  bool at_start_ = true;
  bool source_ended_ = false;
  bool found_bad_utf8_ = false;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace helve::rdf
