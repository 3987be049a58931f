// Plain files are mapped; everything else is a stream whose first bytes are looked at and put back.
#include "sources/rdf/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/stdio.h"

namespace helve::rdf {

namespace {

constexpr std::size_t kHeadBytes = 16 * kKiB;
constexpr std::string_view kStandardInput = "-";

// Counts what passes, for progress.
class CountingSource final : public ByteSource {
 public:
  CountingSource(std::unique_ptr<ByteSource> source,
                 std::shared_ptr<std::atomic<std::uint64_t>> count)
      : source_(std::move(source)), count_(std::move(count)) {}

  Result<std::size_t> read(std::span<char> into) override {
    auto got = source_->read(into);
    if (got) count_->fetch_add(*got, std::memory_order_relaxed);
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::shared_ptr<std::atomic<std::uint64_t>> count_;
};

// Bytes that were read ahead, then the rest of the source.
class ResumedSource final : public ByteSource {
 public:
  ResumedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  Result<std::size_t> read(std::span<char> into) override {
    if (at_ == head_.size()) return rest_->read(into);
    const std::size_t n = std::min(into.size(), head_.size() - at_);
    std::memcpy(into.data(), head_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  std::string head_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// Up to `bytes` of the start; less only where the source ends.
Result<std::string> read_head(ByteSource& source, std::size_t bytes) {
  std::string head(bytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes) {
    HELVE_ASSIGN(const std::size_t got, source.read({head.data() + filled, bytes - filled}));
    if (got == 0) break;
    filled += got;
  }
  head.resize(filled);
  return head;
}

// Unless the message names it already.
Error with_document(Error error, const std::string& name) {
  const bool is_named = error.message.starts_with(name + " ") ||
                        error.message.find("'" + name + "'") != std::string::npos;
  if (error.document.empty() && !is_named) error.document = name;
  return error;
}

}  // namespace

std::string file_iri(const std::filesystem::path& absolute_path) {
  constexpr std::string_view kKept = "-._~!$&'()*+,;=:@/";
  std::string iri = "file://";
  for (const char c : absolute_path.native()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || kKept.find(c) != std::string_view::npos)) {
      iri += c;
    } else {
      fmt::format_to(std::back_inserter(iri), "%{:02X}", byte);
    }
  }
  return iri;
}

Document Document::from_text(std::string name, std::string_view text, Format format) {
  Document document(std::move(name), text.size());
  document.format_ = format;
  document.text_ = text;
  return document;
}

Result<void> Document::open_stream(std::unique_ptr<ByteSource> source,
                                   const DocumentOptions& options, const Limits& limits) {
  source = std::make_unique<CountingSource>(std::move(source), bytes_read_);
  HELVE_ASSIGN(std::string magic, read_head(*source, kCompressionMagicBytes));
  compression_ = detect_compression(magic);
  source_ = open_decompressor(
      compression_, std::make_unique<ResumedSource>(std::move(magic), std::move(source)), limits);
  // A format that is given needs no look at the text, which could wait for a slow writer.
  const std::size_t head_bytes = options.format ? 0 : kHeadBytes;
  HELVE_ASSIGN(head_, read_head(*source_, head_bytes));
  return find_format(head_, options);
}

Result<void> Document::find_format(std::string_view head, const DocumentOptions& options) {
  if (options.format) {
    format_ = *options.format;
    return {};
  }
  const auto by_name = format_of_path(name_);
  const auto found = head.empty() ? by_name.value_or(Format::Turtle) : detect_format(head, by_name);
  if (found) {
    format_ = *found;
    return {};
  }
  return Error{
      ErrorCode::InvalidInput,
      fmt::format("{} does not look like RDF: it seems to be {}", name_, describe_content(head)),
      "Turtle, TriG, N-Triples, N-Quads and RDF/XML are read; on the command line --from FORMAT "
      "says which it is"};
}

Result<ReadReport> Document::read(ReadOptions options, const OpContext& context,
                                  StatementSink& sink) {
  options.document_name = name_;
  if (options.base_iri.empty()) options.base_iri = base_iri_;
  if (is_mapped()) {
    bytes_read_->store(0, std::memory_order_relaxed);
    options.bytes_consumed = bytes_read_.get();
    auto report = read_document(format_, text_, options, context, sink);
    if (!report) return with_document(std::move(report).error(), name_);
    bytes_read_->store(text_.size(), std::memory_order_relaxed);
    return report;
  }
  if (std::exchange(was_read_, true)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is a stream that has been read already", name_)};
  }
  ResumedSource source(std::exchange(head_, {}), std::move(source_));
  source_ = std::make_unique<StringSource>("");
  auto report = read_document(format_, source, options, context, sink);
  if (!report) return with_document(std::move(report).error(), name_);
  return report;
}

Result<Document> open_document(Env& env, const std::string& path, const DocumentOptions& options,
                               const OpContext& context) {
  if (path == kStandardInput) {
    Document document("standard input", 0);
    auto opened = document.open_stream(stdin_source(context.cancel, context.deadline), options,
                                       context.limits);
    if (!opened) return with_document(std::move(opened).error(), document.name_);
    return document;
  }
  HELVE_ASSIGN(const FileStatus status, env.files().status(path));
  if (status.kind == FileKind::Directory) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is a folder", path),
                 "name the files in it"};
  }
  Document document(path, status.size);
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(path, failed).lexically_normal();
  if (!failed) document.base_iri_ = file_iri(absolute);
  if (status.kind == FileKind::Regular) {
    HELVE_ASSIGN(document.file_, env.files().map(path));
    document.text_ = document.file_->text();
    if (detect_compression(document.text_.substr(0, kCompressionMagicBytes)) == Compression::None) {
      if (document.text_.size() > context.limits.document_bytes_max) {
        return Error{ErrorCode::LimitExceeded, fmt::format("{} is larger than {} bytes", path,
                                                           context.limits.document_bytes_max)};
      }
      HELVE_TRY(document.find_format(document.text_.substr(0, kHeadBytes), options));
      return document;
    }
    document.text_ = {};
    document.file_.reset();
  }
  HELVE_ASSIGN(auto source, env.files().open_read(path));
  auto opened = document.open_stream(std::move(source), options, context.limits);
  if (!opened) return with_document(std::move(opened).error(), document.name_);
  return document;
}

}  // namespace helve::rdf
