// bzip2 by libbz2.
#include <bzlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/check.h"
#include "base/codec.h"

namespace helve {

namespace {

constexpr int kBlockSize900k = 9;

template <typename T>
unsigned capped_unsigned(const T& bytes) {
  return static_cast<unsigned>(
      std::min<std::size_t>(bytes.size(), std::numeric_limits<unsigned>::max()));
}

void set_bzip2_buffers(bz_stream& stream, std::string_view in, std::span<char> out) {
  stream.next_in = const_cast<char*>(in.data());  // libbz2 does not write to its input
  stream.avail_in = capped_unsigned(in);
  stream.next_out = out.data();
  stream.avail_out = capped_unsigned(out);
}

class Bzip2Decoder final : public Decoder {
 public:
  Bzip2Decoder() = default;
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;
  ~Bzip2Decoder() override { end(); }

  Result<std::size_t> decode(std::string_view& in, std::span<char> out) override {
    if (!is_open_) {
      if (in.empty()) return std::size_t{0};
      begin();
    }
    set_bzip2_buffers(stream_, in, out);
    const std::size_t given_in = stream_.avail_in;
    const std::size_t given_out = stream_.avail_out;
    const int outcome = BZ2_bzDecompress(&stream_);
    in.remove_prefix(given_in - stream_.avail_in);
    const std::size_t count = given_out - stream_.avail_out;
    if (outcome == BZ_STREAM_END) {
      end();
      has_stream_ = true;
    } else if (outcome != BZ_OK) {
      return failure(outcome);
    }
    return count;
  }

  bool may_end() const override { return !is_open_ && has_stream_; }

 private:
  void begin() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    is_open_ = true;
  }
  void end() {
    if (is_open_) BZ2_bzDecompressEnd(&stream_);
    is_open_ = false;
  }

  Error failure(int outcome) const {
    if (outcome == BZ_MEM_ERROR) {
      return {ErrorCode::LimitExceeded, "not enough memory to decompress bzip2 data"};
    }
    if (outcome == BZ_DATA_ERROR_MAGIC && has_stream_) {
      return {ErrorCode::InvalidInput, "bzip2 data is followed by bytes that are not bzip2",
              "cut them off, or look whether the file is damaged"};
    }
    if (outcome == BZ_DATA_ERROR_MAGIC) return {ErrorCode::InvalidInput, "the data is not bzip2"};
    return {ErrorCode::InvalidInput, "bzip2 data is corrupt: a checksum or code does not fit",
            "copy or download the file again"};
  }

  bz_stream stream_{};
  bool is_open_ = false;
  bool has_stream_ = false;
};

class Bzip2Encoder final : public Encoder {
 public:
  Bzip2Encoder() {
    if (BZ2_bzCompressInit(&stream_, kBlockSize900k, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  Bzip2Encoder(const Bzip2Encoder&) = delete;
  Bzip2Encoder& operator=(const Bzip2Encoder&) = delete;
  ~Bzip2Encoder() override { BZ2_bzCompressEnd(&stream_); }

  Result<Encoded> encode(std::string_view& in, std::span<char> out, EncodeStep step) override {
    // libbz2 calls an empty "run" an error.
    if (step == EncodeStep::More && in.empty()) return Encoded{0, true};
    set_bzip2_buffers(stream_, in, out);
    const std::size_t given_in = stream_.avail_in;
    const std::size_t given_out = stream_.avail_out;
    const int action = step == EncodeStep::Finish  ? BZ_FINISH
                       : step == EncodeStep::Flush ? BZ_FLUSH
                                                   : BZ_RUN;
    const int outcome = BZ2_bzCompress(&stream_, action);
    HELVE_CHECK(outcome >= BZ_OK);
    in.remove_prefix(given_in - stream_.avail_in);
    const bool is_done = step == EncodeStep::Finish  ? outcome == BZ_STREAM_END
                         : step == EncodeStep::Flush ? outcome == BZ_RUN_OK
                                                     : in.empty();
    return Encoded{given_out - stream_.avail_out, is_done};
  }

 private:
  bz_stream stream_{};
};

}  // namespace

std::unique_ptr<Decoder> make_bzip2_decoder() { return std::make_unique<Bzip2Decoder>(); }
std::unique_ptr<Encoder> make_bzip2_encoder() { return std::make_unique<Bzip2Encoder>(); }

}  // namespace helve
