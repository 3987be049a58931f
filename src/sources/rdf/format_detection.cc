// A document's format by its first bytes. Looks at tokens, not at a grammar: a document with an
// early mistake must still be given to the right reader, whose error is better than any guess.
#include <algorithm>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/iri.h"
#include "sources/rdf/characters.h"
#include "sources/rdf/format.h"

namespace helve::rdf {

namespace {

constexpr std::string_view kSpaces = " \t\r\n\f";

bool is_space_or_form_feed(char c) { return kSpaces.find(c) != std::string_view::npos; }

bool starts_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin(),
                    [](char expected, char c) { return expected == ascii_lower(c); });
}

std::string_view skip_space(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kSpaces), text.size()));
}

std::string_view skip_space_and_comments(std::string_view text) {
  text = skip_space(text);
  while (text.starts_with('#')) {
    text = skip_space(text.substr(std::min(text.find('\n'), text.size())));
  }
  return text;
}

std::string_view skip_past(std::string_view text, std::string_view end) {
  const std::size_t at = text.find(end);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + end.size());
}

bool is_binary(std::string_view head) {
  return std::any_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && !is_space_or_form_feed(c);
  });
}

bool is_utf16_xml(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("\xFF\xFE<\0"sv) || head.starts_with("\xFE\xFF\0<"sv);
}

// Behind declaration, comments and DOCTYPE: what is the root element?
bool is_html(std::string_view text) {
  while (true) {
    text = skip_space(text);
    if (text.starts_with("<?")) {
      text = skip_past(text, "?>");
    } else if (text.starts_with("<!--")) {
      text = skip_past(text, "-->");
    } else if (starts_ignoring_case(text, "<!doctype")) {
      if (starts_ignoring_case(skip_space(text.substr(9)), "html")) return true;
      // An internal subset may contain '>'.
      text = skip_past(
          text, text.substr(0, text.find('>')).find('[') != std::string_view::npos ? "]" : ">");
      if (const auto rest = skip_space(text); rest.starts_with('>')) text = rest.substr(1);
    } else {
      return starts_ignoring_case(text, "<html");
    }
  }
}

// A tag, not an IRI: IRIs hold no white space, and a root element of RDF/XML has attributes.
bool starts_with_element(std::string_view text) {
  if (text.size() < 2 || text[0] != '<' || !(is_letter(text[1]) || text[1] == '_')) return false;
  const std::size_t end = text.find_first_of(" \t\r\n>/", 1);
  return end != std::string_view::npos && is_space_or_form_feed(text[end]);
}

bool looks_like_xml(std::string_view text) {
  return text.starts_with("<?xml") || text.starts_with("<!--") ||
         starts_ignoring_case(text, "<!doctype") || starts_ignoring_case(text, "<html") ||
         starts_with_element(text);
}

bool looks_like_json(std::string_view text) {
  if (!text.starts_with('{') && !text.starts_with('[')) return false;
  const std::string_view rest = skip_space(text.substr(1));
  if (text[0] == '{') return rest.starts_with('"') || rest.starts_with('}');
  return !rest.empty() &&
         (std::string_view("{[\"-").find(rest[0]) != std::string_view::npos || is_digit(rest[0]));
}

// What the tokens of the head tell.
class Evidence {
 public:
  explicit Evidence(std::string_view text) : rest_(text) {
    while (!rest_.empty()) token();
  }

  bool has_directive = false;    // @prefix, PREFIX ...
  bool has_graphs = false;       // '{' or GRAPH
  bool has_turtle_only = false;  // what N-Quads has not
  bool has_quads = false;        // four terms before a '.'
  bool starts_well = false;      // with something that begins a statement

 private:
  void token() {
    const char c = rest_[0];
    if (is_space_or_form_feed(c)) {
      rest_ = skip_space(rest_);
      return;
    }
    const bool is_first = std::exchange(is_first_, false);
    if (c == '#') {
      is_first_ = is_first;
      rest_ = rest_.substr(std::min(rest_.find('\n'), rest_.size()));
    } else if (c == '<') {
      iri(is_first);
    } else if (c == '"' || c == '\'') {
      string(c);
    } else if (c == '_' && rest_.starts_with("_:")) {
      starts_well |= is_first;
      term(rest_.find_first_of(" \t\r\n<\"", 2));
    } else if (c == '@') {
      word(1, is_first);
    } else if (c == '.') {
      has_quads |= terms_ == 4;
      terms_ = 0;
      pass(1);
    } else if (c == '{' || c == '}') {
      has_graphs |= c == '{';
      starts_well |= is_first && c == '{';
      terms_ = 0;
      pass(1);
    } else if (c == '^') {
      // The datatype belongs to its literal.
      pass(rest_.starts_with("^^") ? 2 : 1);
      --terms_;
    } else {
      starts_well |= is_first && (c == '[' || c == '(' || c == ':');
      word(0, is_first);
    }
  }

