// expat behind XmlParser: callbacks and bounds. Its errors are put in words by xml_fault.cc.
#include "sources/rdf/xml_parser.h"

#include <expat.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "sources/rdf/xml_entities.h"
#include "sources/rdf/xml_fault.h"
#include "sources/rdf/xml_memory.h"
#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

// Between the parts of a name that expat gives; no XML document can hold it.
constexpr char kSeparator = '\x01';
constexpr std::size_t kXmlHeadBytes = 1'024;
constexpr std::size_t kChunkBytesMin = 4 * kKiB;
constexpr std::size_t kXmlChunkBytesMax = 16 * kMiB;
// What entities and attribute defaults may add: nothing is refused below kExpansionFreeBytes, above
// it they may make the document kExpansionMax times as long.
constexpr std::size_t kExpansionFreeBytes = 8 * kMiB;
constexpr std::size_t kExpansionMax = 32;

// https://www.w3.org/TR/REC-xml-names/: expat gives "space|local|prefix", "space|local" or
// "local".
XmlName split_name(const char* text) {
  const std::string_view whole(text);
  const std::size_t first = whole.find(kSeparator);
  if (first == std::string_view::npos) return {{}, whole, {}};
  const std::string_view rest = whole.substr(first + 1);
  const std::size_t second = rest.find(kSeparator);
  if (second == std::string_view::npos) return {whole.substr(0, first), rest, {}};
  return {whole.substr(0, first), rest.substr(0, second), rest.substr(second + 1)};
}

std::string_view view_of(const char* text) {
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

// What expat tells of an external entity: the namespaces in force ("prefix=IRI") and the entities
// that are open, separated by form feeds.
std::string_view last_entity(std::string_view open) {
  std::string_view found;
  while (!open.empty()) {
    const std::string_view part = open.substr(0, open.find('\f'));
    if (part.find('=') == std::string_view::npos) found = part;
    open.remove_prefix(std::min(part.size() + 1, open.size()));
  }
  return found;
}

}  // namespace

void XmlName::append_qualified(std::string& out) const {
  if (!prefix.empty()) {
    out += prefix;
    out += ':';
  }
  out += local;
}

std::string XmlName::qualified() const {
  std::string out;
  append_qualified(out);
  return out;
}

class XmlParser::Expat {
 public:
  Expat(XmlHandler& handler, const OpContext& context, const XmlDialect& dialect);
  ~Expat();
  Expat(const Expat&) = delete;
  Expat& operator=(const Expat&) = delete;

  Result<void> parse(ByteSource& source);
  TextPosition position() const;
  bool is_malformed() const { return is_malformed_; }

 private:
  struct OpenElement {
    std::size_t name_start;  // in open_names_
    std::uint64_t line;
  };

  static Expat& self(void* data) { return *static_cast<Expat*>(data); }
  static void on_start(void* data, const char* name, const char** attributes) noexcept;
  static void on_end(void* data, const char* name) noexcept;
  static void on_text(void* data, const char* text, int length) noexcept;
  static void on_comment(void* data, const char* text) noexcept;
  static void on_instruction(void* data, const char* target, const char* text) noexcept;
  static void on_namespace(void* data, const char* prefix, const char* iri) noexcept;
  static void on_declaration(void* data, const char* version, const char* encoding,
                             int standalone) noexcept;
  static void on_doctype(void* data, const char* name, const char* system_id, const char* public_id,
                         int has_internal_subset) noexcept;
  static void on_entity(void* data, const char* name, int is_parameter, const char* value,
                        int value_length, const char* base, const char* system_id,
                        const char* public_id, const char* notation) noexcept;
  static void on_skipped_entity(void* data, const char* name, int is_parameter) noexcept;
  static int on_external_entity(XML_Parser parser, const char* open, const char* base,
                                const char* system_id, const char* public_id) noexcept;

  void set_handlers();
  void stop(Error error);
  void stop_on(Result<void> result);
  Result<void> handled(Result<void> result);
  Result<void> start(const char* name, const char** attributes);
  Result<void> collect_attributes(const char** attributes);
  Result<void> check_references_of_tag();
  Result<void> feed(ByteSource& source, std::size_t chunk_bytes, bool& at_end);

  std::string_view text_at_fault() const;
  std::string open_element() const;
  Error fault(XML_Error code) const;

  XmlHandler& handler_;
  const OpContext& context_;
  const XmlDialect dialect_;
  XmlMemory memory_;
  XML_Parser parser_ = nullptr;
  std::optional<Error> error_;  // the first one of a callback
  bool is_malformed_ = false;
  bool handler_failed_ = false;

