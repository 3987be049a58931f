#include "surfaces/cli/memory_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/text.h"
#include "base/utc.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/state_folder.h"
#include "surfaces/opening/open_bank.h"
#include "toolkit/learning/store.h"
#include "toolkit/memory/bank.h"
#include "toolkit/memory/item_json.h"

namespace helve::cli {

namespace {

using memory::Item;
using memory::ItemForm;
using memory::MemoryBank;

Result<memory::ItemSource> source_of(const std::string& name) {
  const auto source = memory::source_of(name);
  if (source) return *source;
  return Error{ErrorCode::InvalidInput, fmt::format("'{}' is no kind of source", name),
               "one of " + memory::source_names()};
}

std::string state_of(const Item& item) {
  if (item.retracted_at) return "retracted";
  if (!item.superseded_by.empty()) return "superseded by " + item.superseded_by;
  return item.quarantined ? "quarantined" : "";
}

std::string item_text(const Item& item, const Terminal& terminal) {
  std::string text = fmt::format("{}  {}\n", terminal.styled(Style::Accent, item.id),
                                 escape_for_terminal(item.title));
  const auto line = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) text += fmt::format("  {:<10} {}\n", key, escape_for_terminal(value));
  };
  line("when", item.desc);
  line("src", name_of(item.src));
  line("tags", fmt::format("{}", fmt::join(item.tags, ", ")));
  line("domain", item.domain);
  line("added",
       fmt::format("{}{}{}", to_utc(item.created_at), item.provenance.added_by.empty() ? "" : ", ",
                   item.provenance.added_by));
  line("run", item.provenance.run);
  line("verdict", item.provenance.verdict);
  line("state", state_of(item));
  std::string_view rest = item.content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += "    " + escape_for_terminal(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

Result<void> check_ids(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) HELVE_TRY(memory::check_id(id));
  return {};
}

}  // namespace

Result<memory::ItemFilter> filter_of(const MemoryOptions& options) {
  memory::ItemFilter filter = options.is_all ? memory::whole_bank() : memory::ItemFilter{};
  if (options.fields.src) {
    HELVE_ASSIGN(filter.polarity, source_of(*options.fields.src));
  }
  filter.domain = options.fields.domain.value_or("");
  filter.tags = options.fields.tags;
  return filter;
}

Result<std::string> bank_place(const MemoryOptions& options) {
  if (!options.bank.empty()) return options.bank;
  if (const char* variable = std::getenv("HELVE_BANK"); variable != nullptr && *variable != '\0') {
    return std::string(variable);
  }
  const std::filesystem::path folder = user_state_folder();
  if (folder.empty()) {
    return Error{ErrorCode::InvalidInput, "there is no place for a memory bank",
                 "name one: --bank"};
  }
  return (folder / "memory.db").string();
}

Result<void> with_bank(const MemoryOptions& options, bool is_made, CommandContext& context,
                       const BankWork& work) {
  HELVE_ASSIGN(const auto bank, open_memory_bank(options, is_made, context));
  Result<void> done = work(*bank);
  for (const std::string& warning : bank->repository().take_warnings()) context.warn(warning);
  return done;
}

Result<SessionBank> open_session_bank(const std::string& place, bool is_read_only,
                                      const CommandContext& context) {
  const char* const variable = std::getenv("HELVE_BANK");
  SessionBank opened;
  opened.is_writable = !place.empty() && !is_read_only;
  opening::BankInput input;
  input.place = !place.empty() || variable == nullptr ? place : variable;
  if (input.place.empty()) return opened;
  input.is_made = opened.is_writable;
  input.read_variable = [](const char* name) { return std::getenv(name); };
  auto bank = opening::open_bank(input, context.env, context.op);
  if (!bank && !opened.is_writable && bank.error().code == ErrorCode::NotFound) {
    context.warn(fmt::format("no memory bank: {} does not exist yet", input.place));
    return opened;
  }
  if (!bank) return std::move(bank).error();
  opened.bank = *std::move(bank);
  for (const std::string& warning : opened.bank->repository().take_warnings()) {
    context.warn(warning);
  }
  return opened;
}

Result<std::shared_ptr<MemoryBank>> open_memory_bank(const MemoryOptions& options, bool is_made,
                                                     CommandContext& context) {
  opening::BankInput input;
  HELVE_ASSIGN(input.place, bank_place(options));
  input.is_made = is_made;
  input.read_variable = [](const char* name) { return std::getenv(name); };
  return opening::open_bank(input, context.env, context.op);
}

