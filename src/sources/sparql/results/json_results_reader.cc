// Results in JSON, as a stream. https://www.w3.org/TR/sparql11-results-json/
#include <fmt/core.h>

#include "base/ascii.h"
#include "sources/rdf/xml_names.h"
#include "sources/sparql/results/json_cursor.h"
#include "sources/sparql/results/result_readers.h"
#include "sources/sparql/results/solution_row.h"
#include "sources/sparql/results/term_frames.h"

namespace helve::sparql {

namespace {

constexpr const char* kTripleTerm = "a term is a triple";
constexpr const char* kTripleHint = "terms that are triples (RDF 1.2) are not supported";

class JsonResultsReader {
 public:
  JsonResultsReader(rdf::InputWindow& window, const OpContext& context, SolutionSink& sink)
      : json_(window, std::string(kResultsDocument), context),
        row_(context, sink),
        sink_(sink),
        term_bytes_max_(context.limits.term_bytes_max) {}

  Result<void> read() {
    if (document()) return {};
    return json_.error();
  }

 private:
  using Kind = WrittenTerm::Kind;

  bool document() {
    if (json_.peek() == JsonCursor::kEnd && !json_.has_failed()) {
      return json_.fail(json_.at(), "the document is empty; results in JSON are an object in { }");
    }
    const bool read = json_.object([this](std::string_view key) {
      if (key == "head") return head();
      if (key == "results") return results();
      if (key == "boolean") return boolean();
      return json_.skip_value();
    });
    if (!read || !json_.end()) return false;
    if (has_kept_rows_) return json_.fail(json_.at(), "the results have no head.vars", kVarsHint);
    if (has_results_ || has_boolean_) return true;
    return json_.fail(json_.at(), "the document has neither \"results\" nor \"boolean\"",
                      "is this another JSON document, such as an error of the server?");
  }

  bool head() {
    if (has_head_) return json_.fail(json_.at(), "a second \"head\"");
    has_head_ = true;
    const bool read = json_.object([this](std::string_view key) {
      if (key == "vars") return vars();
      return json_.skip_value();
    });
    if (!read) return false;
    if (!has_kept_rows_ || !has_vars_) return true;
    has_kept_rows_ = false;
    return send(row_.send_variables()) && send(row_.send_kept());
  }

  bool vars() {
    if (has_vars_) return json_.fail(json_.at(), "a second \"vars\"");
    has_vars_ = true;
    std::vector<std::string> names;
    const bool read = json_.array([this, &names] {
      if (!json_.string(name_)) return false;
      // Rows that came first have made columns already.
      if (!has_kept_rows_) return accept(row_.add_column(name_), json_.string_start());
      names.push_back(name_);
      return true;
    });
    return read && (!has_kept_rows_ || accept(row_.set_columns(names), json_.at()));
  }

  bool boolean() {
    bool answer = false;
    if (!check_first_answer() || !json_.boolean(answer)) return false;
    has_boolean_ = true;
    return send(sink_.boolean(answer));
  }

  bool results() {
    if (!check_first_answer()) return false;
    has_results_ = true;
    bool has_bindings = false;
    const bool read = json_.object([this, &has_bindings](std::string_view key) {
      if (key != "bindings") return json_.skip_value();
      if (has_bindings) return json_.fail(json_.at(), "a second \"bindings\"");
      has_bindings = true;
      return bindings();
    });
    if (!read) return false;
    return has_bindings || json_.fail(json_.at(), "the results have no \"bindings\"",
                                      "a result without rows has \"bindings\": []");
  }

  bool check_first_answer() {
    if (!has_results_ && !has_boolean_) return true;
    return json_.fail(json_.at(), "a second answer: there is one \"results\" or one \"boolean\"");
  }

  bool bindings() {
    if (has_head_ && !has_vars_) {
      return json_.fail(json_.at(), "the results have no head.vars", kVarsHint);
    }
    has_kept_rows_ = !has_head_;
    if (has_head_ && !send(row_.send_variables())) return false;
    return json_.array([this] { return row(); });
  }

  // Where in a row the cursor is.
  enum class Place : std::uint8_t { AtFirst, AtMember, BehindTerm, AtEnd };

  // Terms that are written like earlier ones are read at a glance, others token by token.
  bool row() {
    if (!json_.pass('{', "an object in { }")) return false;
    Place place = Place::AtFirst;
    while (true) {
      if (!known_terms(place)) return false;
      if (place == Place::AtEnd) break;
      row_.hold();  // the window may slide
      if (place == Place::AtFirst && json_.pass_if('}')) break;
      if (place != Place::BehindTerm && !member()) return false;
      if (json_.pass_if(',')) {
        place = Place::AtMember;
      } else if (json_.pass('}', "',' or '}'")) {
        break;
      } else {
        return false;
      }
    }
    return send(has_kept_rows_ ? row_.keep() : row_.send());
  }

