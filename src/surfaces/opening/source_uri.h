// Where the data of a source is, as users write it. open_graph.h opens it.
#pragma once

#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"

namespace helve::opening {

// The bundled samples: a graph, and a database of its tables.
inline constexpr std::string_view kSample = "sample:";
inline constexpr std::string_view kSampleTables = "sample-tables:";

// The path of a URI: itself, or that of file:///...; "sample:" as it is. InvalidInput for kinds of
// sources that there are not, and for what names no file or is no graph of files.
Result<std::string> place_of(std::string_view uri);

// Whether it is that of the bundled graph, or database, whatever the case of its letters.
bool is_sample(std::string_view uri);
bool is_sample_tables(std::string_view uri);

// Whether open_tables() opens it: an address of a database, or the bundled one.
bool is_tables_uri(std::string_view uri);

// NAME=URI, or a URI whose name is that of its file. A path that has a '=' and is there is a path.
struct NamedSource {
  std::string name;
  std::string uri;
};
NamedSource read_source(std::string_view text, Files& files);

}  // namespace helve::opening
