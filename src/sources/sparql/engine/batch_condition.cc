#include "sources/sparql/engine/batch_condition.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sources/rdf/inline_value.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/string_functions.h"

namespace helve::sparql {

namespace {

using Kind = ConditionStep::Kind;
using RowNumbers = std::span<const std::uint32_t>;
using rdf::Tag;

constexpr std::size_t kMemoIds = 4'096;
// Each has room of its own.
constexpr std::size_t kMemosMax = 16;

Truth to_truth(std::optional<bool> truth) {
  if (!truth) return Truth::Error;
  return *truth ? Truth::True : Truth::False;
}

Truth truth_if(bool is_true) { return is_true ? Truth::True : Truth::False; }

// Where one instant has several ids, they differ in the lowest bits.
int bits_beside_value(Tag tag) { return tag == Tag::DateTimeZoned ? rdf::kZoneBits : 0; }

// Calls `body` with the comparison as a function of two numbers, so that its loop has no branch
// for it.
template <typename Body>
void with_comparison(Function comparison, const Body& body) {
  switch (comparison) {
    case Function::Less:
      return body([](std::uint64_t a, std::uint64_t b) { return a < b; });
    case Function::LessEqual:
      return body([](std::uint64_t a, std::uint64_t b) { return a <= b; });
    case Function::Greater:
      return body([](std::uint64_t a, std::uint64_t b) { return a > b; });
    case Function::GreaterEqual:
      return body([](std::uint64_t a, std::uint64_t b) { return a >= b; });
    case Function::NotEqual:
      return body([](std::uint64_t a, std::uint64_t b) { return a != b; });
    default:
      return body([](std::uint64_t a, std::uint64_t b) { return a == b; });
  }
}

Truth by_tag(const TruthByTag& truths, Id id) { return truths[static_cast<std::size_t>(id.tag())]; }

template <typename Test>
void for_ids(const std::vector<Id>& ids, RowNumbers rows, std::vector<Truth>& truths,
             const Test& test) {
  truths.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) truths[i] = test(ids[rows[i]]);
}

void compare_with_constant(const ConditionStep& step, const std::vector<Id>& ids, RowNumbers rows,
                           std::vector<Truth>& truths) {
  const int shift = bits_beside_value(step.constant.tag());
  const std::uint64_t constant = step.constant.bits() >> shift;
  const Tag tag = step.constant.tag();
  with_comparison(step.comparison, [&](const auto& compare) {
    for_ids(ids, rows, truths, [&](Id id) {
      return id.tag() == tag ? truth_if(compare(id.bits() >> shift, constant))
                             : by_tag(step.others, id);
    });
  });
}

void look_for_one_of(const ConditionStep& step, const std::vector<Id>& ids, RowNumbers rows,
                     std::vector<Truth>& truths) {
  const std::vector<Id>& listed = step.node->listed;
  for_ids(ids, rows, truths, [&](Id id) {
    const bool is_listed = std::binary_search(listed.begin(), listed.end(), id);
    return by_tag(is_listed ? step.same : step.others, id);
  });
}

// = of two ids, neither undefined, as far as they tell.
Truth equal_ids(Id a, Id b) {
  const auto is_node = [](Id id) { return id.tag() == Tag::Iri || id.tag() == Tag::Blank; };
  if (a == b) return a.is_inlined() || a.tag() < Tag::TypedLiteral ? Truth::True : Truth::Unknown;
  if (is_node(a) || is_node(b)) return Truth::False;
  if (a.tag() != b.tag()) return Truth::Unknown;
  if (a.tag() == Tag::String) return Truth::False;
  if (!a.is_inlined()) return Truth::Unknown;
  const int shift = bits_beside_value(a.tag());
  return truth_if(a.bits() >> shift == b.bits() >> shift);
}

template <typename Test>
void for_pairs(const Batch& batch, const ConditionStep& step, RowNumbers rows,
               std::vector<Truth>& truths, const Test& test) {
  const std::vector<Id>& left = batch.columns[step.column];
  const std::vector<Id>& right = batch.columns[step.other_column];
  truths.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Id a = left[rows[i]];
    const Id b = right[rows[i]];
    truths[i] = a.is_defined() && b.is_defined() ? test(a, b) : Truth::Error;
  }
}

