// Compressed streams: gzip, zstd and bzip2, in both directions, over any ByteSource or ByteSink.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/result.h"

namespace helve {

enum class Compression : std::uint8_t { None, Gzip, Zstd, Bzip2 };

std::string_view compression_name(Compression compression);  // "none", "gzip", "zstd", "bzip2"

// Enough bytes of the start for detect_compression.
inline constexpr std::size_t kCompressionMagicBytes = 4;

// By the magic number; None when there is none.
Compression detect_compression(std::string_view head);

// By the ending of a name: .gz, .zst, .bz2, in any case; None otherwise.
Compression compression_by_name(std::string_view name);

// The bytes that were compressed. Files of several members, frames or streams read as one. Errors
// come from read(): InvalidInput for data that is corrupt, ends in the middle or is followed by
// something else; LimitExceeded once more than limits.document_bytes_max bytes come out or zstd
// wants a window above 128 MiB. Memory is bounded by some 256 KiB plus what the format needs. None
// passes bytes through, under the same limit.
std::unique_ptr<ByteSource> open_decompressor(Compression compression,
                                              std::unique_ptr<ByteSource> source,
                                              const Limits& limits = {});

// A sink whose end must be told.
class CompressingSink : public ByteSink {
 public:
  // Writes what is left and the trailer, flushes the sink below. Call once, at the end; without it
  // the data ends in the middle.
  virtual Result<void> finish() = 0;
};

// Compresses into `sink`, which must outlive it. flush() ends a block, which costs compression.
// None passes bytes through.
std::unique_ptr<CompressingSink> open_compressor(Compression compression, ByteSink& sink);

}  // namespace helve
