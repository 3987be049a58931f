#include "toolkit/learning/seeds.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/check.h"

namespace helve::learning {

namespace {

struct Seed {
  std::string_view title;
  std::string_view desc;
  std::string_view content;
  std::string_view tags;  // with spaces between them
};

constexpr Seed kSeeds[] = {
    {"Look at the ontology before writing SPARQL",
     "Use at the start of work on an unknown graph; not when its classes are known already.",
     "List the largest classes and the properties of the one that the question is about. Only "
     "then write a query, with names that were seen there. Guessed IRIs are the commonest cause "
     "of empty answers: sparql_find looks names up by their labels.",
     "sparql ontology discovery schema"},
    {"Bind predicates instead of asking for everything",
     "Use whenever a triple pattern would have a variable predicate; not for describing one "
     "known thing.",
     "?s ?p ?o touches every statement. Name the predicate, or at least a class or the subject. "
     "To find out which predicates there are, ask the schema, not the data.",
     "sparql predicate cost guardrail"},
    {"Do not filter strings over a whole graph",
     "Use when a name or label is searched for; not after an exact pattern has left few rows.",
     "FILTER(CONTAINS(...)) and REGEX read every string that reaches them. Narrow by class and "
     "property first, look the name up with sparql_find, or match the exact literal.",
     "sparql filter regex contains guardrail"},
    {"Search text with the index of the endpoint",
     "Use for words in labels on a large remote endpoint; not where it tells of no text index.",
     "Many engines have a full-text index of their own, asked by a special predicate or "
     "service. endpoint_info tells which one. It answers in milliseconds what REGEX cannot "
     "answer in minutes.",
     "sparql endpoint fulltext search"},
    {"Check the direction of properties on empty results",
     "Use when a join of known classes and properties gives no rows; not for syntax errors.",
     "A property has one direction in the data: try the triple with subject and object "
     "exchanged, or ^property. Describe one known instance with its incoming links: that shows "
     "which way it goes.",
     "sparql empty direction inverse"},
    {"Check datatypes when a value matches nothing",
     "Use when a literal is known to be in the data and still gives no rows; not for IRIs.",
     "\"5\" and 5 differ, and so do xsd:int and xsd:integer, xsd:date and xsd:dateTime as "
     "terms. Look at one value as it is stored, then compare with a typed literal or in FILTER "
     "by value.",
     "sparql empty datatype literal"},
    {"Mind the language tag of labels",
     "Use when labels are matched or come several times; not for properties without tags.",
     "\"Paris\" without a tag is not \"Paris\"@en. Match with the tag, or FILTER(LANG(?label) = "
     "\"en\"). Without such a filter each translation is a row of its own and counts are too "
     "high.",
     "sparql language label empty"},
    {"Blank nodes cannot be named in later queries",
     "Use when a result has _:b1 and more is wanted of it; not for IRIs.",
     "The label of a blank node holds in its result alone. Reach it again by the path that led "
     "to it: put its patterns and the new ones into one query, or select what identifies it.",
     "sparql blank node"},
    {"Count before exporting a large result",
     "Use before fetching or exporting many rows; not for results that are known to be small.",
     "Ask for COUNT(*) of the same pattern first. It is cheaper than the rows, and tells "
     "whether the pattern multiplies: a count far above the number of things means a join that "
     "repeats them.",
     "count export size"},
    {"Put a LIMIT on queries while exploring",
     "Use while it is not known yet what a pattern gives; not for the final answer, which it "
     "would cut off.",
     "LIMIT 10 shows the form of rows at little cost. Take it away, or count, before anything "
     "is said of all of them: the first rows are no sample.",
     "limit explore sample"},
    {"Keep results as handles and work on them",
     "Use when rows of one query feed the next one; not to read a single value.",
     "All rows are stored behind a handle. result_sql filters, joins and groups them there, and "
     "@results_0.x feeds a column into the next query. Copying identifiers through the prompt "
     "loses and misspells some.",
     "handle result join prompt"},
    {"Use DISTINCT when joins repeat rows",
     "Use when things are listed or counted over several properties; not to hide a wrong join.",
     "Each further property with several values multiplies the rows. COUNT(DISTINCT ?x) counts "
     "things, COUNT(*) counts combinations. If DISTINCT changes a number much, look at the join "
     "first.",
     "distinct duplicate count join"},
    {"Make optional parts OPTIONAL",
     "Use when some things lack a property that is shown; not for properties that select.",
     "A plain triple drops everything that lacks it, without a word. Put what is only shown "
     "into OPTIONAL, after the patterns that select, and filter its values inside of it.",
     "sparql optional missing"},
    {"Inspect the tables before writing SQL",
     "Use at the start of work on an unknown database; not when its tables were read already.",
     "schema_inspect lists tables, then columns, keys and comments of the ones that matter. "
     "Names of columns are guessed wrong more often than not, and codes are explained in "
     "comments or small tables beside.",
     "sql schema table column"},
    {"Join tables on their keys",
     "Use when rows of several tables belong together; not for tables that share a name only.",
     "Join on foreign keys as the schema has them, all columns of a composite key included. "
     "Columns of the same name need not be the same thing. Count the rows before and after: a "
     "join on a key does not multiply the side that has it.",
     "sql join key"},
    {"NULL is equal to nothing in SQL",
     "Use when rows with missing values are compared, counted or left out; not in SPARQL.",
     "x = NULL and x <> 5 are both not true for NULL: write IS NULL, or COALESCE. COUNT(column) "
     "passes over NULL, COUNT(*) does not, and NOT IN a list with NULL gives no rows at all.",
     "sql null missing"},
    {"Group by every column that is not aggregated",
     "Use when sums, averages or counts stand beside other columns; not for one total alone.",
     "A column beside COUNT, SUM or AVG has to be in GROUP BY; some databases take any row "
     "instead of complaining. Conditions on the aggregate belong into HAVING, those on rows "
     "into WHERE.",
     "aggregate group having sum"},
    {"Aggregate before joining other details",
     "Use when a total is joined with a second list of details; not with a single join.",
     "Two one-to-many joins from the same thing multiply each other, and sums become too large. "
     "Aggregate one of them in a subquery first, then join the result.",
     "aggregate subquery join sum"},
};

std::vector<memory::Item> made() {
  std::vector<memory::Item> items;
  for (const Seed& seed : kSeeds) {
    memory::Item item;
    item.title = seed.title;
    item.desc = seed.desc;
    item.content = seed.content;
    item.src = memory::ItemSource::Seed;
    item.tags = split_words(seed.tags);
    item.id = memory::id_of(item);
    HELVE_CHECK(memory::check_item(item).has_value());
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

const std::vector<memory::Item>& seed_items() {
  static const std::vector<memory::Item> items = made();
  return items;
}

Result<memory::AddReport> add_seeds(memory::MemoryRepository& bank, const OpContext& context) {
  return bank.add(seed_items(), context);
}

}  // namespace helve::learning
