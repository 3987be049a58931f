// Streams around the codecs: buffers, ends and limits.
#include "base/compression.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/ascii.h"
#include "base/check.h"
#include "base/codec.h"

namespace helve {

namespace {

constexpr std::size_t kCodecBufferBytes = 64 * kKiB;

class DecodingSource final : public ByteSource {
 public:
  DecodingSource(Compression compression, std::unique_ptr<Decoder> decoder,
                 std::unique_ptr<ByteSource> source)
      : name_(compression_name(compression)),
        decoder_(std::move(decoder)),
        source_(std::move(source)),
        buffer_(kCodecBufferBytes) {}

  Result<std::size_t> read(std::span<char> into) override {
    if (failure_) return *failure_;
    if (into.empty()) return std::size_t{0};
    auto count = step(into);
    if (!count) failure_ = count.error();
    return count;
  }

 private:
  Result<std::size_t> step(std::span<char> into) {
    for (;;) {
      if (rest_.empty() && !has_ended_) HELVE_TRY(refill());
      HELVE_ASSIGN(const std::size_t count, decoder_->decode(rest_, into));
      if (count > 0) return count;
      if (!rest_.empty() || !has_ended_) continue;
      if (decoder_->may_end()) return std::size_t{0};
      return Error{
          ErrorCode::InvalidInput,
          fmt::format("{} data ends in the middle, after {} compressed bytes", name_, bytes_in_),
          "the file was cut off: copy or download it again"};
    }
  }

  Result<void> refill() {
    HELVE_ASSIGN(const std::size_t count, source_->read(buffer_));
    rest_ = {buffer_.data(), count};
    bytes_in_ += count;
    has_ended_ = count == 0;
    return {};
  }

  std::string_view name_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::string_view rest_;  // of buffer_, not yet decoded
  std::uint64_t bytes_in_ = 0;
  bool has_ended_ = false;
  std::optional<Error> failure_;
};

// Refuses to give more than so many bytes: a small compressed file may hold petabytes.
class CappedSource final : public ByteSource {
 public:
  CappedSource(std::unique_ptr<ByteSource> source, std::uint64_t bytes_max)
      : source_(std::move(source)), bytes_max_(bytes_max) {}

  Result<std::size_t> read(std::span<char> into) override {
    HELVE_ASSIGN(const std::size_t count, source_->read(into));
    if (count > bytes_max_ - bytes_) {
      bytes_ = bytes_max_;
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the document is longer than the limit of {} bytes", bytes_max_),
                   "split it or raise document_bytes_max"};
    }
    bytes_ += count;
    return count;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
};

class EncodingSink final : public CompressingSink {
 public:
  EncodingSink(std::unique_ptr<Encoder> encoder, ByteSink& sink)
      : encoder_(std::move(encoder)), sink_(sink), buffer_(kCodecBufferBytes) {}

  Result<void> write(std::string_view bytes) override { return run(bytes, EncodeStep::More); }
  Result<void> flush() override {
    HELVE_TRY(run({}, EncodeStep::Flush));
    return sink_.flush();
  }
  Result<void> finish() override {
    HELVE_TRY(run({}, EncodeStep::Finish));
    is_finished_ = true;
    return sink_.flush();
  }

 private:
  Result<void> run(std::string_view bytes, EncodeStep step) {
    HELVE_CHECK(!is_finished_);
    for (;;) {
      HELVE_ASSIGN(const Encoded encoded, encoder_->encode(bytes, buffer_, step));
      if (encoded.bytes > 0) HELVE_TRY(sink_.write({buffer_.data(), encoded.bytes}));
      if (encoded.is_done) return {};
    }
  }

  std::unique_ptr<Encoder> encoder_;
  ByteSink& sink_;
  std::vector<char> buffer_;
  bool is_finished_ = false;
};

class PassingSink final : public CompressingSink {
 public:
  explicit PassingSink(ByteSink& sink) : sink_(sink) {}
  Result<void> write(std::string_view bytes) override { return sink_.write(bytes); }
  Result<void> flush() override { return sink_.flush(); }
  Result<void> finish() override { return sink_.flush(); }

 private:
  ByteSink& sink_;
};

std::unique_ptr<Decoder> make_decoder(Compression compression) {
  switch (compression) {
    case Compression::Gzip:
      return make_gzip_decoder();
    case Compression::Zstd:
      return make_zstd_decoder();
    case Compression::Bzip2:
      return make_bzip2_decoder();
    case Compression::None:
      break;
  }
  return nullptr;
}

std::unique_ptr<Encoder> make_encoder(Compression compression) {
  switch (compression) {
    case Compression::Gzip:
      return make_gzip_encoder();
    case Compression::Zstd:
      return make_zstd_encoder();
    case Compression::Bzip2:
      return make_bzip2_encoder();
    case Compression::None:
      break;
  }
  return nullptr;
}

}  // namespace

std::string_view compression_name(Compression compression) {
  static constexpr std::array<std::string_view, 4> kNames = {"none", "gzip", "zstd", "bzip2"};
  return kNames[static_cast<std::size_t>(compression)];
}

Compression detect_compression(std::string_view head) {
  // RFC 1952 section 2.3.1 (deflate is the only method); RFC 8878 sections 3.1.1 and 3.1.2: a file
  // may begin with a skippable frame; bzip2 has "BZh" and the block size.
  if (head.starts_with("\x1F\x8B\x08")) return Compression::Gzip;
  if (head.starts_with("\x28\xB5\x2F\xFD")) return Compression::Zstd;
  if (head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50U &&
      head.substr(1, 3) == "\x2A\x4D\x18") {
    return Compression::Zstd;
  }
  if (head.size() >= 4 && head.starts_with("BZh") && head[3] >= '1' && head[3] <= '9') {
    return Compression::Bzip2;
  }
  return Compression::None;
}

Compression compression_by_name(std::string_view name) {
  const auto ends_with = [&](std::string_view ending) {
    return name.size() > ending.size() &&
           std::equal(ending.rbegin(), ending.rend(), name.rbegin(),
                      [](char a, char b) { return a == ascii_lower(b); });
  };
  if (ends_with(".gz")) return Compression::Gzip;
  if (ends_with(".zst")) return Compression::Zstd;
  if (ends_with(".bz2")) return Compression::Bzip2;
  return Compression::None;
}

std::unique_ptr<ByteSource> open_decompressor(Compression compression,
                                              std::unique_ptr<ByteSource> source,
                                              const Limits& limits) {
  if (auto decoder = make_decoder(compression)) {
    source = std::make_unique<DecodingSource>(compression, std::move(decoder), std::move(source));
  }
  return std::make_unique<CappedSource>(std::move(source), limits.document_bytes_max);
}

std::unique_ptr<CompressingSink> open_compressor(Compression compression, ByteSink& sink) {
  if (auto encoder = make_encoder(compression)) {
    return std::make_unique<EncodingSink>(std::move(encoder), sink);
  }
  return std::make_unique<PassingSink>(sink);
}

}  // namespace helve
