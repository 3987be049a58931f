#include "toolkit/learning/generalise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/learning/pattern_words.h"
#include "toolkit/learning/schema_roles.h"
#include "toolkit/learning/shown_names.h"
#include "toolkit/learning/variable_names.h"

namespace helve::learning {

namespace {

using sparql::Constant;
using sparql::Expression;
using sparql::Function;
using sparql::Pattern;
using sparql::Variable;

bool is_language_tag(std::string_view text) {
  constexpr std::size_t kTagMax = 12;
  return text.size() <= kTagMax && std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter(c) || c == '-' || c == '*';
         });
}

SlotKind kind_of(const rdf::Term& term) {
  if (term.kind == rdf::TermKind::Iri) return SlotKind::Entity;
  if (term.datatype.empty()) return SlotKind::Text;
  const bool is_number = term.datatype == rdf::kXsdInteger || term.datatype == rdf::kXsdDecimal ||
                         term.datatype == rdf::kXsdDouble || term.datatype == rdf::kXsdFloat;
  return is_number ? SlotKind::Number : SlotKind::Value;
}

bool compares(Function function) {
  return function == Function::Equal || function == Function::NotEqual ||
         function == Function::In || function == Function::NotIn || function == Function::SameTerm;
}

// Changes a query in place.
class Lifter {
 public:
  Lifter(sparql::Query& query, const std::vector<std::string>& numbers)
      : query_(query), numbers_(numbers), variables_(query) {}

  void run() {
    query_.base_iri.clear();
    sparql::for_each_pattern(query_.body().where, [this](const Pattern& pattern) {
      if (const auto* values = pattern.if_is<sparql::Values>()) find_given(*values);
      const auto* inner = pattern.if_is<sparql::SubSelect>();
      if (inner != nullptr && inner->select->body.values) find_given(*inner->select->body.values);
    });
    if (query_.body().values) find_given(*query_.body().values);
    std::visit([this](auto& form) { this->lift(form); }, query_.form);
    for (const sparql::DatasetGraph& graph : query_.dataset) keep(graph.iri);
  }

  std::vector<std::string> classes, properties;  // IRIs, in order
  std::set<std::string> kept;                    // all IRIs that stay
  std::vector<Slot> slots;

 private:
  static void note(std::vector<std::string>& names, const std::string& iri) {
    if (std::find(names.begin(), names.end(), iri) == names.end()) names.push_back(iri);
  }
  void keep(const std::string& iri) {
    if (!iri.empty()) kept.insert(iri);
  }
  void keep_class(const std::string& iri) {
    keep(iri);
    note(classes, iri);
  }
  void keep_property(const std::string& iri) {
    if (iri == rdf::kRdfType) return;  // is written "a"
    keep(iri);
    note(properties, iri);
  }

  std::size_t new_slot(std::string_view form, SlotKind kind) {
    const std::size_t number = ++numbered_;
    slots.push_back({fmt::format(fmt::runtime(form), number), kind, {}});
    return slots.size() - 1;
  }

  // The same constant is the same slot; those in expressions are texts, which stand anywhere.
  const std::string& slot_of(const rdf::Term& term, bool is_in_expression) {
    const auto key = std::pair(rdf::to_ntriples(term.view()), is_in_expression);
    const auto known = slots_of_.find(key);
    if (known != slots_of_.end()) return slots[known->second].mark;
    const std::size_t place = new_slot(is_in_expression ? "\"SLOT{}\"" : "?slot{}", kind_of(term));
    slots[place].constants.push_back(term.value);
    slots_of_.emplace(key, place);
    return slots[place].mark;
  }

  void rename(Variable& variable) {
    const auto given = given_.find(variable.name);
    if (given != given_.end() && !given->second.is_named) {
      const std::size_t place = new_slot("?slot{}", SlotKind::Given);
      slots[place].constants = given->second.constants;
      variables_.set(variable.name, slots[place].mark.substr(1));
      given->second.is_named = true;
    }
    variable.name = variables_.of(variable.name);
  }

