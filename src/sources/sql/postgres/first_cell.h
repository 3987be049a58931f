// FirstCell: a sink for a short answer that is one text, such as a plan.
#pragma once

#include <string>
#include <vector>

#include "sources/row_sink.h"

namespace helve::sql {

// The first cells of its rows, one behind the other.
class FirstCell final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    if (!cells.empty() && cells.front()) text_ += cells.front()->value;
    return {};
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace helve::sql