  // Reads members as long as they are in a known frame and in the window, which does not slide.
  bool known_terms(Place& place) {
    while (place != Place::AtEnd) {
      const std::string_view ahead = json_.ahead();
      const auto known = frames_.find(ahead, row_.next_column());
      if (!known || known->column >= row_.names().size() || row_.is_bound(known->column)) break;
      const std::string_view value =
          ahead.substr(known->value_begin, known->value_end - known->value_begin);
      const bool is_odd = value.empty() && known->frame->kind != rdf::TermKind::Literal;
      if (is_odd || value.size() >= term_bytes_max_) break;  // read slowly, it is an error
      if (!known->has_escapes) {
        json_.pass_bytes(known->end);
        if (!send(row_.bind_view(known->column, known->frame->with(value)))) return false;
      } else {
        json_.pass_bytes(known->value_begin - 1);
        if (!json_.string(term_.value)) return false;
        json_.pass_bytes(known->end - known->value_end - 1);
        if (!send(row_.bind(known->column, known->frame->with(term_.value)))) return false;
      }
      place = pass_separator();
      if (place == Place::BehindTerm) break;
    }
    return true;
  }

  Place pass_separator() {
    const std::string_view ahead = json_.ahead();
    std::size_t at = 0;
    while (at < ahead.size() && is_space(ahead[at])) ++at;
    if (at == ahead.size() || (ahead[at] != ',' && ahead[at] != '}')) return Place::BehindTerm;
    json_.pass_bytes(at + 1);
    return ahead[at] == ',' ? Place::AtMember : Place::AtEnd;
  }

  bool member() {
    const char* const start = json_.at();
    const std::uint64_t slides = json_.slides();
    if (!json_.string(name_) || !json_.pass(':', "':' after the key")) return false;
    if (json_.peek() == 'n') return json_.null();  // some say so of what is unbound
    const auto column = column_of(name_);
    if (!column || !term()) return false;
    auto made = term_.to_term();
    if (!made) return json_.fail_with(json_.at(), std::move(made).error());
    if (!send(row_.bind(*column, *made))) return false;
    if (json_.slides() == slides) {
      frames_.keep(*column, {start, value_.begin()}, {value_.end(), json_.at()}, *made);
    }
    return true;
  }

  std::optional<std::size_t> column_of(std::string_view variable) {
    auto column = row_.find_column(variable);
    if (!column) {
      Result<void> added =
          has_kept_rows_ ? row_.add_column(variable) : Result<void>(undeclared(variable));
      if (!accept(std::move(added), json_.at())) return std::nullopt;
      column = row_.names().size() - 1;
    }
    if (row_.is_bound(*column)) {
      json_.fail(json_.at(),
                 fmt::format("the variable {} is bound twice in this row", rdf::excerpt(variable)));
      return std::nullopt;
    }
    return column;
  }

  bool term() {
    term_.clear();
    bool has_value = false;
    const bool read = json_.object([this, &has_value](std::string_view key) {
      if (key == "value") {
        has_value = true;
        if (json_.peek() == '{') return json_.fail(json_.at(), kTripleTerm, kTripleHint);
        if (!json_.string(term_.value)) return false;
        value_ = {json_.string_start() + 1, json_.at() - 1};
        return true;
      }
      if (key == "type") return type();
      if (key == "datatype") return string_or_null(term_.datatype);
      if (key == "xml:lang") return string_or_null(term_.language);
      return json_.skip_value();
    });
    if (!read) return false;
    if (term_.kind == Kind::Unknown) return json_.fail(json_.at(), "this term has no \"type\"");
    return has_value || json_.fail(json_.at(), "this term has no \"value\"");
  }

  bool type() {
    if (!json_.string(name_)) return false;
    if (name_ == "uri") {
      term_.kind = Kind::Uri;
    } else if (name_ == "literal" || name_ == "typed-literal") {
      term_.kind = Kind::Literal;
    } else if (name_ == "bnode") {
      term_.kind = Kind::BlankNode;
    } else {
      const char* const place = json_.string_start();
      if (name_ == "triple") return json_.fail(place, kTripleTerm, kTripleHint);
      return json_.fail(place, fmt::format("the type of a term is \"{}\"", rdf::excerpt(name_)),
                        "types are \"uri\", \"literal\" and \"bnode\"");
    }
    return true;
  }

  bool string_or_null(std::string& out) {
    out.clear();
    return json_.peek() == 'n' ? json_.null() : json_.string(out);
  }

  // Faults of the document, which have a place; and what else stops the reading.
  bool accept(Result<void> result, const char* place) {
    return result || json_.fail_with(place, std::move(result).error());
  }
  bool send(Result<void> result) { return result || json_.fail_fatally(std::move(result).error()); }

  static constexpr const char* kVarsHint = "\"head\": {\"vars\": [...]} lists the variables";

  JsonCursor json_;
  SolutionRow row_;
  SolutionSink& sink_;
  TermFrames frames_;
  WrittenTerm term_;
  std::string_view value_;  // of term_, as it stands in the window
  std::string name_;
  std::size_t term_bytes_max_;
  bool has_head_ = false;
  bool has_vars_ = false;
  bool has_results_ = false;
  bool has_boolean_ = false;
  bool has_kept_rows_ = false;  // results before the head
};

}  // namespace

Result<void> read_json_results(rdf::InputWindow& window, const OpContext& context,
                               SolutionSink& sink) {
  return JsonResultsReader(window, context, sink).read();
}

}  // namespace helve::sparql