  bool is_kept(const rdf::Term& term, Role role) {
    if (term.kind == rdf::TermKind::Literal) return term.datatype == rdf::kXsdBoolean;
    switch (role) {
      case Role::Class:
        keep_class(term.value);
        return true;
      case Role::Property:
        keep_property(term.value);
        return true;
      case Role::ClassOrEntity:
        if (is_accession(term.value)) return false;
        keep_class(term.value);
        return true;
      case Role::Entity:
        break;
    }
    const bool is_plain = term.value == rdf::kRdfNil || term.value.starts_with(rdf::kXsd);
    if (is_plain) keep(term.value);
    return is_plain;
  }

  void lift(sparql::TermPattern& term, Role role) {
    if (auto* variable = std::get_if<Variable>(&term)) return rename(*variable);
    const auto* constant = std::get_if<Constant>(&term);
    if (constant == nullptr || is_kept(constant->term, role)) return;
    term = Variable{slot_of(constant->term, false).substr(1), constant->span};
  }

  void keep_path(const sparql::Path& path) {
    if (path.parts.empty()) return keep_property(path.iri);
    for (const sparql::Path& part : path.parts) keep_path(part);
  }

  void lift(sparql::TriplePattern& triple) {
    const Roles roles = roles_of(triple);
    lift(triple.subject, roles.subject);
    if (auto* variable = std::get_if<Variable>(&triple.predicate)) rename(*variable);
    if (const auto* constant = std::get_if<Constant>(&triple.predicate)) {
      keep_property(constant->term.value);
    }
    if (const auto* path = std::get_if<sparql::Path>(&triple.predicate)) keep_path(*path);
    lift(triple.object, roles.object);
  }

  // What the constants beside this argument are.
  Role role_beside(const Expression& argument) const {
    const auto* variable = argument.if_is<Variable>();
    if (variable == nullptr) return Role::Entity;
    if (variables_.is_class(variable->name)) return Role::Class;
    return variables_.is_property(variable->name) ? Role::Property : Role::Entity;
  }

  static bool is_language(const Expression& argument) {
    const auto* operation = argument.if_is<sparql::Operation>();
    return operation != nullptr && operation->function == Function::Lang;
  }

  // Flags of REGEX and REPLACE, and what a language is compared with.
  static bool keeps_text(const sparql::Operation& operation, std::size_t place) {
    const auto* constant = operation.arguments[place].if_is<Constant>();
    if (constant == nullptr || !is_language_tag(constant->term.value)) return false;
    if (operation.function == Function::Regex) return place == 2;
    if (operation.function == Function::Replace) return place == 3;
    return (compares(operation.function) || operation.function == Function::LangMatches) &&
           std::any_of(operation.arguments.begin(), operation.arguments.end(), is_language);
  }

  void lift(sparql::Operation& operation) {
    Role role = Role::Entity;
    if (compares(operation.function)) {
      for (const Expression& argument : operation.arguments) {
        if (const Role beside = role_beside(argument); beside != Role::Entity) role = beside;
      }
    }
    for (std::size_t i = 0; i < operation.arguments.size(); ++i) {
      if (!keeps_text(operation, i)) lift(operation.arguments[i], role);
    }
  }

  void lift(Expression& expression, Role role = Role::Entity) {
    if (auto* variable = std::get_if<Variable>(&expression.node)) return rename(*variable);
    if (auto* constant = std::get_if<Constant>(&expression.node)) {
      if (is_kept(constant->term, role)) return;
      const std::string& mark = slot_of(constant->term, true);
      constant->term =
          rdf::Term(rdf::TermView::literal(std::string_view(mark).substr(1, mark.size() - 2)));
      return;
    }
    if (auto* operation = std::get_if<sparql::Operation>(&expression.node)) return lift(*operation);
    if (auto* call = std::get_if<sparql::Call>(&expression.node)) {
      keep(call->iri);
      for (Expression& argument : call->arguments) lift(argument);
    } else if (auto* aggregate = std::get_if<sparql::Aggregate>(&expression.node)) {
      constexpr std::size_t kSeparatorMax = 3;
      if (aggregate->separator && aggregate->separator->size() > kSeparatorMax) {
        aggregate->separator.reset();
      }
      for (Expression& argument : aggregate->argument) lift(argument);
    } else if (auto* exists = std::get_if<sparql::Exists>(&expression.node)) {
      lift(*exists->pattern);
    }
  }

