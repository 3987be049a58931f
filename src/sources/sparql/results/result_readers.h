// The readers behind read_solutions(), one per format.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/op_context.h"
#include "sources/rdf/input_window.h"
#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

inline constexpr std::string_view kResultsDocument = "results";  // the name of the file in errors

Result<void> read_json_results(rdf::InputWindow& window, const OpContext& context,
                               SolutionSink& sink);
Result<void> read_csv_results(rdf::InputWindow& window, const OpContext& context,
                              SolutionSink& sink);
Result<void> read_tsv_results(rdf::InputWindow& window, const OpContext& context,
                              SolutionSink& sink);
Result<void> read_xml_results(ByteSource& source, const OpContext& context, SolutionSink& sink);

}  // namespace helve::sparql
