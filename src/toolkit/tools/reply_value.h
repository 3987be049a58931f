// ReplyValue: what a tool answers, before it is shortened and written: JSON with RDF terms in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sources/rdf/term.h"

namespace helve::toolkit {

class ReplyValue {
 public:
  using List = std::vector<ReplyValue>;
  using Members = std::vector<std::pair<std::string, ReplyValue>>;
  using Data = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                            rdf::Term, List, Members>;

  ReplyValue() = default;                                     // null
  ReplyValue(bool value) : data_(value) {}                    // NOLINT(google-explicit-constructor)
  ReplyValue(int value) : data_(std::int64_t{value}) {}       // NOLINT(google-explicit-constructor)
  ReplyValue(std::int64_t value) : data_(value) {}            // NOLINT(google-explicit-constructor)
  ReplyValue(std::uint64_t value) : data_(value) {}           // NOLINT(google-explicit-constructor)
  ReplyValue(double value) : data_(value) {}                  // NOLINT(google-explicit-constructor)
  ReplyValue(std::string value) : data_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  ReplyValue(std::string_view value)
      : data_(std::string(value)) {}  // NOLINT(google-explicit-constructor)
  ReplyValue(const char* value)
      : data_(std::string(value)) {}                        // NOLINT(google-explicit-constructor)
  ReplyValue(rdf::Term value) : data_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  ReplyValue(const rdf::TermView& value)
      : data_(rdf::Term(value)) {}                        // NOLINT(google-explicit-constructor)
  ReplyValue(List value) : data_(std::move(value)) {}     // NOLINT(google-explicit-constructor)
  ReplyValue(Members value) : data_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  static ReplyValue iri(std::string_view iri) { return rdf::TermView::iri(iri); }

  const Data& data() const { return data_; }
  template <typename T>
  const T* if_is() const {
    return std::get_if<T>(&data_);
  }

 private:
  Data data_;
};

}  // namespace helve::toolkit
