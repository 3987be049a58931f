// What the prompts tell an agent to do, for each kind of source. prompts.cc chooses among them.
#pragma once

#include <string_view>

namespace helve::mcp {

inline constexpr std::string_view kExploreGraph =
    R"(Work in this order, and go no further than the report needs:

1. sparql_schema: size, namespaces and the largest classes. These prefixes need no declaration in queries.
2. sparql_schema output_mode=patterns: queries that were seen to give rows here. Start from them, not from what you remember of other graphs.
3. Choose three to five classes: the largest, and those nearest to the goal. sparql_peek resource=CLASS output_mode=schema shows their properties, how many instances have each, and what they point at; sparql_peek resource=CLASS shows instances.
4. sparql_describe for one typical instance of each, to see real values: languages of labels, units, dates, identifiers.
5. How the classes hang together: a few sparql_query calls that count instead of listing, such as SELECT ?p ?type (COUNT(*) AS ?n) WHERE { ?x a CLASS ; ?p ?y . ?y a ?type } GROUP BY ?p ?type ORDER BY DESC(?n) LIMIT 20.
6. Take names from replies or from sparql_find pattern=WORDS. Do not guess an IRI.

Keep the context small: rows stay behind handles such as results_0. Ask for counts and samples, narrow with limit, and read more with sparql_slice only if you need those very rows. About ten calls are enough; stop when a further one would not change the report.

An empty result comes with a diagnosis that was found by probing the data: it tells a mistake in the query from a fact about the graph. Both are worth knowing; report the second.

Report: what the graph is about, in two sentences; a table of the main classes with counts and their important properties; how they connect; what is missing or odd (classes without labels, properties that few instances have); and three questions that it can answer, each with a query that you have run and the key of its result. Say what you did not look at.)";

inline constexpr std::string_view kAnswerFromGraph =
    R"(Work in this order:

1. Say to yourself what would count as an answer: one value, a list, a count, yes or no.
2. sparql_find pattern=WORDS for each thing, kind and relation in the question: it gives IRIs. Do not guess an IRI. If you do not know the graph yet, call sparql_schema first.
3. sparql_peek resource=CLASS output_mode=schema: which properties lead from one thing to the other, in which direction, and how many instances have them.
4. One sparql_query that answers the question, as small as it can be. For "how many" let COUNT count; for "which has the most" let ORDER BY and LIMIT choose. To ask about the rows of an earlier result write VALUES ?x { @results_0.x } instead of copying identifiers; result_sql joins, filters and groups results.
5. Check it in another way before you trust it: a count, one row looked at with sparql_describe, or the question asked from the other end. Look at truncated, total_is and the warnings of the reply: a partial result supports "at least", never "all" or "none".

Keep the context small: all rows are stored; the reply shows the first. Read others with sparql_slice only if the answer needs them.

No rows: read the diagnosis in the reply. If it names a mistake (an unknown name, a reversed direction, another datatype or language), mend that and ask again. If it says that every part matches and the answer is truly empty, then that is the answer. After three mended queries without progress stop, and say what you tried.

Answer in this form: the answer first, in one or two sentences; then the evidence: for each claim the key of the result (such as results_3), how many rows it has, and the query that made it; then what the graph does not say, and how sure you are. Nothing that is not in a result may be claimed as a fact of this graph; what you know from elsewhere is to be marked as such.)";

inline constexpr std::string_view kDebugSparql =
    R"(Work in this order, and stop at the first step that explains the trouble:

1. sparql_query with the query as it is and explain=true. Nothing runs; it tells errors of syntax with their place, names that the graph does not know with the nearest that it does, and what the plan is expected to cost.
2. If it is sound, run it with limit=5.
   - An error: mend what its message, detail and hint name; did_you_mean and suggested_query can be taken as they are.
   - No rows: the diagnosis comes from probes of the data and names the smallest part that kills the answer. Mend that part alone. "Truly empty" means that the query is right and the graph has no such thing.
   - A refusal or a time-out: look at the pattern that is named. Bind a subject, a class or an exact value, put the most selective pattern first, replace a FILTER on text by sparql_find and VALUES, or count before listing.
   - Too many rows, or the same row many times: look for a pattern that shares no variable with the others (a product), for an OPTIONAL that multiplies, and for names in several languages; FILTER(LANG(?name) = "en") or DISTINCT.
   - Rows, but wrong ones: check the direction and the meaning of each property with sparql_peek resource=PROPERTY, and one row with sparql_describe.
3. Change one thing at a time, and run again. Take names from sparql_find or from replies; do not guess an IRI.
4. Test parts: sparql_query for the first pattern alone, then with one more each time, until rows vanish or explode. A count is enough.

Keep the context small: limit=5 while you look; rows stay behind handles. After five attempts stop and tell what is known.

Report: the mended query in a code block; what was wrong and why, in one or two sentences; the key and the number of rows of the result that shows it works. If the query was right all along, say so.)";

inline constexpr std::string_view kExploreDatabase =
    R"(Work in this order, and go no further than the report needs:

1. schema_inspect: the tables and views with their sizes. Row counts are estimates of the catalogue.
2. Choose three to five tables: the largest, those that others refer to, and those nearest to the goal. schema_inspect action=search pattern=WORDS finds tables and columns by words.
3. schema_inspect table=NAME detail=full for each: columns, keys, what refers to it, and sample values. Real values tell how dates, truths and codes are written here; copy them as they stand.
4. How the tables hang together: foreign keys first; where there are none, columns of the same name, tried with a query that counts, such as SELECT COUNT(*) FROM a JOIN b ON a.x = b.y.
5. A few query_execute calls that count instead of listing: rows, distinct values, NULLs, the first and the last date of the columns that matter.
6. Take names from replies. Do not guess a table or a column.

