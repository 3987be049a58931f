// InputWindow: the bytes of a document as one contiguous, UTF-8-checked stretch that slides over a
// stream, or over a document in memory. Shared by the hand-written readers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace helve::rdf {

class InputWindow {
 public:
  // A document in memory is checked in pieces of this size, small enough to be still in the cache
  // when the reader comes to them.
  static constexpr std::size_t kWholePieceBytes = std::size_t{256} << 10;

  // The whole document; `text` must outlive the window. Nothing is copied.
  explicit InputWindow(std::string_view text, std::size_t piece_bytes = kWholePieceBytes);
  // A stream, read in pieces of at most `piece_bytes`; the window grows up to `bytes_max` while the
  // caller keeps bytes.
  InputWindow(ByteSource& source, std::size_t piece_bytes, std::size_t bytes_max);

  // A document in memory: where to tell, at every slide, how many bytes have been dropped.
  void report_to(std::atomic<std::uint64_t>* bytes) { consumed_ = bytes; }

  // True for a document in memory: what was dropped can still be read.
  bool is_whole() const { return source_ == nullptr; }

  const char* begin() const { return begin_; }
  const char* end() const { return end_; }

  // Drops everything before `keep`, which must lie in [begin(), end()], and reads more behind it.
  // False at the end of the document. Pointers into the window are invalid afterwards: the byte
  // that was at `keep` is now at begin(), after an error too. All bytes given are valid UTF-8;
  // where the document is not, the window ends before the bad byte and the next call returns
  // InvalidInput. LimitExceeded when the kept bytes fill the window. A leading byte order mark is
  // dropped. Every byte is moved a bounded number of times, however small the pieces.
  Result<bool> slide(const char* keep);

  // True when the byte behind end() is not UTF-8: slide() fails until skip_bad_byte().
  bool at_bad_utf8() const { return at_bad_utf8_; }
  // Drops everything in the window and the bad byte behind it. REQUIRES: at_bad_utf8().
  void skip_bad_byte();

 private:
  // Room behind filled_ for at least one byte, bytes before begin_ dropped.
  Result<void> make_room();
  // Reads one piece behind filled_; false at the end of the stream.
  Result<bool> fill();
  // Moves end_ over the valid characters before `limit`; true when it moved.
  bool check_up_to(const char* limit, bool is_last);
  // False while a byte order mark may still be incomplete.
  bool pass_byte_order_mark(const char* limit, bool is_last);
  Error bad_utf8(const char* limit) const;
  const char* limit() const;

  ByteSource* source_ = nullptr;
  const char* whole_begin_ = nullptr;
  const char* whole_end_ = nullptr;
  std::size_t piece_bytes_ = 0;
  std::size_t bytes_max_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t filled_ = 0;  // bytes of buffer_ in use; those behind end_ are not yet checked
  std::atomic<std::uint64_t>* consumed_ = nullptr;
  bool at_start_ = true;
  bool is_utf16_ = false;  // by the mark that it begins with
  bool source_ended_ = false;
  bool at_bad_utf8_ = false;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace helve::rdf
