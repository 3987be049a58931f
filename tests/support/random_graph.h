// Random datasets for property tests: hostile strings, odd IRIs, nested and shared blank nodes,
// lists of every kind of brokenness. The same seed gives the same dataset.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "sources/rdf/quad_set.h"
#include "sources/rdf/vocabulary.h"

namespace helve::test {

struct RandomGraphOptions {
  std::size_t statements = 40;
  std::size_t blank_nodes = 8;
  bool has_graphs = false;
  // Only characters that XML 1.0 can hold, and predicates that end in an XML name.
  bool is_xml_safe = false;
};

class RandomGraph {
 public:
  RandomGraph(std::uint32_t seed, const RandomGraphOptions& options)
      : random_(seed), options_(options) {}

  rdf::QuadSet make() {
    set_.prefix("ex", "http://example.org/");
    set_.prefix("", "http://example.org/deep/");
    set_.prefix("é.x", "urn:é:");
    for (std::size_t i = 0; i < options_.statements; ++i) {
      switch (below(8)) {
        case 0:
          add_list();
          break;
        case 1:
          add_tree(below(5));
          break;
        default:
          add(resource(), predicate(), object());
      }
    }
    return std::move(set_);
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  template <typename Items>
  auto pick(const Items& items) {
    return items[below(items.size())];
  }

  void add(const rdf::Term& s, const rdf::Term& p, const rdf::Term& o) {
    const rdf::Term& g = graph();
    HELVE_CHECK(set_.statement({s.view(), p.view(), o.view(), g.view()}).has_value());
  }

  static rdf::Term iri(std::string_view value) { return rdf::Term(rdf::TermView::iri(value)); }

  rdf::Term blank() {
    return rdf::Term(rdf::TermView::blank("n" + std::to_string(below(options_.blank_nodes))));
  }
  rdf::Term fresh_blank() {
    return rdf::Term(rdf::TermView::blank("fresh" + std::to_string(made_++)));
  }

  rdf::Term any_iri() {
    static constexpr std::array<std::string_view, 22> kIris = {"http://example.org/a",
                                                               "http://example.org/b",
                                                               "http://example.org/deep/c",
                                                               "http://example.org/",
                                                               "http://example.org/x.y",
                                                               "http://example.org/dot.",
                                                               "http://example.org/-dash",
                                                               "http://example.org/9",
                                                               "http://example.org/a/b#c",
                                                               "http://example.org/%41",
                                                               "http://example.org/%4",
                                                               "http://example.org/a(b)",
                                                               "http://example.org/ü:\u00B7",
                                                               "http://example.org/\u00B7",
                                                               "http://example.org/a'b,c;d",
                                                               "urn:é:\U0001F600",
                                                               "urn:é:x",
                                                               "mailto:a@b?c=d&e",
                                                               "http://example.org/\uE000",
                                                               "http://example.org/\U00010000",
                                                               "a:",
                                                               "http://example.org/~_"};
    return iri(pick(kIris));
  }

  rdf::Term resource() { return below(3) == 0 ? blank() : any_iri(); }

  rdf::Term predicate() {
    static constexpr std::array<std::string_view, 4> kIris = {
        rdf::kRdfType, "http://example.org/p", "http://example.org/deep/q_1", "urn:é:r"};
    if (options_.is_xml_safe || below(4) > 0) return iri(pick(kIris));
    return below(4) == 0 ? iri(below(2) == 0 ? rdf::kRdfFirst : rdf::kRdfRest) : any_iri();
  }

  rdf::Term object() {
    switch (below(5)) {
      case 0:
        return blank();
      case 1:
        return below(8) == 0 ? iri(rdf::kRdfNil) : any_iri();
      default:
        return literal();
    }
  }

  rdf::Term literal() {
    static constexpr std::array<std::string_view, 26> kNumbers = {
        "0",    "-1", "+007", "1.",  ".5",  "-.5",  "1.0",  "1.e1", "1e",
        "1e+",  ".",  "e1",   "",    "1e5", "-1E0", ".1e1", "true", "false",
        "TRUE", "1",  "NaN",  "INF", "1 ",  " 1",   "--1",  "1e1.0"};
    static constexpr std::array<std::string_view, 6> kTypes = {
        rdf::kXsdInteger, rdf::kXsdDecimal, rdf::kXsdDouble,
        rdf::kXsdBoolean, rdf::kXsdFloat,   "http://example.org/type."};
    static constexpr std::array<std::string_view, 4> kLanguages = {"en", "de-AT", "x-1a-2b", "EN"};
    switch (below(4)) {
      case 0:
        return rdf::Term(rdf::TermView::literal(pick(kNumbers), pick(kTypes)));
      case 1:
        return rdf::Term(rdf::TermView::lang_literal(text(), pick(kLanguages)));
      case 2:
        return rdf::Term(rdf::TermView::literal(text(), pick(kTypes)));
      default:
        return rdf::Term(rdf::TermView::literal(text()));
    }
  }

  // Quotes, backslashes, line ends, controls, and characters of every plane.
  std::string text() {
    static constexpr std::u32string_view kOdd = U"\"\"\"\"\\\\'\n\n\r\t\b\f\x01\x1F\x7F\x85 .<>&]";
    std::string out;
    for (std::size_t length = below(12); length > 0; --length) {
      char32_t c = 'a';
      if (below(2) == 0) {
        c = pick(kOdd);
      } else if (below(3) == 0) {
        c = static_cast<char32_t>(below(0x110000));
      }
      const bool is_surrogate = c >= 0xD800 && c < 0xE000;
      const bool is_xml =
          c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && (c & 0xFFFE) != 0xFFFE);
      if (is_surrogate || (options_.is_xml_safe && !is_xml)) c = U'\u20AC';
      append_utf8(out, c);
    }
    return out;
  }

