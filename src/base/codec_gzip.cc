// gzip (RFC 1952) by zlib.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "base/check.h"
#include "base/codec.h"

namespace helve {

namespace {

constexpr int kWindowBitsGzip = 15 + 16;  // the largest window; "+ 16" means gzip wrapping
constexpr int kMemoryLevel = 8;           // zlib's default

template <typename T>
uInt capped_uint(const T& bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
}

void set_zlib_buffers(z_stream& stream, std::string_view in, std::span<char> out) {
  // zlib does not write to its input; the pointer is not const for history's sake.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = capped_uint(in);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = capped_uint(out);
}

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    if (inflateInit2(&stream_, kWindowBitsGzip) != Z_OK) throw std::bad_alloc();
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Result<std::size_t> decode(std::string_view& in, std::span<char> out) override {
    if (place_ == Place::BetweenMembers && !in.empty()) HELVE_TRY(begin_next(in));
    if (place_ == Place::Padding) {
      in.remove_prefix(std::min(in.find_first_not_of('\0'), in.size()));
      if (!in.empty()) return garbage();
    }
    if (place_ != Place::InMember || (in.empty() && !has_begun_)) return std::size_t{0};
    set_zlib_buffers(stream_, in, out);
    const std::size_t given_in = stream_.avail_in;
    const std::size_t given_out = stream_.avail_out;
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(given_in - stream_.avail_in);
    has_begun_ = true;
    if (outcome == Z_STREAM_END) {
      place_ = Place::BetweenMembers;
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      const std::string reason = stream_.msg != nullptr ? stream_.msg : "unknown";
      return Error{ErrorCode::InvalidInput, "gzip data is corrupt: " + reason,
                   "copy or download the file again"};
    }
    return given_out - stream_.avail_out;
  }

  bool may_end() const override { return place_ != Place::InMember; }

 private:
  enum class Place : std::uint8_t { InMember, BetweenMembers, Padding };

  // Zeros up to the end of a tape block are common and harmless (gzip(1) skips them too).
  Result<void> begin_next(std::string_view in) {
    if (in[0] == '\0') {
      place_ = Place::Padding;
      return {};
    }
    if (in[0] != '\x1F') return garbage();
    place_ = Place::InMember;
    HELVE_CHECK(inflateReset(&stream_) == Z_OK);
    return {};
  }

  static Error garbage() {
    return {ErrorCode::InvalidInput, "gzip data is followed by bytes that are not gzip",
            "cut them off, or look whether the file is damaged"};
  }

  z_stream stream_{};
  Place place_ = Place::InMember;
  bool has_begun_ = false;
};

class GzipEncoder final : public Encoder {
 public:
  GzipEncoder() {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindowBitsGzip, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;
  ~GzipEncoder() override { deflateEnd(&stream_); }

  Result<Encoded> encode(std::string_view& in, std::span<char> out, EncodeStep step) override {
    set_zlib_buffers(stream_, in, out);
    const std::size_t given_in = stream_.avail_in;
    const std::size_t given_out = stream_.avail_out;
    const int flush = step == EncodeStep::Finish  ? Z_FINISH
                      : step == EncodeStep::Flush ? Z_SYNC_FLUSH
                                                  : Z_NO_FLUSH;
    const int outcome = deflate(&stream_, flush);
    HELVE_CHECK(outcome == Z_OK || outcome == Z_STREAM_END || outcome == Z_BUF_ERROR);
    in.remove_prefix(given_in - stream_.avail_in);
    const bool has_room = stream_.avail_out > 0;
    return Encoded{given_out - stream_.avail_out,
                   step == EncodeStep::Finish ? outcome == Z_STREAM_END : in.empty() && has_room};
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder() { return std::make_unique<GzipDecoder>(); }
std::unique_ptr<Encoder> make_gzip_encoder() { return std::make_unique<GzipEncoder>(); }

}  // namespace helve