Keep the context small: rows stay behind handles such as results_0. Ask for counts and samples, and read more with sparql_slice only if you need those very rows. About ten calls are enough; stop when a further one would not change the report.

An empty answer comes with a diagnosis that was found by probing the data: it tells a mistake in the statement from a fact about the database. Both are worth knowing; report the second. The database is read, never written: do not try.

Report: what the database is about, in two sentences; a table of the main tables with sizes, keys and important columns; how they connect; what is missing or odd (columns that are mostly NULL, keys that never meet, values written in several ways); and three questions that it can answer, each with a statement that you have run and the key of its result. Say what you did not look at.)";

inline constexpr std::string_view kAnswerFromDatabase =
    R"(Work in this order:

1. Say to yourself what would count as an answer: one value, a list, a count, yes or no.
2. schema_inspect, then schema_inspect action=search pattern=WORDS for each thing and relation in the question: it gives tables and columns. Do not guess a name.
3. schema_inspect table=NAME detail=full for the tables that you need: keys to join by, and sample values that show how dates, names and codes are written.
4. One query_execute that answers the question, as small as it can be: one SELECT in the dialect of the database. For "how many" let COUNT count; for "which has the most" let ORDER BY and LIMIT choose. Values of the question go into params. To ask about the rows of an earlier result write IN (@results_0.id) instead of copying identifiers; result_sql joins, filters and groups results.
5. Check it in another way before you trust it: a count, a join that could multiply rows, NULLs that a condition drops. Look at truncated, total_is and the warnings of the reply: a partial result supports "at least", never "all" or "none".

Keep the context small: all rows are stored; the reply shows the first. Read others with sparql_slice only if the answer needs them.

No rows: read the diagnosis in the reply. If it names a mistake (a value in another case, a date that is written otherwise, keys that never meet), mend that and ask again. If it says that the answer is truly empty, then that is the answer. After three mended statements without progress stop, and say what you tried.

Answer in this form: the answer first, in one or two sentences; then the evidence: for each claim the key of the result (such as results_3), how many rows it has, and the statement that made it; then what the database does not say, and how sure you are. Nothing that is not in a result may be claimed as a fact of this database; what you know from elsewhere is to be marked as such.)";

inline constexpr std::string_view kAnswerFromBoth =
    R"(Some sources are graphs, some SQL databases; each has tools of its own, and results of both are of one kind. Work in this order:

1. Say to yourself what would count as an answer, and which source can have it.
2. Find the names. Graph: sparql_find pattern=WORDS, sparql_peek resource=CLASS output_mode=schema. Database: schema_inspect action=search pattern=WORDS, schema_inspect table=NAME detail=full. Do not guess an IRI, a table or a column.
3. One query for each source, as small as it can be: sparql_query or query_execute. Let COUNT, ORDER BY and LIMIT do the work.
4. Across sources: IN (@results_0.name) feeds a column into SQL, VALUES ?x { @results_0.x } into SPARQL; result_sql joins stored results. See how the values are written on both sides before you join them.
5. Check it in another way before you trust it. Look at truncated, total_is and the warnings of the reply: a partial result supports "at least", never "all" or "none".

No rows: read the diagnosis in the reply. If it names a mistake, mend that and ask again. If it says that the answer is truly empty, then that is the answer. After three mended queries without progress stop, and say what you tried.

Answer in this form: the answer first, in one or two sentences; then the evidence: for each claim the key of the result (such as results_3), its source, how many rows it has, and the query that made it; then what the sources do not say, and how sure you are. Nothing that is not in a result may be claimed as a fact of these sources; what you know from elsewhere is to be marked as such.)";

inline constexpr std::string_view kDebugSql =
    R"(Work in this order, and stop at the first step that explains the trouble:

1. call_tool name=explain_plan with the statement as it is, in sql. Nothing runs; it tells errors of syntax, names that the database does not know with the nearest that it does, and what the plan is expected to cost.
2. If it is sound, query_execute it with limit=5.
   - An error: mend what its message, detail and hint name; did_you_mean can be taken as it is. schema_inspect table=NAME has the columns.
   - No rows: the diagnosis comes from probes of the data and names the condition that removes all rows. Mend that one alone. "Truly empty" means that the statement is right and the database has no such thing.
   - A refusal: only one statement that reads is run, with functions that are known to be harmless.
   - A time-out: look at the plan for a table that is read whole; add a condition on a key or an index, or count before listing.
   - Too many rows, or the same row many times: look for a join without its condition, and for a join on a column that is not a key.
   - Rows, but wrong ones: look at NULLs in conditions (NOT IN, <>), at integer division, at how dates and texts are compared; schema_inspect table=NAME detail=full shows how values are written.
3. Change one thing at a time, and run again. Take names from schema_inspect or from replies.
4. Test parts: the first table alone, then with one join or condition more each time, until rows vanish or explode. A count is enough.

Keep the context small: limit=5 while you look; rows stay behind handles. After five attempts stop and tell what is known.

Report: the mended statement in a code block; what was wrong and why, in one or two sentences; the key and the number of rows of the result that shows it works. If the statement was right all along, say so.)";

}  // namespace helve::mcp
