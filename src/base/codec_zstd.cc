// Zstandard (RFC 8878) by libzstd.
#include <fmt/core.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "base/codec.h"

namespace helve {

namespace {

constexpr int kWindowLogMax = 27;  // 128 MiB, what zstd(1) accepts without --long

struct ContextCleanup {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  }

  Result<std::size_t> decode(std::string_view& in, std::span<char> out) override {
    if (in.empty() && is_at_frame_end_) return std::size_t{0};
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t hint = ZSTD_decompressStream(context_.get(), &output, &input);
    if (ZSTD_isError(hint) != 0U) return failure(hint);
    in.remove_prefix(input.pos);
    is_at_frame_end_ = hint == 0;
    has_frame_ = has_frame_ || hint == 0;
    return output.pos;
  }

  bool may_end() const override { return is_at_frame_end_ && has_frame_; }

 private:
  Error failure(std::size_t outcome) const {
    switch (ZSTD_getErrorCode(outcome)) {
      case ZSTD_error_prefix_unknown:
        if (has_frame_) {
          return {ErrorCode::InvalidInput, "zstd data is followed by bytes that are not zstd",
                  "cut them off, or look whether the file is damaged"};
        }
        return {ErrorCode::InvalidInput, "the data is not zstd"};
      case ZSTD_error_frameParameter_windowTooLarge:
        return {ErrorCode::LimitExceeded,
                fmt::format("zstd data asks for a window above {} MiB", 1 << (kWindowLogMax - 20)),
                "compress it again without --long or --ultra"};
      default:
        return {ErrorCode::InvalidInput,
                fmt::format("zstd data is corrupt: {}", ZSTD_getErrorName(outcome)),
                "copy or download the file again"};
    }
  }

  std::unique_ptr<ZSTD_DCtx, ContextCleanup> context_;
  bool is_at_frame_end_ = true;
  bool has_frame_ = false;
};

class ZstdEncoder final : public Encoder {
 public:
  ZstdEncoder() : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  Result<Encoded> encode(std::string_view& in, std::span<char> out, EncodeStep step) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const ZSTD_EndDirective directive = step == EncodeStep::Finish  ? ZSTD_e_end
                                        : step == EncodeStep::Flush ? ZSTD_e_flush
                                                                    : ZSTD_e_continue;
    const std::size_t left = ZSTD_compressStream2(context_.get(), &output, &input, directive);
    if (ZSTD_isError(left) != 0U) {
      return Error{ErrorCode::Internal, fmt::format("zstd: {}", ZSTD_getErrorName(left))};
    }
    in.remove_prefix(input.pos);
    return Encoded{output.pos, in.empty() && (step == EncodeStep::More || left == 0)};
  }

 private:
  std::unique_ptr<ZSTD_CCtx, ContextCleanup> context_;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() { return std::make_unique<ZstdDecoder>(); }
std::unique_ptr<Encoder> make_zstd_encoder() { return std::make_unique<ZstdEncoder>(); }

}  // namespace helve