  std::vector<XmlAttribute> attributes_;
  std::vector<OpenElement> open_;
  std::string open_names_;
  XmlEntities entities_;

  std::string head_;  // the first kXmlHeadBytes of the document
  std::string encoding_;
  std::uint64_t bytes_fed_ = 0;
  std::uint64_t default_bytes_ = 0;  // of attributes that the DTD added
  bool is_blank_ = true;             // nothing but white space so far
  bool has_root_ = false;
  bool is_final_ = false;
  bool may_skip_entities_ = false;  // expat would drop undeclared entities silently
};

XmlParser::Expat::Expat(XmlHandler& handler, const OpContext& context, const XmlDialect& dialect)
    : handler_(handler),
      context_(context),
      dialect_(dialect),
      // expat holds the bytes of one tag or comment up to three times while its buffer grows, and
      // the expanded attributes of the tag once more.
      memory_(*context.memory,
              8 * context.limits.term_bytes_max + 8 * context.limits.window_bytes + 4 * kMiB) {
  const XmlMemory::Scope scope(memory_);
  const XML_Memory_Handling_Suite suite = {xml_allocate, xml_reallocate, xml_free};
  parser_ = XML_ParserCreate_MM(nullptr, &suite, &kSeparator);
  if (parser_ != nullptr) set_handlers();
}

XmlParser::Expat::~Expat() {
  if (parser_ != nullptr) XML_ParserFree(parser_);
}

void XmlParser::Expat::set_handlers() {
  XML_SetUserData(parser_, this);
  XML_SetReturnNSTriplet(parser_, 1);
  XML_SetElementHandler(parser_, on_start, on_end);
  XML_SetCharacterDataHandler(parser_, on_text);
  XML_SetCommentHandler(parser_, on_comment);
  XML_SetProcessingInstructionHandler(parser_, on_instruction);
  XML_SetStartNamespaceDeclHandler(parser_, on_namespace);
  XML_SetXmlDeclHandler(parser_, on_declaration);
  XML_SetStartDoctypeDeclHandler(parser_, on_doctype);
  XML_SetEntityDeclHandler(parser_, on_entity);
  XML_SetSkippedEntityHandler(parser_, on_skipped_entity);
  XML_SetExternalEntityRefHandler(parser_, on_external_entity);
  XML_SetParamEntityParsing(parser_, XML_PARAM_ENTITY_PARSING_NEVER);
  XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser_,
                                                           static_cast<float>(kExpansionMax));
  XML_SetBillionLaughsAttackProtectionActivationThreshold(parser_, kExpansionFreeBytes);
}

TextPosition XmlParser::Expat::position() const {
  if (parser_ == nullptr) return {};
  return {XML_GetCurrentLineNumber(parser_), XML_GetCurrentColumnNumber(parser_) + 1};
}

Result<void> XmlParser::Expat::parse(ByteSource& source) {
  if (parser_ == nullptr) return fault(XML_ERROR_NO_MEMORY);
  const std::size_t chunk_bytes =
      std::clamp(context_.limits.window_bytes, kChunkBytesMin, kXmlChunkBytesMax);
  bool at_end = false;
  std::size_t next_bytes = chunk_bytes;
  while (!at_end) {
    HELVE_TRY(context_.check());
    const XML_Index begin = XML_GetCurrentByteIndex(parser_);
    HELVE_TRY(feed(source, next_bytes, at_end));
    // A tag that began before this chunk and has not ended: expat reads it again from its start.
    const bool is_in_tag = XML_GetCurrentByteIndex(parser_) == begin;
    next_bytes = is_in_tag ? std::min(2 * next_bytes, kXmlChunkBytesMax) : chunk_bytes;
  }
  return {};
}

Result<void> XmlParser::Expat::feed(ByteSource& source, std::size_t chunk_bytes, bool& at_end) {
  const XmlMemory::Scope scope(memory_);
  auto* buffer = static_cast<char*>(XML_GetBuffer(parser_, static_cast<int>(chunk_bytes)));
  if (buffer == nullptr) return fault(XML_ERROR_NO_MEMORY);
  // Whole chunks, whatever pieces the source gives: expat would read an unfinished tag again with
  // every piece, and where it sees an error can depend on them.
  std::size_t got = 0;
  while (got < chunk_bytes && !at_end) {
    HELVE_ASSIGN(const std::size_t piece, source.read({buffer + got, chunk_bytes - got}));
    got += piece;
    at_end = piece == 0;
  }
  is_final_ = at_end;
  bytes_fed_ += got;
  if (bytes_fed_ > context_.limits.document_bytes_max) {
    return Error{ErrorCode::LimitExceeded, fmt::format("the document is longer than {} bytes",
                                                       context_.limits.document_bytes_max)};
  }
  const std::string_view chunk(buffer, got);
  if (head_.size() < kXmlHeadBytes) head_ += chunk.substr(0, kXmlHeadBytes - head_.size());
  is_blank_ = is_blank_ && is_blank(chunk);
  const XML_Status status = XML_ParseBuffer(parser_, static_cast<int>(got), at_end ? 1 : 0);
  if (error_) {
    is_malformed_ = error_->code == ErrorCode::InvalidInput && !handler_failed_;
    return *std::move(error_);
  }
  if (status == XML_STATUS_OK) return {};
  const XML_Error code = XML_GetErrorCode(parser_);
  Error error = fault(code);
  is_malformed_ = error.code == ErrorCode::InvalidInput;
  if (!error.position) error.position = position();
  return error;
}

