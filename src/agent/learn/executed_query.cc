#include "agent/learn/executed_query.h"

#include "toolkit/learning/leak_check.h"

namespace helve::agent {

Result<learning::QueryPattern> pattern_of(std::string_view query, const TaskCase& task,
                                          const LessonOrigin& origin) {
  learning::GeneraliseOptions options;
  options.prefixes = origin.prefixes;
  options.numbers = learning::numbers_in(task.question);
  if (task.language == learning::QueryLanguage::Sql) {
    return learning::generalise_sql(query, origin.dialect, options);
  }
  return learning::generalise_sparql(query, options);
}

learning::Executed executed_of(const JudgedRun& run, const TaskCase& task,
                               const LessonOrigin& origin) {
  learning::Executed executed;
  executed.query = run.result.query;
  executed.language = task.language;
  executed.dialect = origin.dialect;
  executed.domain = origin.domain;
  executed.schema_fingerprint = origin.schema_fingerprint;
  executed.prefixes = origin.prefixes;
  executed.run = run.run;
  executed.query_hash = run.judgment.query_hash;
  if (run.judgment.comparison) executed.rows = run.judgment.comparison->rows;
  for (const Evidence& evidence : run.result.evidence) {
    if (evidence.query != run.result.query) continue;
    executed.rows = evidence.rows;
    executed.handle = evidence.handle;
    if (executed.query_hash.empty()) executed.query_hash = evidence.query_hash;
  }
  return executed;
}

}  // namespace helve::agent
