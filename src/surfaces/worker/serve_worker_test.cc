// One program as the worker of both protocols. It is its own worker.
#include "surfaces/worker/serve_worker.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/env.h"
#include "base/stdio.h"
#include "sources/sql/sqlite/sqlite_source.h"
#include "tests/support/temp_directory.h"
#include "toolkit/sql/sql_over_handles.h"

namespace helve {
namespace {

std::vector<std::string> worker_command() {
  return {std::filesystem::read_symlink("/proc/self/exe").native(), "sql-worker"};
}

class FirstCell final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row cells) override {
    if (cells[0]) value = cells[0]->value;
    return {};
  }
  std::string value;
};

OpContext patient() {
  OpContext context;
  context.deadline = Deadline(real_clock(), std::chrono::seconds(20));
  return context;
}

TEST(ServeWorker, AnswersForSqliteFiles) {
  const TempDirectory folder;
  std::ofstream(folder / "empty.db") << "";
  sql::DatabaseOptions options;
  options.name = "empty";
  options.address.path = (folder / "empty.db").native();
  options.worker_command = worker_command();
  const auto source = sql::open_sqlite(options, real_env());
  ASSERT_TRUE(source) << source.error().to_string();
  for (const char* sql : {"SELECT 6 * 7", "SELECT 40 + 2"}) {
    TableQuery query;
    query.sql = sql;
    FirstCell cell;
    const auto run = (*source)->run(query, cell, patient());
    EXPECT_FALSE(run.error) << run.error->to_string();
    EXPECT_EQ(cell.value, "42");
  }
}

TEST(ServeWorker, AnswersOverHandles) {
  FirstCell cell;
  const toolkit::SqlOverHandles handles(real_env(), worker_command());
  const auto run = handles.run("SELECT 6 * 7", {}, {}, {}, cell, patient());
  EXPECT_FALSE(run.error) << run.error->to_string();
  EXPECT_EQ(cell.value, "42");
}

TEST(ServeWorker, EndsWithItsInput) {
  ProcessOptions options;
  options.arguments = worker_command();
  for (const std::string_view said : {"", "HLV", "HLVSLF2\n", "GET / HTTP/1.1\r\n\r\n"}) {
    auto process = real_env().processes().start(options);
    ASSERT_TRUE(process);
    (void)(*process)->write_stdin(said, patient());
    (*process)->close_stdin();
    const auto status = (*process)->wait(patient());
    ASSERT_TRUE(status) << status.error().to_string();
    EXPECT_EQ(status->signal, 0) << said;
  }
}

}  // namespace
}  // namespace helve

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "sql-worker") {
    return helve::serve_worker(*helve::stdout_sink(), helve::real_clock());
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
