// helve_differential: answers queries about small graphs, one JSON object a line in, one out.
// README.md tells the protocol; the scripts beside this file ask others the same.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "base/json.h"
#include "tests/differential/answer.h"

namespace helve::differential {
namespace {

Result<std::string> text_member(const JsonValue& request, std::string_view name) {
  const JsonValue* member = request.find(name);
  const std::string* text = member == nullptr ? nullptr : member->if_string();
  if (text == nullptr) return Error(ErrorCode::InvalidInput, fmt::format("no text '{}'", name));
  return *text;
}

Result<std::string> answer_line(std::string_view line, DatasetCache& datasets) {
  HELVE_ASSIGN(const JsonValue request, parse_json(line));
  HELVE_ASSIGN(const std::string data, text_member(request, "data"));
  HELVE_ASSIGN(const std::string query, text_member(request, "query"));
  HELVE_ASSIGN(const auto snapshot, datasets.get(data));
  return answer(query, snapshot);
}

int run(DatasetKind kind) {
  DatasetCache datasets(kind);
  std::string line;
  while (std::getline(std::cin, line)) {
    const Result<std::string> reply = answer_line(line, datasets);
    std::cout << (reply ? *reply : error_reply(reply.error()))
              << std::endl;  // NOLINT(performance-avoid-endl)
  }
  return 0;
}

}  // namespace
}  // namespace helve::differential

int main(int argc, char** argv) {
  using helve::differential::DatasetKind;
  CLI::App app{"Answers queries about graphs: JSON Lines in, JSON Lines out."};
  std::string dataset = "store";
  app.add_option("--dataset", dataset, "What holds the graph")
      ->check(CLI::IsMember({"store", "memory"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return helve::differential::run(dataset == "store" ? DatasetKind::Store : DatasetKind::Memory);
}