void compare_columns(const Batch& batch, const ConditionStep& step, RowNumbers rows,
                     std::vector<Truth>& truths) {
  if (step.is_same_term) {
    for_pairs(batch, step, rows, truths, [](Id a, Id b) { return truth_if(a == b); });
  } else if (step.comparison == Function::Equal) {
    for_pairs(batch, step, rows, truths, equal_ids);
  } else if (step.comparison == Function::NotEqual) {
    for_pairs(batch, step, rows, truths, [](Id a, Id b) {
      const Truth truth = equal_ids(a, b);
      return truth == Truth::Unknown ? truth : truth_if(truth == Truth::False);
    });
  } else {
    with_comparison(step.comparison, [&](const auto& compare) {
      for_pairs(batch, step, rows, truths, [&](Id a, Id b) {
        if (a.tag() != b.tag() || !a.is_inlined()) return Truth::Unknown;
        const int shift = bits_beside_value(a.tag());
        return truth_if(compare(a.bits() >> shift, b.bits() >> shift));
      });
    });
  }
}

// What, beside the tag, is all that LANG and DATATYPE look at; nullopt: look closer.
std::optional<std::string_view> qualifier_of(Id id, const ConditionStep& step,
                                             const Snapshot& snapshot) {
  switch (id.tag()) {
    case Tag::Delta:
    case Tag::Local:
      return std::nullopt;
    case Tag::LangString:
      // The datatype depends on the direction too.
      if (step.asks_datatype) return std::nullopt;
      return snapshot.qualifier(id);
    case Tag::TypedLiteral:
      return snapshot.qualifier(id);
    default:
      return "";
  }
}

}  // namespace

BatchCondition::BatchCondition(const BoundExpression::Node& node, EvaluationContext& context)
    : context_(context), root_(make_condition_step(node, context)) {}

std::size_t BatchCondition::keep_true(const Batch& batch, std::span<std::uint32_t> rows) {
  batch_ = &batch;
  const std::size_t known = run(root_, rows, truths_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < known; ++i) {
    rows[kept] = rows[i];
    kept += truths_[i] == Truth::True ? 1 : 0;
  }
  if (failure_) context_.fail(*std::exchange(failure_, std::nullopt));
  return kept;
}

bool BatchCondition::has_failed() {
  if (!context_.failure()) return false;
  failure_ = context_.take_failure();
  return true;
}

std::size_t BatchCondition::run(ConditionStep& step, RowNumbers rows, std::vector<Truth>& truths) {
  const auto column = [&]() -> const std::vector<Id>& { return batch_->columns[step.column]; };
  switch (step.kind) {
    case Kind::And:
    case Kind::Or:
      return run_logical(step, rows, truths);
    case Kind::Not: {
      const std::size_t known = run(step.parts[0], rows, truths);
      for (Truth& truth : truths) {
        if (truth <= Truth::True) truth = truth_if(truth == Truth::False);
      }
      return known;
    }
    case Kind::Constant:
      return run_constant(step, rows, truths);
    case Kind::ByQualifier:
      return run_by_qualifier(step, rows, truths);
    case Kind::ByTag:
      for_ids(column(), rows, truths, [&](Id id) { return by_tag(step.others, id); });
      break;
    case Kind::EqualId:
      for_ids(column(), rows, truths,
              [&](Id id) { return by_tag(id == step.constant ? step.same : step.others, id); });
      break;
    case Kind::OrderId:
      compare_with_constant(step, column(), rows, truths);
      break;
    case Kind::OneOf:
      look_for_one_of(step, column(), rows, truths);
      break;
    case Kind::Columns:
      compare_columns(*batch_, step, rows, truths);
      break;
    case Kind::Text:
    case Kind::Row:
      truths.assign(rows.size(), Truth::Unknown);
      break;
  }
  return settle(step, rows, truths);
}

// Each part looks at the rows that those before it have not settled.
std::size_t BatchCondition::run_logical(ConditionStep& step, RowNumbers rows,
                                        std::vector<Truth>& truths) {
  const Truth settling = step.kind == Kind::Or ? Truth::True : Truth::False;
  std::size_t known = run(step.parts[0], rows, truths);
  std::vector<std::uint32_t> open;
  std::vector<std::uint32_t> places;  // among `rows`
  std::vector<Truth> found;
  for (std::size_t part = 1; part < step.parts.size(); ++part) {
    open.clear();
    places.clear();
    for (std::size_t i = 0; i < known; ++i) {
      if (truths[i] == settling) continue;
      open.push_back(rows[i]);
      places.push_back(static_cast<std::uint32_t>(i));
    }
    if (open.empty()) break;
    const std::size_t decided = run(step.parts[part], open, found);
    for (std::size_t i = 0; i < decided; ++i) {
      if (found[i] == settling || found[i] == Truth::Error) truths[places[i]] = found[i];
    }
    if (decided == open.size()) continue;
    // Rows before the one that failed still have a truth, and may yet fail themselves.
    known = places[decided];
  }
  return known;
}

