// Results in XML, over the events of rdf/xml_parser.h. https://www.w3.org/TR/rdf-sparql-XMLres/
#include <fmt/core.h>

#include <algorithm>

#include "base/ascii.h"
#include "sources/rdf/xml_names.h"
#include "sources/rdf/xml_parser.h"
#include "sources/sparql/results/result_readers.h"
#include "sources/sparql/results/solution_row.h"

namespace helve::sparql {

namespace {

using rdf::excerpt;
using rdf::XmlAttribute;
using rdf::XmlName;

constexpr std::string_view kNamespace = "http://www.w3.org/2005/sparql-results#";

// The open element; what may stand in it follows.
enum class Place : std::uint8_t {
  Document,
  Sparql,
  Head,
  Results,
  Result,
  Binding,
  Term,     // uri, literal, bnode
  Boolean,  // text
  Empty,    // variable, link, unbound
};

Error invalid_xml(std::string message, std::string hint = {}) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

const XmlAttribute* find_attribute(std::span<const XmlAttribute> attributes, std::string_view space,
                                   std::string_view local) {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const auto& attribute) {
    return attribute.name.local == local && attribute.name.space == space;
  });
  return found == attributes.end() ? nullptr : &*found;
}

class XmlResultsReader final : public rdf::XmlHandler {
 public:
  XmlResultsReader(const OpContext& context, SolutionSink& sink)
      : context_(context),
        sink_(sink),
        row_(context, sink),
        text_charge_(*context.memory, "reading results"),
        parser_(*this, context,
                {"SPARQL results in XML", "<?xml or <sparql", "sparql",
                 "application/sparql-results+xml"}) {}

  Result<void> read(ByteSource& source) {
    auto parsed = parser_.parse(source);
    if (parsed) return {};
    Error error = std::move(parsed).error();
    if (error.position && error.document.empty()) error.document = kResultsDocument;
    return error;
  }

  Result<void> start_element(const XmlName& name,
                             std::span<const XmlAttribute> attributes) override {
    if (skipped_depth_ > 0 || (name.space != kNamespace && place_ != Place::Document)) {
      ++skipped_depth_;
      return {};
    }
    switch (place_) {
      case Place::Document:
        return start_sparql(name);
      case Place::Sparql:
        return start_part(name);
      case Place::Head:
        return start_head_part(name, attributes);
      case Place::Results:
        if (name.local != "result") return unexpected(name, "<result>");
        return enter(Place::Result);
      case Place::Result:
        return start_binding(name, attributes);
      case Place::Binding:
        return start_term(name, attributes);
      default:
        return unexpected(name, "nothing but text");
    }
  }

  Result<void> end_element(const XmlName& /*name*/) override {
    if (skipped_depth_ > 0) {
      --skipped_depth_;
      return {};
    }
    const Place ended = place_;
    places_.pop_back();
    place_ = places_.empty() ? Place::Document : places_.back();
    switch (ended) {
      case Place::Sparql:
        if (has_results_ || has_boolean_) return {};
        return invalid_xml("the document has neither <results> nor <boolean>");
      case Place::Result:
        return row_.send();
      case Place::Binding:
        return end_binding();
      case Place::Term:
        return end_term();
      case Place::Boolean:
        return end_boolean();
      default:
        return {};
    }
  }

  Result<void> text(std::string_view text) override {
    if (skipped_depth_ > 0) return {};
    if (place_ == Place::Term || place_ == Place::Boolean) {
      if (term_.value.size() + text.size() > context_.limits.term_bytes_max) {
        return Error{ErrorCode::LimitExceeded,
                     fmt::format("a term is longer than {} bytes", context_.limits.term_bytes_max)};
      }
      term_.value += text;
      if (term_.value.capacity() <= text_charge_.bytes()) return {};
      return text_charge_.resize(term_.value.capacity());
    }
    if (is_blank(text)) return {};
    return invalid_xml(
        fmt::format("met the text \"{}\" where only elements can stand", excerpt(text)),
        "values stand in <uri>, <literal> or <bnode>");
  }

  Result<void> comment(std::string_view /*text*/) override { return {}; }
  Result<void> processing_instruction(std::string_view /*target*/,
                                      std::string_view /*data*/) override {
    return {};
  }
  void namespace_declared(std::string_view /*prefix*/, std::string_view /*iri*/) override {}

 private:
  using Kind = WrittenTerm::Kind;

  Result<void> enter(Place place) {
    places_.push_back(place);
    place_ = place;
    return {};
  }

  static Error unexpected(const XmlName& name, std::string_view expected) {
    return invalid_xml(fmt::format("expected {}, found <{}>", expected, excerpt(name.qualified())));
  }