  void pass(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  void term(std::size_t end) {
    ++terms_;
    pass(end);
  }

  void iri(bool is_first) {
    const std::size_t end = rest_.find_first_of("> \t\r\n<\"", 1);
    const bool is_closed = end != std::string_view::npos && rest_[end] == '>';
    const std::string_view iri = rest_.substr(1, std::min(end, rest_.size()) - 1);
    starts_well |= is_first && (is_closed || end == std::string_view::npos);
    has_turtle_only |= is_closed && !has_iri_scheme(iri);
    term(is_closed ? end + 1 : end);
  }

  void string(char quote) {
    has_turtle_only |= quote == '\'';
    const std::string three(3, quote);
    const bool is_long = rest_.starts_with(three);
    has_turtle_only |= is_long;
    std::size_t end = is_long ? 3 : 1;
    while (end < rest_.size() &&
           !(is_long ? rest_.substr(end).starts_with(three) : rest_[end] == quote)) {
      if (!is_long && rest_[end] == '\n') break;
      end += rest_[end] == '\\' ? 2 : 1;
    }
    term(end + (is_long ? 3 : 1));
  }

  // A keyword, a name, a number or punctuation of Turtle, or a language tag.
  void word(std::size_t mark, bool is_first) {
    const std::size_t end =
        std::min(rest_.find_first_of(" \t\r\n<>\"'()[]{};,#^", mark), rest_.size());
    const std::string_view whole = rest_.substr(mark, end - mark);
    const bool is_declaration = is_keyword(whole, "prefix") || is_keyword(whole, "base");
    if (mark == 1 && terms_ > 0) {
      pass(std::min(rest_.find_first_of(" \t\r\n.;,", 1), rest_.size()));  // a language tag
      return;
    }
    const bool is_graph = mark == 0 && terms_ == 0 && is_keyword(whole, "graph");
    has_turtle_only = true;
    has_directive |= is_declaration && terms_ == 0;
    has_graphs |= is_graph;
    starts_well |= is_first && (is_declaration || is_graph);
    terms_ = 0;
    pass(std::max<std::size_t>(end, 1));
  }

  static bool is_keyword(std::string_view word, std::string_view lower) {
    return word.size() == lower.size() && starts_ignoring_case(word, lower);
  }

  std::string_view rest_;
  bool is_first_ = true;
  int terms_ = 0;
};

bool is_of_turtle_family(std::optional<Format> format) {
  return format && *format != Format::RdfXml;
}

}  // namespace

std::string_view describe_content(std::string_view head) {
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) {
    return "UTF-16, which iconv -f UTF-16 -t UTF-8 converts";
  }
  if (head.starts_with("PK\x03\x04")) return "a ZIP archive";
  if (is_binary(head)) return "binary data";
  const std::string_view start = skip_space(head);
  if (looks_like_xml(start)) return is_html(start) ? "HTML" : "XML";
  return looks_like_json(start) ? "JSON" : "text of another kind";
}

std::optional<Format> detect_format(std::string_view head, std::optional<Format> by_name) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  if (is_utf16_xml(head)) return Format::RdfXml;
  if (is_binary(head)) return std::nullopt;
  const std::string_view start = skip_space(head);
  if (looks_like_xml(start)) {
    if (is_html(start)) return std::nullopt;
    return Format::RdfXml;
  }
  const std::string_view text = skip_space_and_comments(start);
  if (text.empty()) return by_name.value_or(Format::Turtle);
  if (looks_like_json(text)) return std::nullopt;
  const Evidence evidence(text);
  if (!is_of_turtle_family(by_name) && !evidence.starts_well) return std::nullopt;
  if (evidence.has_graphs) return Format::TriG;
  const bool is_by_lines = by_name == Format::NTriples || by_name == Format::NQuads;
  if (evidence.has_directive || (evidence.has_turtle_only && !is_by_lines)) {
    return by_name == Format::TriG ? Format::TriG : Format::Turtle;
  }
  if (evidence.has_quads) return Format::NQuads;
  return is_of_turtle_family(by_name) ? by_name : Format::NTriples;
}

}  // namespace helve::rdf
