// builtin:rules on a source, and whether the query that it submits is as good as another one.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/ask/ask.h"
#include "agent/llm/rules/rules.h"
#include "agent/loops/loop_testing.h"
#include "toolkit/tools/tool.h"

namespace helve::agent {

class RulesTest : public ::testing::Test {
 protected:
  using Columns = std::vector<std::set<std::string>>;

  // A new toolkit for each question: nothing is left of the one before.
  void reset() {
    env_ = std::make_unique<FakeEnv>();
    toolkit::ToolkitOptions options;
    options.marks_data = true;
    options.bank = bank_;
    options.has_memory_writes = true;
    auto made = toolkit::Toolkit::make(options, *env_, helve::testing::graph_factory());
    ASSERT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    if (graph_) {
      ASSERT_TRUE(toolkit_->add_source(graph_).has_value());
    }
    if (tables_) {
      ASSERT_TRUE(toolkit_->add_source(tables_).has_value());
    }
  }

  AskResult ask_rules(std::string_view question, std::string_view layers, std::uint64_t seed = 0) {
    reset();
    AskRequest request;
    request.question = question;
    request.context.layers = layers == "none" ? context::LayerSet() : *context::read_layers(layers);
    const auto model = llm::make_rules_provider({seed});
    trajectory_ = std::make_unique<FakeTrajectory>();
    const RunParts parts{*toolkit_, caller_, *model, nullptr, *trajectory_, {}, {}, {}};
    return ask(request, parts, {});
  }

  // What a query brings: for each column what is in it; of ASK "yes" or "no".
  Columns columns_of(std::string_view query) {
    const bool is_sql = graph_ == nullptr;
    JsonValue::Object arguments;
    arguments.push_back({is_sql ? "sql" : "query", JsonValue(query)});
    const auto outcome = toolkit_->call(is_sql ? "query_execute" : "sparql_query",
                                        JsonValue(std::move(arguments)), caller_, {});
    const auto* const reply = std::get_if<toolkit::Reply>(&outcome.answer);
    if (reply == nullptr) return {};
    if (!reply->handle) return {{outcome.reply.text.substr(0, 2)}};
    const auto store = toolkit_->handles(caller_, {});
    const auto handle = (*store)->get(reply->handle->key, {});
    Columns columns(handle->rows->columns().size());
    for (std::uint64_t row = 0; row < handle->rows->rows(); ++row) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto cell = handle->rows->cell(row, i);
        columns[i].insert(cell ? std::string(cell->value) : "");
      }
    }
    return columns;
  }

  // Each column of the reference is one of the answer.
  bool is_right(const AskResult& result, std::string_view reference) {
    if (!result.run.has_converged() || result.run.query.empty()) return false;
    const Columns wanted = columns_of(reference);
    const Columns got = columns_of(result.run.query);
    return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const auto& column) {
      return std::find(got.begin(), got.end(), column) != got.end();
    });
  }

  std::unique_ptr<FakeEnv> env_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  toolkit::Caller caller_;
  std::shared_ptr<const GraphSource> graph_;
  std::shared_ptr<const TableSource> tables_;
  std::shared_ptr<memory::MemoryBank> bank_;
  std::unique_ptr<FakeTrajectory> trajectory_;
};

}  // namespace helve::agent