  // Values for classes and properties are a part of the pattern; all others are the question's.
  bool is_of_schema(const sparql::Values& values) const {
    const bool has_roles = std::all_of(
        values.variables.begin(), values.variables.end(), [&](const Variable& variable) {
          return variables_.is_class(variable.name) || variables_.is_property(variable.name);
        });
    return has_roles && std::all_of(values.rows.begin(), values.rows.end(), [](const auto& row) {
             return std::all_of(row.begin(), row.end(), [](const auto& cell) {
               return !cell || cell->kind == rdf::TermKind::Iri;
             });
           });
  }

  // Variables whose values go are slots wherever they stand, before VALUES too.
  void find_given(const sparql::Values& values) {
    constexpr std::size_t kConstantsMax = 1'000;
    if (is_of_schema(values)) return;
    for (std::size_t i = 0; i < values.variables.size(); ++i) {
      Given& given = given_[values.variables[i].name];
      for (const auto& row : values.rows) {
        if (!row[i] || given.constants.size() == kConstantsMax) continue;
        given.constants.push_back(row[i]->value);
      }
    }
  }

  // False: they go.
  bool lift(sparql::Values& values) {
    const bool stays = is_of_schema(values);
    for (std::size_t i = 0; i < values.variables.size(); ++i) {
      Variable& variable = values.variables[i];
      const bool is_class = variables_.is_class(variable.name);
      for (const auto& row : values.rows) {
        if (!stays || !row[i]) continue;
        is_class ? keep_class(row[i]->value) : keep_property(row[i]->value);
      }
      rename(variable);
    }
    return stays;
  }

  void lift(std::variant<Variable, Constant>& name) {
    if (auto* variable = std::get_if<Variable>(&name)) return rename(*variable);
    keep(std::get<Constant>(name).term.value);
  }

  void lift_parts(std::vector<Pattern>& parts) {
    for (Pattern& part : parts) lift(part);
  }

  // Without the parts that say nothing any more.
  void lift(sparql::Join& join, Pattern& whole) {
    lift_parts(join.parts);
    std::erase_if(join.parts, [](const Pattern& part) { return part.is_unit(); });
    if (join.parts.size() > 1) return;
    Pattern left = join.parts.empty() ? Pattern() : std::move(join.parts.front());
    whole = std::move(left);
  }

  void lift(Pattern& pattern) {
    if (auto* triples = std::get_if<sparql::BasicGraphPattern>(&pattern.node)) {
      for (sparql::TriplePattern& triple : triples->triples) lift(triple);
    } else if (auto* join = std::get_if<sparql::Join>(&pattern.node)) {
      lift(*join, pattern);
    } else if (auto* optional = std::get_if<sparql::LeftJoin>(&pattern.node)) {
      lift(*optional->left);
      lift(*optional->right);
      for (Expression& condition : optional->conditions) lift(condition);
    } else if (auto* either = std::get_if<sparql::Union>(&pattern.node)) {
      lift_parts(either->parts);
    } else if (auto* minus = std::get_if<sparql::Minus>(&pattern.node)) {
      lift(*minus->left);
      lift(*minus->right);
    } else if (auto* filter = std::get_if<sparql::Filter>(&pattern.node)) {
      lift(*filter->inner);
      for (Expression& condition : filter->conditions) lift(condition);
    } else if (auto* extend = std::get_if<sparql::Extend>(&pattern.node)) {
      lift(*extend->inner);
      lift(*extend->expression);
      rename(extend->variable);
    } else if (auto* values = std::get_if<sparql::Values>(&pattern.node)) {
      if (!lift(*values)) pattern = Pattern();
    } else if (auto* graph = std::get_if<sparql::Graph>(&pattern.node)) {
      lift(graph->name);
      lift(*graph->inner);
    } else if (auto* service = std::get_if<sparql::Service>(&pattern.node)) {
      lift(service->endpoint);
      lift(*service->inner);
    } else if (auto* inner = std::get_if<sparql::SubSelect>(&pattern.node)) {
      lift(*inner->select);
    }
  }

