// A blank node can be nested when one statement refers to it, in the graph of all that is said of
// it. Such references form trees, which are cut where they get too deep, and cycles, which are
// labelled. No recursion: lists and chains may be long.
#include "sources/rdf/pretty_nesting.h"

#include <algorithm>
#include <optional>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

constexpr std::uint32_t kNoParent = 0xFFFF'FFFF;

// Statements about a blank node are quads[begin, end), the set being sorted by subject.
struct Use {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t references = 0;
  std::uint32_t reference = kNoParent;  // the last statement that refers to it
  bool names_graph = false;
};

class RoleChooser {
 public:
  RoleChooser(const QuadSet& set, std::span<const std::uint32_t> blank_of,
              std::uint32_t blank_count, std::size_t nesting_max)
      : quads_(set.quads()),
        blank_of_(blank_of),
        nesting_max_(nesting_max),
        first_(set.find(TermView::iri(kRdfFirst))),
        rest_(set.find(TermView::iri(kRdfRest))),
        nil_(set.find(TermView::iri(kRdfNil))),
        uses_(blank_count),
        roles_(blank_count, BlankRole::Labelled),
        reached_(blank_count, false) {}

  std::vector<BlankRole> choose() {
    count_uses();
    choose_first_roles();
    find_lists();
    reach_from_roots();
    label_cycles();
    return std::move(roles_);
  }

 private:
  struct Visit {
    std::uint32_t blank;
    std::size_t depth;
  };

  void count_uses();
  void choose_first_roles();
  void find_lists();
  bool has_cell_shape(std::uint32_t blank) const;
  void reach_from_roots();
  void reach_children(std::uint32_t blank, std::size_t depth);
  void reach_all();
  void label_cycles();

  bool is_inside(std::uint32_t blank) const {
    return roles_[blank] == BlankRole::Nested || roles_[blank] == BlankRole::ListCell;
  }
  // The blank node that refers to this one, or kNoBlank.
  std::uint32_t parent(std::uint32_t blank) const {
    return blank_of_[quads_[uses_[blank].reference][0]];
  }

  const std::vector<QuadIndexes>& quads_;
  std::span<const std::uint32_t> blank_of_;
  std::size_t nesting_max_;
  std::optional<TermIndex> first_;
  std::optional<TermIndex> rest_;
  std::optional<TermIndex> nil_;
  std::vector<Use> uses_;
  std::vector<BlankRole> roles_;
  std::vector<bool> reached_;
  std::vector<Visit> to_visit_;
};

void RoleChooser::count_uses() {
  for (std::uint32_t i = 0; i < quads_.size(); ++i) {
    if (const std::uint32_t subject = blank_of_[quads_[i][0]]; subject != kNoBlank) {
      Use& use = uses_[subject];
      if (use.end == 0) use.begin = i;
      use.end = i + 1;
    }
    if (const std::uint32_t object = blank_of_[quads_[i][2]]; object != kNoBlank) {
      ++uses_[object].references;
      uses_[object].reference = i;
    }
    if (const std::uint32_t graph = blank_of_[quads_[i][3]]; graph != kNoBlank) {
      uses_[graph].names_graph = true;
    }
  }
}

void RoleChooser::choose_first_roles() {
  for (std::uint32_t blank = 0; blank < uses_.size(); ++blank) {
    const Use& use = uses_[blank];
    if (use.names_graph || use.references > 1) continue;
    const TermIndex graph = quads_[use.references == 1 ? use.reference : use.begin][3];
    const bool in_one_graph =
        std::all_of(quads_.begin() + use.begin, quads_.begin() + use.end,
                    [&](const QuadIndexes& quad) { return quad[3] == graph; });
    if (!in_one_graph) continue;
    roles_[blank] = use.references == 1 ? BlankRole::Nested : BlankRole::Anonymous;
  }
}

// One rdf:first and one rdf:rest, nothing else.
bool RoleChooser::has_cell_shape(std::uint32_t blank) const {
  const Use& use = uses_[blank];
  if (use.end - use.begin != 2) return false;
  const TermIndex one = quads_[use.begin][1];
  const TermIndex two = quads_[use.begin + 1][1];
  return (one == first_ && two == rest_) || (one == rest_ && two == first_);
}

// From each cell whose rest is rdf:nil, back to the head of its list.
void RoleChooser::find_lists() {
  if (!first_ || !rest_ || !nil_) return;
  for (const QuadIndexes& quad : quads_) {
    if (quad[1] != *rest_ || quad[2] != *nil_) continue;
    std::uint32_t cell = blank_of_[quad[0]];
    while (cell != kNoBlank && roles_[cell] == BlankRole::Nested && has_cell_shape(cell)) {
      roles_[cell] = BlankRole::ListCell;
      if (quads_[uses_[cell].reference][1] != *rest_) break;
      cell = parent(cell);
    }
  }
}

void RoleChooser::reach_children(std::uint32_t blank, std::size_t depth) {
  for (std::uint32_t i = uses_[blank].begin; i < uses_[blank].end; ++i) {
    const std::uint32_t object = blank_of_[quads_[i][2]];
    if (object == kNoBlank || !is_inside(object)) continue;
    const bool same_list = roles_[blank] == BlankRole::ListCell && quads_[i][1] == *rest_;
    to_visit_.push_back({object, same_list ? depth : depth + 1});
  }
}

void RoleChooser::reach_all() {
  while (!to_visit_.empty()) {
    auto [blank, depth] = to_visit_.back();
    to_visit_.pop_back();
    if (reached_[blank]) continue;
    reached_[blank] = true;
    if (depth > nesting_max_) {
      roles_[blank] = BlankRole::Labelled;
      depth = 0;
    }
    reach_children(blank, depth);
  }
}

void RoleChooser::reach_from_roots() {
  for (const QuadIndexes& quad : quads_) {
    const std::uint32_t subject = blank_of_[quad[0]];
    const std::uint32_t object = blank_of_[quad[2]];
    if (object == kNoBlank || !is_inside(object)) continue;
    // What hangs on a node that is cut off later has been reached then.
    if (subject == kNoBlank || !is_inside(subject)) to_visit_.push_back({object, 1});
  }
  reach_all();
}

// What no root reaches hangs on a cycle, found by following the references backwards.
void RoleChooser::label_cycles() {
  std::vector<std::uint32_t> walk_of(uses_.size(), kNoParent);
  for (std::uint32_t blank = 0; blank < uses_.size(); ++blank) {
    if (!is_inside(blank) || reached_[blank]) continue;
    std::uint32_t at = blank;
    while (walk_of[at] == kNoParent && !reached_[at]) {
      walk_of[at] = blank;
      at = parent(at);
    }
    if (walk_of[at] != blank || reached_[at]) continue;
    std::vector<std::uint32_t> cycle;
    for (std::uint32_t next = at; roles_[next] != BlankRole::Labelled; next = parent(next)) {
      roles_[next] = BlankRole::Labelled;
      reached_[next] = true;
      cycle.push_back(next);
    }
    for (const std::uint32_t node : cycle) reach_children(node, 0);
    reach_all();
  }
}

}  // namespace

std::vector<BlankRole> choose_roles(const QuadSet& set, std::span<const std::uint32_t> blank_of,
                                    std::uint32_t blank_count, std::size_t nesting_max) {
  return RoleChooser(set, blank_of, blank_count, nesting_max).choose();
}

}  // namespace helve::rdf
