// Labels of blank nodes: those a document writes and those a reader makes up never meet, and those
// of several documents never meet either.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::rdf {

// One per document. Made-up labels are PREFIXgenid1, PREFIXgenid2, ...; a written label that looks
// like one (u...ugenid...) gets one more "u" in front, which keeps different labels different.
class BlankLabels {
 public:
  explicit BlankLabels(std::string prefix) : prefix_(std::move(prefix)) {}

  // Appends the label for `_:label` of the document.
  void append_written(std::string& out, std::string_view label) const;
  // Appends a label that no other node of the document has.
  void append_fresh(std::string& out);

 private:
  std::string prefix_;
  std::uint64_t made_ = 0;
};

}  // namespace helve::rdf