void XmlParser::Expat::stop(Error error) {
  if (error_) return;
  if (!error.position) error.position = position();
  error_ = std::move(error);
  XML_StopParser(parser_, XML_FALSE);
}

void XmlParser::Expat::stop_on(Result<void> result) {
  if (!result) [[unlikely]] {
    stop(std::move(result).error());
  }
}

Result<void> XmlParser::Expat::handled(Result<void> result) {
  handler_failed_ = handler_failed_ || !result;
  return result;
}

void XmlParser::Expat::on_start(void* data, const char* name, const char** attributes) noexcept {
  if (!self(data).error_) self(data).stop_on(self(data).start(name, attributes));
}

Result<void> XmlParser::Expat::start(const char* name, const char** attributes) {
  const XmlName element = split_name(name);
  has_root_ = true;
  if (open_.size() >= context_.limits.nesting_max) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("elements are nested more than {} deep", context_.limits.nesting_max),
        fmt::format("is this really {}? its nesting is rarely deeper than ten", dialect_.name)};
  }
  if (may_skip_entities_) HELVE_TRY(check_references_of_tag());
  open_.push_back({open_names_.size(), XML_GetCurrentLineNumber(parser_)});
  element.append_qualified(open_names_);
  HELVE_TRY(collect_attributes(attributes));
  return handled(handler_.start_element(element, attributes_));
}

Result<void> XmlParser::Expat::collect_attributes(const char** attributes) {
  attributes_.clear();
  const auto given = static_cast<std::size_t>(XML_GetSpecifiedAttributeCount(parser_)) / 2;
  for (; *attributes != nullptr; attributes += 2) {
    attributes_.push_back({split_name(attributes[0]), attributes[1]});
    const XmlAttribute& attribute = attributes_.back();
    if (attribute.value.size() > context_.limits.term_bytes_max) {
      return Error{ErrorCode::LimitExceeded, fmt::format("the attribute {} is longer than {} bytes",
                                                         excerpt(attribute.name.qualified()),
                                                         context_.limits.term_bytes_max)};
    }
    if (attributes_.size() > given) default_bytes_ += attribute.value.size();
  }
  if (default_bytes_ > kExpansionFreeBytes && default_bytes_ / kExpansionMax > bytes_fed_) {
    return Error{ErrorCode::LimitExceeded,
                 "the attribute defaults of the DTD make the document too long",
                 std::string(kExpansionHint)};
  }
  return {};
}

// With a DTD that was not read, expat drops unknown entities from attribute values without a word
// (XML 1.0 leaves it to the processor), which would change IRIs.
Result<void> XmlParser::Expat::check_references_of_tag() {
  int offset = 0;
  int size = 0;
  const char* buffer = XML_GetInputContext(parser_, &offset, &size);
  const int length = XML_GetCurrentByteCount(parser_);
  if (buffer == nullptr || length <= 0 || length > size - offset) return {};
  const std::string_view tag(buffer + offset, static_cast<std::size_t>(length));
  const std::string_view unknown = entities_.find_undeclared(tag);
  if (!unknown.empty()) return undeclared_entity(unknown, may_skip_entities_);
  return {};
}

void XmlParser::Expat::on_end(void* data, const char* name) noexcept {
  Expat& expat = self(data);
  if (expat.error_) return;
  expat.open_names_.resize(expat.open_.back().name_start);
  expat.open_.pop_back();
  expat.stop_on(expat.handled(expat.handler_.end_element(split_name(name))));
}

void XmlParser::Expat::on_text(void* data, const char* text, int length) noexcept {
  Expat& expat = self(data);
  if (expat.error_) return;
  expat.stop_on(expat.handled(expat.handler_.text({text, static_cast<std::size_t>(length)})));
}

