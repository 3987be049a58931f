#include "tests/memory/quality/retrieval_cases.h"

#include <algorithm>

#include "base/real_env.h"
#include "base/text.h"
#include "toolkit/learning/extract.h"
#include "toolkit/tasks/task.h"

namespace helve::quality {

namespace {

// Queries of every kind have these: two that share no other have nothing in common. Whole
// vocabularies go that say what all data says: RDF, RDFS, OWL, XSD.
constexpr std::string_view kCommonVocabularies[] = {
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2002/07/owl#",
    "http://www.w3.org/2001/XMLSchema#",
};
constexpr std::string_view kCommonNames[] = {
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://www.w3.org/2004/02/skos/core#notation",
    "http://www.w3.org/2004/02/skos/core#Concept",
    "http://purl.org/dc/terms/identifier",
    "http://purl.org/dc/elements/1.1/identifier",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://purl.org/dc/terms/description",
};

bool is_common(std::string_view name) {
  const auto begins = [&](std::string_view vocabulary) { return name.starts_with(vocabulary); };
  return std::any_of(std::begin(kCommonVocabularies), std::end(kCommonVocabularies), begins) ||
         std::find(std::begin(kCommonNames), std::end(kCommonNames), name) !=
             std::end(kCommonNames);
}

std::string endpoint_of(std::string_view address) {
  const std::size_t scheme = address.find("://");
  if (scheme != std::string_view::npos) address.remove_prefix(scheme + 3);
  while (address.ends_with('/')) address.remove_suffix(1);
  return std::string(address);
}

// Nothing where its query gives no lesson.
std::optional<Case> case_of(const toolkit::Task& task, const PrefixList& prefixes) {
  Case made;
  made.question = task.query;
  if (!task.endpoint.empty()) made.endpoints.insert(endpoint_of(task.endpoint));
  for (const std::string& also : task.also_for) made.endpoints.insert(endpoint_of(also));
  if (made.question.empty() || made.endpoints.empty()) return std::nullopt;
  learning::GeneraliseOptions options;
  options.prefixes = prefixes;
  const auto pattern = learning::generalise_sparql(task.expected_sparql, options);
  if (!pattern) return std::nullopt;
  for (const auto* names : {&pattern->classes, &pattern->properties}) {
    for (const learning::SchemaName& name : *names) {
      if (!is_common(name.name)) made.names.insert(name.name);
    }
  }
  learning::Executed executed;
  executed.query = task.expected_sparql;
  executed.domain = task.id.substr(0, task.id.find('/'));
  executed.prefixes = prefixes;
  executed.rows = 20;
  executed.columns = 2;
  auto lesson = learning::lesson_of_success(executed, task.query,
                                            {learning::Verdict::Correct, true, "an example"});
  if (!lesson) return std::nullopt;
  made.lesson = *std::move(lesson);
  return made;
}

std::string first_words(std::string_view text, std::size_t most) {
  std::string kept;
  for (std::size_t words = 0; words < most && !text.empty(); ++words) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    if (end == 0) break;
    kept += kept.empty() ? "" : " ";
    kept += text.substr(0, end);
    text.remove_prefix(end);
  }
  return kept;
}

std::size_t shared_names(const Case& asked, const Case& other) {
  return static_cast<std::size_t>(
      std::count_if(asked.names.begin(), asked.names.end(),
                    [&](const std::string& name) { return other.names.contains(name); }));
}

bool have_same_endpoint(const Case& asked, const Case& other) {
  return std::any_of(asked.endpoints.begin(), asked.endpoints.end(),
                     [&](const std::string& one) { return other.endpoints.contains(one); });
}

}  // namespace

Result<Cases> read_cases(const std::filesystem::path& folder) {
  HELVE_ASSIGN(const auto examples, toolkit::read_examples(folder, {}, real_env(), {}));
  HELVE_ASSIGN(const auto tasks, toolkit::tasks_of(examples, {}));
  Cases read;
  read.examples = tasks.size();
  for (const toolkit::Task& task : tasks) {
    auto one = case_of(task, examples.prefixes);
    if (one) {
      read.cases.push_back(*std::move(one));
    } else {
      ++read.left_out;
    }
  }
  return read;
}

memory::Item item_of(const Case& one, Wording wording) {
  memory::Item item = one.lesson;
  if (wording == Wording::Named) {
    const memory::ItemLimits limits;
    item.title =
        elide_end(first_words(one.question, limits.title_words_max), limits.title_chars_max);
    item.desc = elide_end(one.question, limits.desc_chars_max);
    item.id = memory::id_of(item);
  }
  return item;
}

bool is_relevant(const Case& asked, const Case& other) {
  return have_same_endpoint(asked, other) && shared_names(asked, other) > 0;
}

bool is_close(const Case& asked, const Case& other) {
  const std::size_t shared = shared_names(asked, other);
  return shared > 0 && have_same_endpoint(asked, other) &&
         2 * shared >= asked.names.size() + other.names.size() - shared;
}

}  // namespace helve::quality
