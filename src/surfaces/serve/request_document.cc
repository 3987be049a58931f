#include "surfaces/serve/request_document.h"

#include <fmt/format.h>

#include <array>

#include "base/ascii.h"
#include "base/compression.h"
#include "sources/rdf/writer.h"
#include "surfaces/http/header_text.h"
#include "surfaces/serve/answer_parts.h"
#include "surfaces/serve/content_type.h"
#include "surfaces/serve/multipart.h"

namespace helve::serve {

namespace {

constexpr std::string_view kMultipartType = "multipart/form-data";
constexpr std::string_view kHint =
    "send text/turtle, application/n-triples, application/rdf+xml, application/trig, "
    "application/n-quads, or multipart/form-data with parts of these";

// Names of formats and endings of files are no media types.
std::optional<rdf::Format> format_of_type(std::string_view media_type) {
  if (media_type.find('/') == std::string_view::npos) return std::nullopt;
  const auto format = rdf::parse_format(media_type);
  if (!format) return std::nullopt;
  return *format;
}

std::optional<Refusal> check_charset(const ContentType& type, rdf::Format format) {
  // XML says itself what it is written in.
  if (type.is_utf8() || format == rdf::Format::RdfXml) return std::nullopt;
  return refuse(415, fmt::format("a body in {} is not read", type.charset), "send it as UTF-8");
}

std::optional<Compression> compression_of(std::string_view encoding) {
  const std::string name = ascii_lower(http::trim(encoding));
  if (name.empty() || name == "identity") return Compression::None;
  if (name == "gzip" || name == "x-gzip") return Compression::Gzip;
  if (name == "zstd") return Compression::Zstd;
  return std::nullopt;
}

// Lets pass what belongs to the graph that is written.
class OneGraph final : public rdf::StatementSink {
 public:
  OneGraph(std::string_view graph, rdf::StatementSink* next) : graph_(graph), next_(next) {}
  Result<void> statement(const rdf::StatementView& statement) override {
    const bool is_named = !statement.in_default_graph();
    if (is_named && (!statement.graph.is_iri() || statement.graph.value != graph_)) {
      return Error{
          ErrorCode::InvalidInput,
          fmt::format("the body has statements of the graph {}: a request writes one graph",
                      rdf::to_ntriples(statement.graph)),
          "send each graph to its own address, or all of them as INSERT DATA"};
    }
    if (next_ == nullptr) return {};
    return next_->statement(
        {statement.subject, statement.predicate, statement.object, rdf::TermView::iri("")});
  }

 private:
  std::string_view graph_;
  rdf::StatementSink* next_;
};

// Bytes that come out of a packed body, for each that went in: far above what RDF reaches.
constexpr std::size_t kUnpackedMax = 200;

}  // namespace

RequestDocument::RequestDocument(const GraphCall& call, std::string graph, std::string base_iri,
                                 const OpContext& op)
    : call_(call),
      graph_(std::move(graph)),
      base_iri_(std::move(base_iri)),
      op_(op),
      charge_(*op.memory, "the body of a request"),
      text_(call.body) {}

std::variant<rdf::Document, Refusal> RequestDocument::open() {
  if (auto refusal = unpack()) return *std::move(refusal);
  const ContentType type = read_content_type(call_.content_type);
  if (type.media_type == kMultipartType) return open_parts(type.boundary);
  const auto format = format_of_type(type.media_type);
  if (!format) {
    return refuse(415,
                  type.media_type.empty()
                      ? "the request has no Content-Type"
                      : fmt::format("a body of the type {} is no RDF", type.media_type),
                  kHint);
  }
  if (auto refusal = check_charset(type, *format)) return *std::move(refusal);
  if (rdf::format_has_graphs(*format)) {
    OneGraph check(graph_, nullptr);
    rdf::ReadOptions options;
    options.base_iri = base_iri_;
    options.document_name = "body";
    const auto read = rdf::read_document(*format, text_, options, op_, check);
    if (!read) return write_refusal_of(read.error(), op_);
  }
  return rdf::Document::from_text("body", text_, *format);
}

std::optional<Refusal> RequestDocument::unpack() {
  const auto compression = compression_of(call_.content_encoding);
  if (!compression) {
    Refusal refusal = refuse(415, "the body is packed in a way not known here",
                             "send it as it is, or with Content-Encoding gzip or zstd");
    refusal.headers.emplace_back("Accept-Encoding", "gzip, zstd");
    return refusal;
  }
  if (*compression == Compression::None) return std::nullopt;
  Limits limits = op_.limits;
  limits.document_bytes_max = std::min<std::uint64_t>(
      limits.document_bytes_max, std::uint64_t{kMiB} + kUnpackedMax * call_.body.size());
  const auto source =
      open_decompressor(*compression, std::make_unique<StringSource>(call_.body), limits);
  std::array<char, 64 * kKiB> piece;
  for (;;) {
    auto got = source->read(piece);
    if (got && *got > 0) {
      if (auto charged = charge_.add(*got); !charged) got = std::move(charged).error();
    }
    if (got) {
      if (auto checked = op_.check(); !checked) got = std::move(checked).error();
    }
    if (!got) return write_refusal_of(got.error(), op_);
    if (*got == 0) break;
    unpacked_.append(piece.data(), *got);
  }
  text_ = unpacked_;
  return std::nullopt;
}

// All parts as one document, so that they are written together or not at all.
std::variant<rdf::Document, Refusal> RequestDocument::open_parts(std::string_view boundary) {
  const auto parts = read_form_parts(text_, boundary);
  if (!parts) return write_refusal_of(parts.error(), op_);
  StringSink text;
  const auto writer = rdf::make_writer(rdf::Format::NTriples, text, {}, op_);
  OneGraph one_graph(graph_, writer.get());
  std::size_t number = 0;
  for (const FormPart& part : *parts) {
    const ContentType type = read_content_type(part.content_type);
    auto format = format_of_type(type.media_type);
    if (part.content_type.empty() || type.media_type == "application/octet-stream") {
      format = rdf::format_of_path(part.name);
    }
    if (!format) return refuse(415, fmt::format("the part '{}' is no RDF", part.name), kHint);
    if (auto refusal = check_charset(type, *format)) return *std::move(refusal);
    rdf::ReadOptions options;
    options.base_iri = base_iri_;
    options.document_name = part.name;
    options.blank_prefix = fmt::format("p{}x", ++number);
    const auto read = rdf::read_document(*format, part.text, options, op_, one_graph);
    if (!read) return write_refusal_of(read.error(), op_);
    if (const auto charged = charge_.resize(unpacked_.size() + text.text().size()); !charged) {
      return write_refusal_of(charged.error(), op_);
    }
  }
  if (const auto done = writer->finish(); !done) return write_refusal_of(done.error(), op_);
  joined_ = text.take();
  return rdf::Document::from_text("body", joined_, rdf::Format::NTriples);
}

}  // namespace helve::serve
