// What compression.cc asks of each format: one step of work between buffers. Implemented in
// codec_gzip.cc, codec_zstd.cc and codec_bzip2.cc, the only users of those libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"

namespace helve {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Takes bytes off the front of `in`, puts bytes into `out`, gives their number. Progress, or an
  // error, unless `in` is empty and nothing is held back.
  virtual Result<std::size_t> decode(std::string_view& in, std::span<char> out) = 0;
  // True when the input may end here.
  virtual bool may_end() const = 0;
};

enum class EncodeStep : std::uint8_t { More, Flush, Finish };

struct Encoded {
  std::size_t bytes = 0;  // put into `out`
  bool is_done = false;   // all of `in` is taken and the step's promise is kept
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  // Call again with the rest of `in` until done.
  virtual Result<Encoded> encode(std::string_view& in, std::span<char> out, EncodeStep step) = 0;
};

std::unique_ptr<Decoder> make_gzip_decoder();
std::unique_ptr<Encoder> make_gzip_encoder();
std::unique_ptr<Decoder> make_zstd_decoder();
std::unique_ptr<Encoder> make_zstd_encoder();
std::unique_ptr<Decoder> make_bzip2_decoder();
std::unique_ptr<Encoder> make_bzip2_encoder();

}  // namespace helve