Result<void> run_memory_add(const MemoryOptions& options, CommandContext& context) {
  Item item;
  item.title = options.fields.title.value_or("");
  item.desc = options.fields.desc.value_or("");
  item.content = options.fields.content.value_or("");
  item.tags = options.fields.tags;
  item.domain = options.fields.domain.value_or("");
  if (options.fields.src) {
    HELVE_ASSIGN(item.src, source_of(*options.fields.src));
  }
  HELVE_TRY(memory::check_item(item));
  item.id = memory::id_of(item);
  item.provenance.added_by = "helve memory add";
  return with_bank(options, true, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(
        const learning::StoredLesson stored,
        learning::add_or_release(bank.repository(), item, context.env.clock().wall(), context.op));
    if (stored.state == learning::StoreState::Retracted) {
      return Error{ErrorCode::Denied, fmt::format("item {} was retracted", item.id),
                   fmt::format("helve memory history {} has the change to undo", item.id)};
    }
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        json.member("id", item.id);
        json.member("is_new", stored.change.has_value());
        if (stored.change) json.member("change", *stored.change);
      }));
    }
    if (stored.state == learning::StoreState::Exists) {
      context.note("it was there already; nothing was changed");
    }
    if (stored.state == learning::StoreState::Released) {
      context.note("replaced an unverified item with the same text");
    }
    return context.show(item.id + "\n");
  });
}

Result<void> run_memory_search(const MemoryOptions& options, CommandContext& context) {
  memory::SearchOptions search;
  search.count = options.limit;
  if (options.ranker == "overlap") search.ranker = memory::Ranker::WordOverlap;
  if (options.ranker == "fusion") search.ranker = memory::Ranker::Fusion;
  HELVE_ASSIGN(search.filter, filter_of(options));
  const std::string question = fmt::format("{}", fmt::join(options.words, " "));
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    if (search.ranker == memory::Ranker::Fusion) HELVE_TRY(use_embeddings(options, bank, context));
    HELVE_ASSIGN(const auto found, bank.search(question, search, context.op));
    if (!found.warning.empty()) context.warn(found.warning);
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        write_objects(json, "items", found.hits, [&](const memory::Hit& hit) {
          json.member("id", hit.item.id);
          json.member("title", hit.item.title);
          json.member("desc", hit.item.desc);
          json.member("src", name_of(hit.item.src));
          json.member("score", hit.score);
        });
        json.member("is_complete", found.is_complete);
      }));
    }
    std::string text;
    for (const memory::Hit& hit : found.hits) {
      const std::string state = state_of(hit.item);
      text += fmt::format("{}  {:6.3f}  {:<11}  {}{}\n",
                          context.out_terminal.styled(Style::Accent, hit.item.id), hit.score,
                          name_of(hit.item.src), escape_for_terminal(hit.item.title),
                          state.empty() ? "" : " (" + state + ")");
    }
    if (found.hits.empty()) context.note("nothing found");
    return context.show(text);
  });
}

Result<void> run_memory_get(const MemoryOptions& options, CommandContext& context) {
  HELVE_TRY(check_ids(options.words));
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto items, bank.repository().get(options.words, context.op));
    std::string text;
    if (options.is_json) {
      JsonWriter json(text, JsonStyle::Indented);
      json.begin_array();
      for (const Item& item : items) write_item(item, ItemForm::Full, json);
      json.end_array();
      text += '\n';
    } else {
      for (const Item& item : items) text += item_text(item, context.out_terminal);
    }
    return context.show(text);
  });
}

Result<void> run_memory_edit(const MemoryOptions& options, CommandContext& context) {
  HELVE_TRY(check_ids(options.words));
  memory::ItemEdit edit;
  edit.title = options.fields.title;
  edit.desc = options.fields.desc;
  edit.content = options.fields.content;
  edit.domain = options.fields.domain;
  if (!options.fields.tags.empty()) edit.tags = options.fields.tags;
  if (options.fields.src) {
    HELVE_ASSIGN(edit.src, source_of(*options.fields.src));
  }
  if (options.is_quarantined && options.is_verified) {
    return Error{ErrorCode::InvalidInput, "an item is verified or quarantined, not both",
                 "--verified or --quarantine"};
  }
  if (options.is_quarantined) edit.quarantined = true;
  if (options.is_verified) {
    edit.quarantined = false;
    edit.verified_at =
        std::chrono::time_point_cast<std::chrono::seconds>(context.env.clock().wall());
  }
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto report,
                 bank.repository().edit(options.words.front(), edit, context.op));
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        json.member("id", report.id);
        json.member("change", report.change);
      }));
    }
    context.note(fmt::format("change {}", report.change));
    return context.show(report.id + "\n");
  });
}

Result<void> run_memory_history(const MemoryOptions& options, CommandContext& context) {
  HELVE_TRY(check_ids(options.words));
  const std::optional<std::string> id =
      options.words.empty() ? std::nullopt : std::optional(options.words.front());
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto entries, bank.repository().history(id, options.limit, context.op));
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        write_objects(json, "changes", entries, [&](const memory::ChangeEntry& entry) {
          json.member("change", entry.change);
          json.member("at", to_utc(entry.at));
          json.member("kind", name_of(entry.kind));
          json.member("item", entry.item);
          if (entry.undoes) json.member("undoes", *entry.undoes);
          if (entry.undone_by) json.member("undone_by", *entry.undone_by);
          if (!entry.before) return;
          json.key("before");
          write_item(*entry.before, ItemForm::Full, json);
        });
      }));
    }
    std::string text;
    for (const memory::ChangeEntry& entry : entries) {
      text += fmt::format("{:>6}  {}  {:<9}  {}{}{}\n", entry.change, to_utc(entry.at),
                          name_of(entry.kind), entry.item,
                          entry.undoes ? fmt::format("  undoes {}", *entry.undoes) : "",
                          entry.undone_by ? fmt::format("  undone by {}", *entry.undone_by) : "");
    }
    return context.show(text);
  });
}

