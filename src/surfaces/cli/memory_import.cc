// helve memory import: a list of items, or one item on each line.
#include <fmt/format.h>

#include <algorithm>

#include "surfaces/cli/json_output.h"
#include "surfaces/cli/memory_command.h"
#include "surfaces/cli/state_folder.h"
#include "toolkit/learning/store.h"
#include "toolkit/memory/bank.h"
#include "toolkit/memory/item_json.h"

namespace helve::cli {

namespace {

constexpr std::size_t kTogether = 1'000;  // items of one change

class Import {
 public:
  Import(memory::MemoryBank& bank, CommandContext& context) : bank_(bank), context_(context) {}

  Result<void> take(const JsonValue& json, std::size_t number) {
    auto read = memory::read_item(json);
    if (!read) {
      Error error = std::move(read).error();
      error.message = fmt::format("item {}: {}", number, error.message);
      return error;
    }
    warnings_ += read->warnings.size();
    items_.push_back(std::move(read->item));
    return items_.size() < kTogether ? Result<void>() : flush();
  }

  Result<void> flush() {
    if (items_.empty()) return {};
    const std::vector<memory::Item> items = std::exchange(items_, {});
    HELVE_ASSIGN(const auto report, bank_.repository().add(items, context_.op));
    for (std::size_t i = 0; i < items.size(); ++i) {
      memory::AddState state = report.items[i].state;
      if (state == memory::AddState::Exists && !items[i].quarantined) {
        HELVE_ASSIGN(const learning::StoredLesson stored,
                     learning::release_known(bank_.repository(), items[i],
                                             context_.env.clock().wall(), context_.op));
        if (stored.state == learning::StoreState::Released) state = memory::AddState::Added;
      }
      ++counts_[static_cast<int>(state)];
    }
    return {};
  }

  std::string to_json() const {
    return json_object([&](JsonWriter& json) {
      json.member("added", counts_[0]);
      json.member("existing", counts_[1]);
      json.member("retracted", counts_[2]);
      json.member("not_taken_over", warnings_);
    });
  }

  void tell() const {
    context_.note(fmt::format("{} added, {} were there, {} are retracted and stay so", counts_[0],
                              counts_[1], counts_[2]));
    if (warnings_ > 0) {
      context_.warn(fmt::format("{} members or ids were not taken over", warnings_));
    }
  }

 private:
  memory::MemoryBank& bank_;
  CommandContext& context_;
  std::vector<memory::Item> items_;
  std::size_t counts_[3] = {};
  std::size_t warnings_ = 0;
};

Result<void> read_all(std::string_view text, Import& import) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && text[begin] == '[') {
    HELVE_ASSIGN(const JsonValue list, parse_json(text));
    std::size_t number = 0;
    for (const JsonValue& one : *list.if_array()) HELVE_TRY(import.take(one, ++number));
    return import.flush();
  }
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    HELVE_ASSIGN(const JsonValue one, parse_json(line));
    HELVE_TRY(import.take(one, number));
  }
  return import.flush();
}

}  // namespace

Result<void> run_memory_import(const MemoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto file, context.env.files().map(options.words.front()));
  HELVE_ASSIGN(const auto bank, open_memory_bank(options, true, context));
  Import import(*bank, context);
  auto done = read_all(file->text(), import);
  if (!options.is_json || !done) import.tell();
  for (const std::string& warning : bank->repository().take_warnings()) context.warn(warning);
  if (!options.is_json || !done) return done;
  return context.show(import.to_json());
}

}  // namespace helve::cli
