// UniqueNames: columns of one name on their way into a handle get names of their own, since slices
// and feeds ask for columns by name.
#pragma once

#include <string>
#include <vector>

#include "sources/row_sink.h"

namespace helve::toolkit {

class UniqueNames final : public RowSink {
 public:
  // It must outlive this.
  explicit UniqueNames(RowSink& sink) : sink_(sink) {}

  Result<void> columns(const std::vector<std::string>& names) override;
  Result<void> row(Row cells) override { return sink_.row(cells); }

  // "name (now name_2)", in the order of the columns.
  const std::vector<std::string>& renamed() const { return renamed_; }

 private:
  RowSink& sink_;
  std::vector<std::string> renamed_;
};

}  // namespace helve::toolkit