Result<void> run_memory_undo(const MemoryOptions& options, CommandContext& context) {
  std::optional<std::uint64_t> change;
  if (!options.words.empty()) {
    const std::string& word = options.words.front();
    std::uint64_t number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() ||
        number > std::uint64_t{INT64_MAX}) {
      return Error{ErrorCode::InvalidInput, "that is no number of a change",
                   "helve memory history has them"};
    }
    change = number;
  }
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto report, bank.repository().undo(change, context.op));
    if (options.is_json) {
      return context.show(
          json_object([&](JsonWriter& json) { json.member("change", report.change); }));
    }
    context.note(fmt::format("undone by change {}", report.change));
    return {};
  });
}

Result<void> run_memory_forget(const MemoryOptions& options, CommandContext& context) {
  if (options.keep.has_value() != options.words.empty()) {
    return Error{ErrorCode::InvalidInput, "either items or the number to keep",
                 "helve memory forget ID..., or helve memory forget --keep N"};
  }
  if (options.keep) return run_memory_evict(options, context);
  if (options.is_dry_run) {
    return Error{ErrorCode::InvalidInput, "--dry-run shows what --keep would evict",
                 "helve memory get shows items; undo brings back what was forgotten"};
  }
  HELVE_TRY(check_ids(options.words));
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    std::vector<std::uint64_t> changes;
    for (const std::string& id : options.words) {
      HELVE_ASSIGN(const auto report, bank.repository().retract(id, context.op));
      changes.push_back(report.change);
      if (options.is_json) continue;
      context.note(
          fmt::format("{} is retracted; helve memory undo {} brings it back", id, report.change));
    }
    if (!options.is_json) return {};
    return context.show(json_object([&](JsonWriter& json) {
      write_texts(json, "retracted", options.words);
      write_numbers(json, "changes", changes);
    }));
  });
}

Result<void> run_memory_export(const MemoryOptions& options, CommandContext& context) {
  if (options.is_all && options.is_plain) {
    return Error{ErrorCode::InvalidInput, "the plain form does not say which items are taken back",
                 "--all without --plain, or --plain without --all"};
  }
  HELVE_ASSIGN(const auto filter, filter_of(options));
  const ItemForm form = options.is_plain ? ItemForm::Plain : ItemForm::Full;
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    bool is_first = true;
    if (!options.is_lines) HELVE_TRY(context.out.write("["));
    HELVE_TRY(bank.repository().visit(
        filter,
        [&](const Item& item) -> Result<void> {
          const std::string text = memory::to_json(item, form);
          if (options.is_lines) return context.out.write(text + "\n");
          const char* const before = is_first ? "\n" : ",\n";
          is_first = false;
          return context.out.write(before + text);
        },
        context.op));
    return options.is_lines ? Result<void>() : context.out.write(is_first ? "]\n" : "\n]\n");
  });
}

Result<void> run_memory_stats(const MemoryOptions& options, CommandContext& context) {
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto stats, bank.repository().stats(context.op));
    const std::vector<std::pair<std::string_view, std::uint64_t>> numbers = {
        {"items", stats.items},
        {"active", stats.active},
        {"quarantined", stats.quarantined},
        {"superseded", stats.superseded},
        {"retracted", stats.retracted},
        {"changes", stats.changes}};
    if (options.is_json) {
      return context.show(json_object([&](JsonWriter& json) {
        for (const auto& [name, count] : numbers) json.member(name, count);
        json.member("bytes", stats.bytes);
        json.member("schema_version", stats.schema_version);
        for (const auto& [name, list] :
             {std::pair{"sources", &stats.sources}, std::pair{"domains", &stats.domains}}) {
          json.key(name);
          json.begin_object();
          for (const auto& [key, count] : *list) json.member(key, count);
          json.end_object();
        }
      }));
    }
    std::string text;
    for (const auto& [name, count] : numbers) {
      text += fmt::format("{:<12} {}\n", name, format_count(count));
    }
    for (const auto* list : {&stats.sources, &stats.domains}) {
      for (const auto& [name, count] : *list) {
        text += fmt::format("  {:<20} {}\n", escape_for_terminal(name), format_count(count));
      }
    }
    return context.show(text);
  });
}

Result<void> run_memory_backup(const MemoryOptions& options, CommandContext& context) {
  return with_bank(options, false, context, [&](MemoryBank& bank) -> Result<void> {
    return bank.repository().back_up(options.words.front(), context.op);
  });
}

}  // namespace helve::cli
