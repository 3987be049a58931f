// The writers behind make_solution_writer(), one per format.
#pragma once

#include <memory>

#include "sources/sparql/results/result_format.h"

namespace helve::sparql {

std::unique_ptr<SolutionWriter> make_json_writer(ByteSink& out);
std::unique_ptr<SolutionWriter> make_xml_writer(ByteSink& out);
std::unique_ptr<SolutionWriter> make_csv_writer(ByteSink& out);
std::unique_ptr<SolutionWriter> make_tsv_writer(ByteSink& out);
std::unique_ptr<SolutionWriter> make_table_writer(ByteSink& out, const TableStyle& style);

}  // namespace helve::sparql