std::size_t BatchCondition::run_constant(ConditionStep& step, RowNumbers rows,
                                         std::vector<Truth>& truths) {
  if (!step.known && !rows.empty()) {
    const Truth truth = compute(step, rows[0]);
    if (has_failed()) return 0;
    step.known = truth;
  }
  truths.assign(rows.size(), step.known.value_or(Truth::Error));
  return rows.size();
}

std::size_t BatchCondition::run_by_qualifier(ConditionStep& step, RowNumbers rows,
                                             std::vector<Truth>& truths) {
  constexpr std::size_t kFoundMax = 64;
  const Snapshot& snapshot = context_.terms().snapshot();
  const std::vector<Id>& ids = batch_->columns[step.column];
  std::size_t last = 0;
  truths.assign(rows.size(), Truth::Unknown);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Id id = ids[rows[i]];
    const auto qualifier = qualifier_of(id, step, snapshot);
    if (!qualifier) continue;
    const auto is_it = [&](const ConditionStep::QualifierTruth& found) {
      return found.tag == id.tag() && found.qualifier == *qualifier;
    };
    if (last >= step.found.size() || !is_it(step.found[last])) {
      last = static_cast<std::size_t>(std::find_if(step.found.begin(), step.found.end(), is_it) -
                                      step.found.begin());
    }
    if (last == step.found.size()) {
      if (last == kFoundMax) continue;
      const Truth truth = compute(step, rows[i]);
      if (has_failed()) return settle(step, rows.first(i), truths);
      step.found.push_back({id.tag(), std::string(*qualifier), truth});
    }
    truths[i] = step.found[last].truth;
  }
  return settle(step, rows, truths);
}

std::size_t BatchCondition::settle(ConditionStep& step, RowNumbers rows,
                                   std::vector<Truth>& truths) {
  constexpr std::size_t kWorthRemembering = 16;
  if (step.has_one_column && !step.memo && memos_ < kMemosMax && rows.size() >= kWorthRemembering &&
      std::find(truths.begin(), truths.end(), Truth::Unknown) != truths.end()) {
    make_memo(step);
    if (has_failed()) return 0;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (truths[i] != Truth::Unknown) continue;
    truths[i] = step.memo ? look_up(step, rows[i]) : compute(step, rows[i]);
    if (has_failed()) return i;
  }
  return rows.size();
}

void BatchCondition::make_memo(ConditionStep& step) {
  MemoryCharge charge(*context_.op().memory, "FILTER");
  if (auto charged = charge.add(kMemoIds * (sizeof(Id) + sizeof(Truth))); !charged) {
    context_.fail(std::move(charged).error());
    return;
  }
  ++memos_;
  step.memo = {std::move(charge), std::vector<Id>(kMemoIds),
               std::vector<Truth>(kMemoIds, Truth::Unknown)};
}

Truth BatchCondition::look_up(ConditionStep& step, std::uint32_t row) {
  const Id id = batch_->at(step.column, row);
  if (!id.is_defined()) return compute(step, row);
  const std::uint64_t hash = (id.bits() ^ (id.bits() >> 29)) * 0x9E3779B97F4A7C15;
  const std::size_t place = (hash >> 40) % kMemoIds;
  if (step.memo->ids[place] == id) return step.memo->truths[place];
  const Truth truth = compute(step, row);
  if (context_.failure()) return truth;
  step.memo->ids[place] = id;
  step.memo->truths[place] = truth;
  return truth;
}

Truth BatchCondition::compute(const ConditionStep& step, std::uint32_t row) {
  if (step.kind == Kind::Text) return test_text(step, batch_->at(step.column, row));
  return to_truth(sparql::truth_of(*step.node, {*batch_, row, context_}));
}

// As call_function() does it, without values in between.
Truth BatchCondition::test_text(const ConditionStep& step, Id id) {
  if (!id.is_defined() || (id.is_inlined() && !step.is_of_str)) return Truth::Error;
  const rdf::TermView term = context_.terms().term(id, scratch_);
  if (step.is_of_str) {
    if (term.is_blank() || !may_make_text(term.value.size(), context_)) return Truth::Error;
  } else if (!term.is_literal() || !term.datatype.empty()) {
    return Truth::Error;
  }
  if (!context_.spend(term.value.size() + step.text.size())) return Truth::Error;
  switch (step.node->function) {
    case Function::StrStarts:
      return truth_if(term.value.starts_with(step.text));
    case Function::StrEnds:
      return truth_if(term.value.ends_with(step.text));
    case Function::Contains:
      return truth_if(find_text(term.value, step.text) != std::string_view::npos);
    default:
      return to_truth(test_regex(term.value, *step.node->regex, context_));
  }
}

}  // namespace helve::sparql
