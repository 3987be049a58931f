// A lesson of a query that was executed: an item whose text has the pattern of the query and
// nothing of the question. consolidate.h keeps many of them in order, verify.h tries them again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "toolkit/learning/generalise.h"
#include "toolkit/memory/item.h"

namespace helve::learning {

struct Executed {
  std::string query;
  QueryLanguage language = QueryLanguage::Sparql;
  SqlDialect dialect = SqlDialect::Sqlite;  // of SQL
  std::string domain;                       // the name of the source
  std::string schema_fingerprint;           // fingerprint.h; empty: not known
  PrefixList prefixes;                      // of the source
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  double ms = 0;
  std::string handle;      // of the rows
  std::string query_hash;  // may be empty
  std::string run;         // which one; may be empty
};

enum class Verdict : std::uint8_t { None, Correct, Partial, Incorrect };
std::string_view name_of(Verdict verdict);  // "correct"; "" for None
std::optional<Verdict> verdict_of(std::string_view name);

// That something ran without error is none.
struct Judgment {
  Verdict verdict = Verdict::None;
  bool is_verified = false;  // compared with a known answer, or looked at by a person
  std::string by;            // who judged
};

struct Failure {
  std::string kind;     // in a word: "limit_exceeded", "empty", "too_heavy"
  std::string message;  // of a server: data
  std::string hint;     // what was found out about it; may be empty
};

// All items pass memory::check_item and have their ids. Their figures are in words and coarse, so
// that the same lesson learnt twice is the same item. Errors: InvalidInput where the query cannot
// be read, where a constant of the task would stay in the text, and where there is nothing to
// learn.

// Active only with a verdict of Correct that is verified; quarantined otherwise.
Result<memory::Item> lesson_of_success(const Executed& executed, std::string_view task,
                                       const Judgment& judgment);
// The same as a bare pattern (ItemSource::Pattern), always quarantined: nobody has judged it.
Result<memory::Item> pattern_lesson(const Executed& executed);
// What to avoid. A query that cannot be parsed is left out of it. Messages are one bounded line,
// without secrets and without constants. Active as above, with a verified verdict of Incorrect.
Result<memory::Item> lesson_of_failure(const Executed& executed, std::string_view task,
                                       const Failure& failure, const Judgment& judgment = {});

// The query that an item remembers: the first block of its content that is marked as SPARQL or SQL,
// or all of it where that is a SPARQL query.
struct RememberedQuery {
  QueryLanguage language = QueryLanguage::Sparql;
  std::string text;
};
std::optional<RememberedQuery> remembered_query(const memory::Item& item);

}  // namespace helve::learning