  void lift(std::optional<std::uint64_t>& rows) {
    if (!rows ||
        std::find(numbers_.begin(), numbers_.end(), fmt::format("{}", *rows)) == numbers_.end()) {
      return;
    }
    rows.reset();
    slots.push_back({"LIMIT", SlotKind::Number, {}});
  }

  void lift(sparql::Body& body) {
    lift(body.where);
    if (body.values && !lift(*body.values)) body.values.reset();
    for (sparql::GroupKey& key : body.group_by) {
      lift(key.expression);
      if (key.name) rename(*key.name);
    }
    for (Expression& condition : body.having) lift(condition);
    for (sparql::OrderKey& key : body.order_by) lift(key.expression);
    lift(body.limit);
    body.offset.reset();
  }

  void lift(sparql::Select& select) {
    lift(select.body);
    for (sparql::SelectItem& item : select.items) {
      if (item.expression) lift(*item.expression);
      rename(item.variable);
    }
  }
  void lift(sparql::Ask& form) { lift(form.body); }
  void lift(sparql::Construct& form) {
    lift(form.body);
    for (sparql::TriplePattern& triple : form.triples) lift(triple);
  }
  void lift(sparql::Describe& form) {
    lift(form.body);
    for (auto& target : form.targets) {
      if (auto* variable = std::get_if<Variable>(&target)) {
        rename(*variable);
      } else {
        target = Variable{slot_of(std::get<Constant>(target).term, false).substr(1), {}};
      }
    }
  }

  struct Given {
    std::vector<std::string> constants;
    bool is_named = false;
  };

  sparql::Query& query_;
  const std::vector<std::string>& numbers_;
  VariableNames variables_;
  std::map<std::string, Given> given_;  // variables of VALUES, by their old names
  std::map<std::pair<std::string, bool>, std::size_t> slots_of_;
  std::size_t numbered_ = 0;
};

}  // namespace

std::string_view name_of(QueryLanguage language) {
  return language == QueryLanguage::Sparql ? "sparql" : "sql";
}

std::string_view name_of(SlotKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"an entity", "a text", "a number", "a value",
                                                      "given values"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view number_word(std::size_t number) {
  constexpr std::array<std::string_view, 13> kWords = {"no",   "one",    "two",   "three", "four",
                                                       "five", "six",    "seven", "eight", "nine",
                                                       "ten",  "eleven", "twelve"};
  return number < kWords.size() ? kWords[number] : "many";
}

Result<QueryPattern> generalise_sparql(std::string_view query, const GeneraliseOptions& options) {
  sparql::ParseOptions parsing;
  parsing.known_prefixes = options.prefixes;
  parsing.limits = options.limits;
  HELVE_ASSIGN(sparql::ParsedQuery parsed, sparql::parse_query(query, parsing));
  Lifter lifter(parsed.query, options.numbers);
  lifter.run();
  const ShownNames names(lifter.kept, {&options.prefixes, &parsed.query.prefixes});
  QueryPattern pattern;
  pattern.classes = names.shown(lifter.classes);
  pattern.properties = names.shown(lifter.properties);
  parsed.query.prefixes = names.prefixes();
  pattern.text = sparql::to_sparql(parsed.query);
  PatternWords words = words_of(parsed.query, pattern.classes, pattern.properties);
  pattern.words = std::move(words.text);
  pattern.is_counting = words.is_counting;
  pattern.slots = std::move(lifter.slots);
  pattern.names.assign(lifter.kept.begin(), lifter.kept.end());
  for (const auto& [name, iri] : names.prefixes()) pattern.names.push_back(iri);
  return pattern;
}

}  // namespace helve::learning
