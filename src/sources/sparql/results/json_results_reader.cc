// Results in JSON, as a stream. https://www.w3.org/TR/sparql11-results-json/
#include <fmt/core.h>

#include "sources/rdf/xml_names.h"
#include "sources/sparql/results/json_cursor.h"
#include "sources/sparql/results/result_readers.h"
#include "sources/sparql/results/solution_row.h"

namespace helve::sparql {

namespace {

constexpr const char* kTripleTerm = "a term is a triple";
constexpr const char* kTripleHint = "terms that are triples (RDF 1.2) are not supported";

class JsonResultsReader {
 public:
  JsonResultsReader(rdf::InputWindow& window, const OpContext& context, SolutionSink& sink)
      : json_(window, std::string(kResultsDocument), context), row_(context, sink), sink_(sink) {}

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
    return json_.array([this] {
      const bool read = json_.object([this](std::string_view key) { return binding(key); });
      return read && send(has_kept_rows_ ? row_.keep() : row_.send());
    });
  }

  bool binding(std::string_view variable) {
    if (json_.peek() == 'n') return json_.null();  // some say so of what is unbound
    auto column = row_.find_column(variable);
    if (!column) {
      if (!has_kept_rows_) return accept(undeclared(variable), json_.at());
      if (!accept(row_.add_column(variable), json_.at())) return false;
      column = row_.names().size() - 1;
    }
    if (row_.is_bound(*column)) {
      return json_.fail(json_.at(), fmt::format("the variable {} is bound twice in this row",
                                                rdf::excerpt(variable)));
    }
    if (!term()) return false;
    auto made = term_.to_term();
    if (!made) return json_.fail_with(json_.at(), std::move(made).error());
    return send(row_.bind(*column, *made));
  }

  bool term() {
    term_.clear();
    bool has_value = false;
    const bool read = json_.object([this, &has_value](std::string_view key) {
      if (key == "value") {
        has_value = true;
        if (json_.peek() == '{') return json_.fail(json_.at(), kTripleTerm, kTripleHint);
        return json_.string(term_.value);
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
  WrittenTerm term_;
  std::string name_;
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