void XmlParser::Expat::on_comment(void* data, const char* text) noexcept {
  Expat& expat = self(data);
  if (!expat.error_) expat.stop_on(expat.handled(expat.handler_.comment(text)));
}

void XmlParser::Expat::on_instruction(void* data, const char* target, const char* text) noexcept {
  Expat& expat = self(data);
  if (expat.error_) return;
  expat.stop_on(expat.handled(expat.handler_.processing_instruction(target, view_of(text))));
}

void XmlParser::Expat::on_namespace(void* data, const char* prefix, const char* iri) noexcept {
  if (self(data).error_) return;
  self(data).handler_.namespace_declared(view_of(prefix), view_of(iri));
}

void XmlParser::Expat::on_declaration(void* data, const char* /*version*/, const char* encoding,
                                      int /*standalone*/) noexcept {
  self(data).encoding_ = ascii_lower(view_of(encoding));
}

void XmlParser::Expat::on_doctype(void* data, const char* name, const char* system_id,
                                  const char* public_id, int /*has_internal_subset*/) noexcept {
  Expat& expat = self(data);
  if (expat.error_) return;
  if (ascii_lower(view_of(name)) == "html") return expat.stop(html_instead_of(expat.dialect_));
  if (system_id == nullptr && public_id == nullptr) return;
  expat.may_skip_entities_ = true;
  if (is_utf16(expat.head_)) {
    expat.stop({ErrorCode::InvalidInput, "a UTF-16 document with an external DTD is not supported",
                "convert it to UTF-8 or remove the DOCTYPE"});
  }
}

void XmlParser::Expat::on_entity(void* data, const char* name, int is_parameter, const char* value,
                                 int value_length, const char* /*base*/, const char* /*system_id*/,
                                 const char* /*public_id*/, const char* /*notation*/) noexcept {
  Expat& expat = self(data);
  if (expat.error_) return;
  if (is_parameter != 0) {
    expat.may_skip_entities_ = true;
  } else if (value == nullptr) {
    expat.stop_on(expat.entities_.declare_external(name));
  } else {
    expat.stop_on(expat.entities_.declare(name, {value, static_cast<std::size_t>(value_length)}));
  }
}

void XmlParser::Expat::on_skipped_entity(void* data, const char* name, int is_parameter) noexcept {
  Expat& expat = self(data);
  if (is_parameter != 0) {
    expat.may_skip_entities_ = true;
  } else if (!expat.error_) {
    expat.stop(undeclared_entity(name, expat.may_skip_entities_));
  }
}

int XmlParser::Expat::on_external_entity(XML_Parser parser, const char* open, const char* /*base*/,
                                         const char* /*system_id*/,
                                         const char* /*public_id*/) noexcept {
  Expat& expat = self(XML_GetUserData(parser));
  expat.stop({ErrorCode::InvalidInput,
              fmt::format("the entity &{}; stands for another file, and those are never fetched",
                          excerpt(last_entity(view_of(open)))),
              "put its text in place of the reference"});
  return 0;
}

std::string_view XmlParser::Expat::text_at_fault() const {
  int offset = 0;
  int size = 0;
  const char* buffer = XML_GetInputContext(parser_, &offset, &size);
  if (buffer == nullptr || offset < 0 || offset > size) return {};
  return {buffer + offset, static_cast<std::size_t>(size - offset)};
}

std::string XmlParser::Expat::open_element() const {
  const std::string name = open_names_.substr(open_.back().name_start);
  return fmt::format("<{}> opened at line {}", excerpt(name), open_.back().line);
}

Error XmlParser::Expat::fault(XML_Error code) const {
  XmlFault fault;
  fault.dialect = dialect_;
  fault.head = head_;
  if (parser_ != nullptr) fault.here = text_at_fault();
  fault.encoding = encoding_;
  if (!open_.empty()) fault.open_element = open_element();
  fault.memory_bytes_max = memory_.bytes_max();
  fault.is_blank = is_blank_;
  fault.has_root = has_root_;
  fault.is_final = is_final_;
  fault.has_unread_dtd = may_skip_entities_;
  return explain_xml_fault(fault, code);
}

XmlParser::XmlParser(XmlHandler& handler, const OpContext& context, const XmlDialect& dialect)
    : expat_(std::make_unique<Expat>(handler, context, dialect)) {}
XmlParser::~XmlParser() = default;

Result<void> XmlParser::parse(ByteSource& source) { return expat_->parse(source); }

Result<void> XmlParser::parse(std::string_view document) {
  StringSource source(document);
  return expat_->parse(source);
}

TextPosition XmlParser::position() const { return expat_->position(); }
bool XmlParser::is_malformed() const { return expat_->is_malformed(); }

}  // namespace helve::rdf
