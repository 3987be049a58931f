// A MariaDB server for the tests of this folder, with the schema "shop" in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "sources/table_source.h"

namespace helve::sql {

struct LiveServer {
  std::string socket;
  int port = 0;
  int pid = 0;

  // Null where there is no MariaDB on this machine.
  static const LiveServer* get();

  // As root; stops the test program where it fails.
  void run(const std::string& statements) const;
  // "" where there is none.
  std::string ask(const std::string& sql) const;

  std::shared_ptr<const TableSource> open(std::string_view user, std::size_t connections_max = 4,
                                          bool by_tcp = false,
                                          const char* databases = nullptr) const;
};

// Rows as they came.
class KeptRows : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& given) override {
    names = given;
    return {};
  }
  Result<void> row(Row cells) override {
    std::vector<std::optional<rdf::Term>> kept;
    for (const auto& cell : cells) {
      kept.push_back(cell ? std::optional(rdf::Term(*cell)) : std::nullopt);
    }
    rows.push_back(std::move(kept));
    return {};
  }
  // The value, a blank, and the end of its datatype; "NULL".
  std::string shown(std::size_t row, std::size_t column) const;

  std::vector<std::string> names;
  std::vector<std::vector<std::optional<rdf::Term>>> rows;
};

OpContext within(Duration time);
TableRun run(const TableSource& source, std::string sql, KeptRows& rows,
             const OpContext& context = within(std::chrono::seconds(20)));

class LiveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = LiveServer::get();
    if (server_ == nullptr) GTEST_SKIP() << "MariaDB is not installed";
  }
  const LiveServer* server_ = nullptr;
};

}  // namespace helve::sql
