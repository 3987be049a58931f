// Result files: the W3C formats for solutions and booleans, in and out, and a table for people.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/op_context.h"
#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

enum class ResultFormat : std::uint8_t { Json, Xml, Csv, Tsv, Table };

std::string_view result_format_name(ResultFormat format);  // "json"
std::optional<ResultFormat> result_format_by_name(std::string_view name);
std::optional<ResultFormat> result_format_by_file_name(
    std::string_view name);  // .srj .srx .csv .tsv
std::optional<ResultFormat> result_format_by_media_type(std::string_view type);
std::string_view media_type(ResultFormat format);  // of Table: text/plain

// A sink that writes. One of finish() and abandon() must be called once, at the end.
class SolutionWriter : public SolutionSink {
 public:
  virtual Result<void> finish() = 0;
  // Hands over the rows so far. A table keeps them: it is measured first.
  virtual Result<void> flush() { return {}; }
  // The rows have ended before their time: hands over what there is. JSON and XML stay open, so
  // that nobody takes them for complete; the others have no such end and are finished.
  virtual Result<void> abandon() { return finish(); }
  // Before finish(): there are more rows than were sent. JSON says so in a member "truncated", XML
  // in a comment; the others have no place for it. `why` is a plain sentence.
  virtual void mark_cut(std::string_view why) { static_cast<void>(why); }
};

struct TableStyle {
  std::size_t width_max = 0;  // columns of the terminal; 0: no limit
  std::vector<std::pair<std::string, std::string>> prefixes;  // IRIs are shortened by these
  bool is_ascii = false;
  std::size_t cell_width_max = 500;   // also where the terminal, or what is none, has no limit
  std::size_t rows_measured = 1'000;  // rows kept to find the widths of columns; later ones are cut
};

// `out` must outlive the writer. Everything but Table is written as it comes, in constant memory.
// JSON and XML: https://www.w3.org/TR/sparql11-results-json/ and
// https://www.w3.org/TR/rdf-sparql-XMLres/ CSV and TSV:
// https://www.w3.org/TR/sparql11-results-csv-tsv/ (CSV loses what kind a term is). A boolean in
// CSV, TSV and Table is "true" or "false" on a line. Table shows terms as Turtle and SPARQL write
// them, so that they can be pasted into a query; what could drive a terminal is made visible.
std::unique_ptr<SolutionWriter> make_solution_writer(ResultFormat format, ByteSink& out,
                                                     const TableStyle& style = {});

// Reads a result file as a stream: rows are sent as they are met, in bounded memory, so that a
// caller can stop early. Blank node labels are those of the file. Not for Table: InvalidInput.
// In CSV, which does not say, a field that is empty is unbound (one that is "" is the empty
// string), "_:x" a blank node, what begins with a scheme and "://" (or "urn:") and has no character
// that IRIs cannot have is an IRI, everything else a plain literal. A CSV or TSV file of the one
// line "true" or "false" is a boolean.
// JSON that has its results before its head is kept in memory, within context.memory, until the
// head tells the columns. Keys and, in other namespaces, elements that are not known are skipped.
// IRIs are taken as they are, relative ones too; only an empty one is refused.
// Errors have position and hint; every limit of context.limits holds.
Result<void> read_solutions(ResultFormat format, ByteSource& source, const OpContext& context,
                            SolutionSink& sink);
Result<void> read_solutions(ResultFormat format, std::string_view text, const OpContext& context,
                            SolutionSink& sink);

}  // namespace helve::sparql