  // Mostly the same as last time, so that lists and trees stay in one graph.
  const rdf::Term& graph() {
    if (options_.has_graphs && below(8) == 0) graph_ = other_graph();
    return graph_;
  }

  rdf::Term other_graph() {
    if (below(3) == 0) return {};
    static constexpr std::array<std::string_view, 2> kGraphs = {"http://example.org/g",
                                                                "http://example.org/deep/h"};
    return below(6) == 0 ? blank() : iri(pick(kGraphs));
  }

  // Mostly proper; some shared, cyclic, cut short, with two ends or with something said of a cell.
  void add_list() {
    const std::size_t length = below(6);
    std::vector<rdf::Term> cells;
    for (std::size_t i = 0; i < length; ++i) cells.push_back(fresh_blank());
    cells.push_back(iri(rdf::kRdfNil));
    if (below(4) > 0) add(resource(), predicate(), cells.front());
    for (std::size_t i = 0; i < length; ++i) {
      add(cells[i], iri(rdf::kRdfFirst), object());
      add(cells[i], iri(rdf::kRdfRest), below(20) == 0 ? pick(cells) : cells[i + 1]);
    }
    if (below(5) == 0) add(pick(cells), predicate(), object());
    if (below(5) == 0) add(resource(), predicate(), pick(cells));
  }

  void add_tree(std::size_t depth) {
    rdf::Term node = below(2) == 0 ? resource() : fresh_blank();
    for (; depth > 0; --depth) {
      const rdf::Term child = fresh_blank();
      add(node, predicate(), child);
      if (below(2) == 0) add(node, predicate(), object());
      node = child;
    }
    if (below(8) == 0) add(node, predicate(), node);
  }

  std::mt19937 random_;
  RandomGraphOptions options_;
  std::size_t made_ = 0;
  rdf::Term graph_;
  rdf::QuadSet set_;
};

inline rdf::QuadSet random_dataset(std::uint32_t seed, const RandomGraphOptions& options = {}) {
  return RandomGraph(seed, options).make();
}

}  // namespace helve::test
