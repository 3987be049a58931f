// helve context: what an agent should know before its first call. Text goes to standard output, so
// that it can be piped into a prompt; what took how much of it, to standard error.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "surfaces/cli/any_source.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/knowledge_command.h"
#include "surfaces/cli/memory_command.h"
#include "surfaces/cli/shown_lines.h"
#include "surfaces/opening/policy_file.h"
#include "toolkit/context/context_builder.h"

namespace helve::cli {

namespace {

using context::BuiltContext;
using context::BuiltLayer;

// Called what its file is called, unless it says otherwise.
Result<context::Guide> read_guide_file(const std::string& path, Env& env) {
  HELVE_ASSIGN(const std::string text,
               opening::read_small_file(path, env, context::kGuideBytesMax));
  auto guide = context::read_guide(text, std::filesystem::path(path).stem().string());
  if (!guide) {
    Error error = std::move(guide).error();
    error.message = fmt::format("{}: {}", path, error.message);
    return error;
  }
  return guide;
}

// Everything that is read before the source is asked.
struct Inputs {
  context::ContextRequest request;
  std::optional<context::Guide> guide;
  std::optional<context::ConstraintFile> constraints;
  std::shared_ptr<memory::MemoryBank> bank;
};

// The bank that is named has to be there; the user's own need not be.
Result<std::shared_ptr<memory::MemoryBank>> open_bank(const ContextOptions& options,
                                                      CommandContext& context) {
  MemoryOptions bank;
  bank.bank = options.bank;
  auto opened = open_memory_bank(bank, false, context);
  if (opened || !options.bank.empty()) return opened;
  const ErrorCode code = opened.error().code;
  const bool is_absent = code == ErrorCode::NotFound || code == ErrorCode::InvalidInput;
  return is_absent ? Result<std::shared_ptr<memory::MemoryBank>>(nullptr) : opened;
}

Result<void> read_inputs(const ContextOptions& options, CommandContext& context, Inputs& inputs) {
  inputs.request.task = options.task;
  HELVE_ASSIGN(inputs.request.layers, context::read_layers(options.layers));
  HELVE_TRY(context::set_budget(inputs.request, options.budget));
  if (!options.guide.empty()) {
    HELVE_ASSIGN(inputs.guide, read_guide_file(options.guide, context.env));
    inputs.request.guide = &*inputs.guide;
  }
  if (!options.constraints.empty()) {
    HELVE_ASSIGN(const std::string text, opening::read_small_file(options.constraints, context.env,
                                                                  context::kConstraintBytesMax));
    HELVE_ASSIGN(inputs.constraints, context::parse_constraints(text, options.constraints));
    inputs.request.constraints = &*inputs.constraints;
  }
  if (!options.schema_summary.empty()) {
    HELVE_ASSIGN(inputs.request.schema_summary,
                 opening::read_small_file(options.schema_summary, context.env));
  }
  HELVE_ASSIGN(inputs.bank, open_bank(options, context));
  return {};
}

std::string parts_line(const BuiltLayer& layer) {
  std::vector<std::string> words;
  for (const auto& [part, chars] : layer.text.parts) {
    words.push_back(fmt::format("{} {}", escape_for_terminal(part), format_count(chars)));
  }
  std::string line = fmt::format("{}", fmt::join(words, ", "));
  if (layer.text.left_out > 0) line += fmt::format("; left out: {}", layer.text.left_out);
  return line;
}

std::string bar_of(std::size_t chars, std::size_t budget) {
  constexpr std::size_t kWidth = 20;
  const std::size_t full =
      budget == 0 ? 0 : std::min(kWidth, (chars * kWidth + budget / 2) / budget);
  std::string bar;
  for (std::size_t i = 0; i < kWidth; ++i) bar += i < full ? "█" : "░";
  return bar;
}

// What took how many characters, a line for each layer with its parts below.
std::string breakdown_of(const BuiltContext& built, const Terminal& terminal) {
  std::string text;
  std::size_t budget = 0;
  for (const BuiltLayer& layer : built.layers) {
    budget += layer.text.budget;
    text += fmt::format(
        "{} {}  {} {:>6} of {:>6}\n   {}\n", name_of(layer.layer),
        terminal.styled(Style::Accent, pad_end(title_of(layer.layer), 7)),
        bar_of(layer.text.chars, layer.text.budget), format_count(layer.text.chars),
        format_count(layer.text.budget),
        terminal.styled(Style::Dim,
                        elide_end(parts_line(layer), std::max<std::size_t>(terminal.width(), 80))));
  }
  text += fmt::format("   all      {} {:>6} of {:>6}\n", bar_of(built.chars, budget),
                      format_count(built.chars), format_count(budget));
  if (!built.injected.empty()) {
    text += fmt::format("lessons: {}\n", fmt::join(built.injected, ", "));
  }
  return text;
}

std::string json_of(const BuiltContext& built) {
  return json_object([&](JsonWriter& json) {
    json.member("text", built.text);
    json.member("chars", built.chars);
    write_objects(json, "layers", built.layers, [&](const BuiltLayer& layer) {
      json.member("layer", name_of(layer.layer));
      json.member("title", title_of(layer.layer));
      json.member("chars", layer.text.chars);
      json.member("budget", layer.text.budget);
      json.member("left_out", layer.text.left_out);
      write_objects(json, "parts", layer.text.parts, [&](const auto& part) {
        json.member("part", part.first);
        json.member("chars", part.second);
      });
      json.member("text", layer.text.text);
    });
    write_texts(json, "injected", built.injected);
    json.member("memory_items_injected", built.injected.size());
    write_texts(json, "stale", built.stale);
    json.member("schema_fingerprint", built.schema_fingerprint);
    json.member("guide", built.guide);
    write_texts(json, "red_flags", built.red_flags);
    write_texts(json, "notes", built.notes);
  });
}

void report(const BuiltContext& built, const ContextOptions& options,
            const CommandContext& context) {
  for (const std::string& flag : built.red_flags) context.warn("red flag: " + flag);
  for (const std::string& note : built.notes) context.note(escape_for_terminal(note));
  const bool is_wanted =
      options.shows_breakdown || (context.err_terminal.is_interactive() && !context.is_quiet);
  if (is_wanted) fmt::print(stderr, "{}", breakdown_of(built, context.err_terminal));
}

}  // namespace

Result<void> run_context(const ContextOptions& options, CommandContext& context) {
  Inputs inputs;
  HELVE_TRY(read_inputs(options, context, inputs));
  const opening::NamedSource named = opening::read_source(options.source, context.env.files());
  HELVE_ASSIGN(const AnySource source, open_any_source(named, {options.uses_cache}, context));
  std::optional<context::BriefCache> cache;
  if (options.uses_cache && context.cache) {
    cache.emplace(context.cache->folder / context::kBriefFolder, context.env);
  }
  context::ContextParts parts{source.graph.get(), source.tables.get(), std::nullopt,
                              cache ? &*cache : nullptr};
  if (inputs.bank != nullptr) parts.memory.emplace(*inputs.bank);
  HELVE_ASSIGN(const BuiltContext built, build_context(parts, inputs.request, context.op));
  // A bank that is not named is only read.
  if (!options.bank.empty()) {
    for (const std::string& id : built.injected) {
      inputs.bank->note_use(id, memory::Usage::Retrieved);
    }
  }
  HELVE_TRY(context.show(options.is_json ? json_of(built) : shown_lines(built.text)));
  if (!options.is_json) report(built, options, context);
  if (inputs.bank != nullptr) {
    for (const std::string& warning : inputs.bank->repository().take_warnings()) {
      context.warn(warning);
    }
  }
  source.finish(context.op);
  return {};
}

}  // namespace helve::cli
