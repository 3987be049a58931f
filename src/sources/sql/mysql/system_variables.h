// The variables of a server that may be seen: those that tell how statements are read and values
// compared, and nothing of files, users or keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sources/row_sink.h"

namespace helve::sql::mysql {

bool is_shown_variable(std::string_view name);  // without @@ and scope, in any case

// Tables that have all variables of the server, by their names in the schemas of the system.
bool is_variable_table(std::string_view name);  // in any case

// The rows of SHOW VARIABLES, whose first column is the name, without those that may not be seen.
class ShownVariables final : public RowSink {
 public:
  explicit ShownVariables(RowSink& sink) : sink_(sink) {}
  Result<void> columns(const std::vector<std::string>& names) override {
    return sink_.columns(names);
  }
  Result<void> row(Row cells) override {
    const bool is_shown =
        !cells.empty() && cells.front() && is_shown_variable(cells.front()->value);
    if (!is_shown) {
      ++hidden_;
      return {};
    }
    return sink_.row(cells);
  }
  std::uint64_t hidden() const { return hidden_; }

 private:
  RowSink& sink_;
  std::uint64_t hidden_ = 0;
};

}  // namespace helve::sql::mysql
