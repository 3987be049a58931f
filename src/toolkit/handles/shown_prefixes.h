// ShownPrefixes: the prefixes with which a source's IRIs are shown, made ready once and shared by
// all its replies and handles.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "sources/graph_source.h"
#include "sources/rdf/prefix_map.h"

namespace helve::toolkit {

// A value that never changes; copies share it. Thread-safe.
class ShownPrefixes {
 public:
  ShownPrefixes() = default;      // none
  ShownPrefixes(PrefixList list)  // NOLINT(google-explicit-constructor)
      : content_(std::make_shared<Content>(std::move(list))) {}

  const PrefixList& list() const;
  operator const PrefixList&() const { return list(); }  // NOLINT(google-explicit-constructor)
  PrefixList::const_iterator begin() const { return list().begin(); }
  PrefixList::const_iterator end() const { return list().end(); }

  // Of those that can be of use. Made at the first call.
  const rdf::PrefixMap& map() const;

 private:
  struct Content {
    explicit Content(PrefixList prefixes) : list(std::move(prefixes)) {}
    PrefixList list;
    std::once_flag is_made;
    std::unique_ptr<const rdf::PrefixMap> map;
  };
  std::shared_ptr<Content> content_;  // null: none
};

}  // namespace helve::toolkit
