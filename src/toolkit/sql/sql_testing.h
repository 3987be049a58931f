// Tables and statements for the tests of SQL over handles.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/env.h"
#include "toolkit/sql/sql_over_handles.h"

namespace helve::toolkit {

using Cells = std::vector<std::optional<rdf::TermView>>;

inline constexpr std::string_view kInteger = "http://www.w3.org/2001/XMLSchema#integer";
inline constexpr std::string_view kDecimal = "http://www.w3.org/2001/XMLSchema#decimal";
inline constexpr std::string_view kDouble = "http://www.w3.org/2001/XMLSchema#double";

inline RowTablePtr table_of(const std::vector<std::string>& columns,
                            const std::vector<Cells>& rows) {
  RowTableBuilder builder({}, {});
  EXPECT_TRUE(builder.columns(columns));
  for (const Cells& row : rows) EXPECT_TRUE(builder.row(row));
  return builder.finish();
}

inline rdf::TermView integer(std::string_view digits) {
  return rdf::TermView::literal(digits, kInteger);
}

// This program, in another role (worker_main_test.cc).
inline std::vector<std::string> worker_command(std::string role = "sql-worker") {
  return {std::filesystem::read_symlink("/proc/self/exe").native(), std::move(role)};
}

struct SqlAnswer {
  SqlRun run;
  RowTablePtr rows;

  // Cells as N-Triples; rows as lines.
  std::string text() const {
    if (run.error) return "error: " + run.error->to_string();
    std::string out;
    for (std::uint64_t row = 0; row < rows->rows(); ++row) {
      for (std::size_t column = 0; column < rows->columns().size(); ++column) {
        const auto cell = rows->cell(row, column);
        out += (column > 0 ? " " : "") + (cell ? rdf::to_ntriples(*cell) : "-");
      }
      out += "\n";
    }
    return out;
  }
};

inline SqlAnswer ask_sql(std::string_view sql, const std::vector<SqlTable>& tables,
                         const SqlLimits& limits = {},
                         Duration timeout = std::chrono::seconds(30)) {
  OpContext context;
  context.deadline = Deadline(real_clock(), timeout);
  RowTableBuilder builder({}, context);
  SqlAnswer answer;
  const SqlOverHandles sql_over_handles(real_env(), worker_command());
  answer.run =
      sql_over_handles.run(sql, tables, {"results_0", "results_1"}, limits, builder, context);
  answer.rows = builder.finish();
  return answer;
}

}  // namespace helve::toolkit