  Result<void> start_sparql(const XmlName& name) {
    if (name.local == "sparql" && name.space == kNamespace) return enter(Place::Sparql);
    if (name.local == "html" || name.local == "HTML") {
      return invalid_xml("this is an HTML page, not SPARQL results",
                         "ask the server for application/sparql-results+xml");
    }
    return invalid_xml(
        fmt::format("the outermost element is <{}>, not <sparql>", excerpt(name.qualified())),
        fmt::format("results are <sparql xmlns=\"{}\">", kNamespace));
  }

  Result<void> start_part(const XmlName& name) {
    if (name.local == "head") {
      if (has_head_) return invalid_xml("a second <head>");
      has_head_ = true;
      return enter(Place::Head);
    }
    if (name.local != "results" && name.local != "boolean") {
      return unexpected(name, "<head>, <results> or <boolean>");
    }
    if (has_results_ || has_boolean_) {
      return invalid_xml("a second answer: there is one <results> or one <boolean>");
    }
    if (!has_head_) {
      return invalid_xml(fmt::format("met <{}> before <head>", name.local),
                         "the head, which lists the variables, comes first");
    }
    if (name.local == "boolean") {
      has_boolean_ = true;
      term_.clear();
      return enter(Place::Boolean);
    }
    has_results_ = true;
    HELVE_TRY(row_.send_variables());
    return enter(Place::Results);
  }

  Result<void> start_head_part(const XmlName& name, std::span<const XmlAttribute> attributes) {
    if (name.local == "link") return enter(Place::Empty);
    if (name.local != "variable") return unexpected(name, "<variable> or <link>");
    const XmlAttribute* const variable = find_attribute(attributes, {}, "name");
    if (variable == nullptr) {
      return invalid_xml("a variable has no name", "write <variable name=\"...\"/>");
    }
    HELVE_TRY(row_.add_column(variable->value));
    return enter(Place::Empty);
  }

  Result<void> start_binding(const XmlName& name, std::span<const XmlAttribute> attributes) {
    if (name.local != "binding") return unexpected(name, "<binding>");
    const XmlAttribute* const variable = find_attribute(attributes, {}, "name");
    if (variable == nullptr) {
      return invalid_xml("a binding has no name", "write <binding name=\"...\">");
    }
    const auto column = row_.find_column(variable->value);
    if (!column) return undeclared(variable->value);
    if (row_.is_bound(*column)) {
      return invalid_xml(
          fmt::format("the variable {} is bound twice in this row", excerpt(variable->value)));
    }
    column_ = *column;
    has_term_ = false;
    term_.clear();
    return enter(Place::Binding);
  }

  Result<void> start_term(const XmlName& name, std::span<const XmlAttribute> attributes) {
    if (has_term_) return invalid_xml("a binding has two values");
    has_term_ = true;
    if (name.local == "unbound") return enter(Place::Empty);
    if (name.local == "uri") {
      term_.kind = Kind::Uri;
    } else if (name.local == "bnode") {
      term_.kind = Kind::BlankNode;
    } else if (name.local == "literal") {
      term_.kind = Kind::Literal;
      if (const auto* datatype = find_attribute(attributes, {}, "datatype")) {
        term_.datatype = datatype->value;
      }
      if (const auto* language = find_attribute(attributes, rdf::kXmlNamespace, "lang")) {
        term_.language = language->value;
      }
    } else if (name.local == "triple") {
      return invalid_xml("a term is a triple",
                         "terms that are triples (RDF 1.2) are not supported");
    } else {
      return unexpected(name, "<uri>, <literal> or <bnode>");
    }
    return enter(Place::Term);
  }

  Result<void> end_term() {
    if (term_.kind != Kind::Literal) term_.value = std::string(trimmed(term_.value));
    HELVE_ASSIGN(const rdf::TermView term, term_.to_term());
    return row_.bind(column_, term);
  }

  Result<void> end_binding() const {
    if (has_term_) return {};
    return invalid_xml("a binding has no value", "leave out the bindings of unbound variables");
  }

  Result<void> end_boolean() {
    const std::string_view answer = trimmed(term_.value);
    if (answer == "true" || answer == "1") return sink_.boolean(true);
    if (answer == "false" || answer == "0") return sink_.boolean(false);
    return invalid_xml(fmt::format("expected true or false, found \"{}\"", excerpt(answer)));
  }

  const OpContext& context_;
  SolutionSink& sink_;
  SolutionRow row_;
  MemoryCharge text_charge_;
  rdf::XmlParser parser_;
  std::vector<Place> places_;  // of the open elements, seven at most
  Place place_ = Place::Document;
  std::size_t skipped_depth_ = 0;  // inside an element of another namespace
  WrittenTerm term_;
  std::size_t column_ = 0;
  bool has_term_ = false;
  bool has_head_ = false;
  bool has_results_ = false;
  bool has_boolean_ = false;
};

}  // namespace

Result<void> read_xml_results(ByteSource& source, const OpContext& context, SolutionSink& sink) {
  return XmlResultsReader(context, sink).read(source);
}

}  // namespace helve::sparql
