// A graph made of a few lines of text, or of a file, as tools see it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/op_context.h"
#include "sources/graph_source.h"

namespace helve::testing {

// The text is TriG (Turtle is a part of it). Stops the test program where it is wrong.
std::shared_ptr<const GraphSource> graph_of(std::string_view trig, std::string name = "test");

// Any file or index folder that the store can read.
Result<std::shared_ptr<const GraphSource>> graph_of_file(const std::string& path,
                                                         const OpContext& context = {});

// Makes graphs in memory, of files and of statements.
std::shared_ptr<GraphFactory> graph_factory();

}  // namespace helve::testing
