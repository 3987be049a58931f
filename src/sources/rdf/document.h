// Document: an RDF file, or standard input, opened for reading: unpacked, its format found out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/compression.h"
#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/format.h"
#include "sources/rdf/reader.h"

namespace helve::rdf {

struct DocumentOptions {
  std::optional<Format> format;  // absent: by content, then by name
};

// Move-only. Reading is for one thread; bytes_read() may be asked from another.
class Document {
 public:
  // A document in memory that outlives it.
  static Document from_text(std::string name, std::string_view text, Format format);

  const std::string& name() const { return name_; }
  Format format() const { return format_; }
  Compression compression() const { return compression_; }

  // A plain regular file is mapped: its text is there at once, and pieces of it can be read apart.
  bool is_mapped() const { return source_ == nullptr; }
  // REQUIRES: is_mapped(). Valid while the document lives.
  std::string_view text() const { return text_; }

  std::uint64_t bytes_total() const { return bytes_total_; }  // as stored; 0: unknown
  std::uint64_t bytes_read() const { return bytes_read_->load(std::memory_order_relaxed); }

  // Once, unless it is mapped: InvalidInput after that. Without a base in the options, relative
  // IRIs are resolved against the document's own address, if it has one. Errors bear its name.
  Result<ReadReport> read(ReadOptions options, const OpContext& context, StatementSink& sink);

 private:
  friend Result<Document> open_document(Env& env, const std::string& path,
                                        const DocumentOptions& options, const OpContext& context);
  Document(std::string name, std::uint64_t bytes_total)
      : name_(std::move(name)),
        bytes_total_(bytes_total),
        bytes_read_(std::make_shared<std::atomic<std::uint64_t>>(0)) {}

  Result<void> open_stream(std::unique_ptr<ByteSource> source, const DocumentOptions& options,
                           const Limits& limits);
  Result<void> find_format(std::string_view head, const DocumentOptions& options);

  std::string name_;
  std::string base_iri_;
  Format format_ = Format::Turtle;
  Compression compression_ = Compression::None;
  std::shared_ptr<const MappedFile> file_;
  std::string_view text_;
  std::unique_ptr<ByteSource> source_;
  std::string head_;  // the start of a stream, read to find its format
  bool was_read_ = false;
  std::uint64_t bytes_total_;
  std::shared_ptr<std::atomic<std::uint64_t>> bytes_read_;
};

// `path` "-" is standard input. Errors: NotFound, Denied, InvalidInput for a folder, for what
// looks like no RDF and for broken compression, LimitExceeded beyond Limits::document_bytes_max.
Result<Document> open_document(Env& env, const std::string& path, const DocumentOptions& options,
                               const OpContext& context);

// "file:///..." for a path, with everything that an IRI cannot hold percent-encoded.
std::string file_iri(const std::filesystem::path& absolute_path);

}  // namespace helve::rdf
