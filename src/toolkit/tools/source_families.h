// Which tools the sources of a caller need. Surfaces that offer few tools leave out the others.
#pragma once

namespace helve::toolkit {

struct Caller;
struct Tool;
class Toolkit;

// What the sources of a caller are.
struct SourceFamilies {
  bool has_graphs = false;
  bool has_tables = false;
  bool is_remote = false;  // one is reached over the network
};

SourceFamilies families_of(const Toolkit& toolkit, const Caller& caller);

// False for tools of graphs where there are only tables, and the other way round. Where there is no
// source at all, tools of graphs are: files can be loaded.
bool is_needed(const Tool& tool, const SourceFamilies& families);

}  // namespace helve::toolkit
