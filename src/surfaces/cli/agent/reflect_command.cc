#include "surfaces/cli/agent/reflect_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/reflect/draft_text.h"
#include "agent/reflect/reflection.h"
#include "agent/reflect/rerun.h"
#include "agent/trajectory/diff.h"
#include "agent/trajectory/show.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/draft_prompt.h"
#include "surfaces/cli/agent/judge_command.h"
#include "surfaces/cli/agent/run_input.h"

namespace helve::cli {

namespace {

using agent::Reflection;
using memory::Item;
using memory::MemoryBank;

MemoryOptions bank_of(const ReflectOptions& options) {
  MemoryOptions memory;
  memory.bank = options.agent.session.bank;
  return memory;
}

bool is_written_out(const MemoryFields& fields) {
  return fields.title && fields.desc && fields.content;
}

void take_fields(const MemoryFields& fields, Item& item) {
  if (fields.title) item.title = *fields.title;
  if (fields.desc) item.desc = *fields.desc;
  if (fields.content) item.content = *fields.content;
  if (fields.domain) item.domain = *fields.domain;
  if (!fields.tags.empty()) item.tags = fields.tags;
}

// Null where none is configured, unless one was named.
Result<std::shared_ptr<llm::Provider>> model_of(const ReflectOptions& options,
                                                CommandContext& context) {
  const llm::ProviderWords& words = options.agent.models.model;
  const auto settings = llm::settle_provider(words, context.env);
  if (settings) return llm::open_provider(*settings, context.env);
  if (llm::is_any_given(words) || settings.error().code != ErrorCode::NotFound) {
    return settings.error();
  }
  return std::shared_ptr<llm::Provider>();
}

Result<Reflection> read_reflection(const ReflectOptions& options, CommandContext& context) {
  Reflection reflection;
  const std::string& file = options.trajectory.files.front();
  HELVE_ASSIGN(auto input, RunInput::open(file, context));
  const std::vector<std::uint64_t>& asked = options.trajectory.runs;
  HELVE_ASSIGN(const std::uint64_t number,
               input.choose(asked.empty() ? std::nullopt : std::optional(asked.front())));
  reflection.run_name =
      fmt::format("{}#{}", std::filesystem::path(input.name()).filename().string(), number);
  HELVE_ASSIGN(reflection.run, std::move(input).take(number));
  if (!options.compare.empty()) {
    HELVE_ASSIGN(reflection.other, read_run(options.compare, std::nullopt, context));
    if (reflection.other->task != reflection.run.task) {
      context.warn("the two runs were asked different questions");
    }
  }
  reflection.hint = options.hint;
  reflection.verdict =
      options.verdict.empty() ? agent::recorded_verdict(reflection.run) : options.verdict;
  return reflection;
}

Result<void> show_runs(const Reflection& reflection, const ReflectOptions& options,
                       CommandContext& context) {
  HELVE_ASSIGN(std::string text,
               agent::show_run(reflection.run, {std::nullopt, options.trajectory.is_full}));
  if (reflection.other) {
    text += agent::diff_text(agent::diff_runs(reflection.run, *reflection.other),
                             options.trajectory.is_full);
  }
  return context.show(text);
}

// A draft, what is wrong with it, and who has seen it.
struct Draft {
  Item item;
  bool is_seen = false;  // by a person: written, edited or approved
};

class DraftWork {
 public:
  DraftWork(const ReflectOptions& options, const Reflection& reflection, CommandContext& context)
      : options_(options), reflection_(reflection), context_(context) {}

  // None: it was rejected.
  Result<std::optional<Draft>> run(MemoryBank& bank) {
    HELVE_TRY(begin());
    if (options_.is_edited || draft_.item.title.empty()) HELVE_TRY(edit());
    while (true) {
      const auto checked = agent::check_draft(draft_.item, reflection_);
      HELVE_ASSIGN(const auto similar,
                   agent::similar_items(bank, draft_.item, reflection_, context_.op));
      HELVE_TRY(context_.show(shown_draft(draft_.item, similar, context_.out_terminal)));
      if (options_.is_approved && !checked) return checked.error();
      if (options_.is_approved) return std::optional(draft_);
      if (!checked)
        context_.warn(fmt::format("{} ({})", checked.error().message, checked.error().hint));
      HELVE_ASSIGN(const DraftWord word, ask_about_draft(context_));
      if (word == DraftWord::Reject) return std::optional<Draft>();
      if (word == DraftWord::Edit) {
        HELVE_TRY(edit());
      } else if (checked) {
        draft_.is_seen = true;
        return std::optional(draft_);
      }
    }
  }

 private:
  Result<void> begin() {
    draft_.item = agent::plain_draft(reflection_);
    draft_.is_seen = is_written_out(options_.fields);
    if (!draft_.is_seen && !options_.is_by_hand && !options_.is_edited) {
      HELVE_ASSIGN(const auto model, model_of(options_, context_));
      if (model != nullptr) {
        HELVE_ASSIGN(agent::ModelDraft drafted,
                     agent::draft_by_model(reflection_, *model, context_.op));
        draft_.item = std::move(drafted.item);
      }
    }
    take_fields(options_.fields, draft_.item);
    return {};
  }

  // A draft that cannot be read is opened again, as long as it is changed.
  Result<void> edit() {
    if (!has_editor(context_)) {
      return Error{ErrorCode::InvalidInput, "there is no draft, and no editor to write one",
                   "give --title, --desc and --content, set EDITOR, or configure a model"};
    }
    HELVE_ASSIGN(const std::string text,
                 edit_text(agent::draft_text(draft_.item,
                                             fmt::format("A lesson of {}: {}", reflection_.run_name,
                                                         reflection_.run.task)),
                           context_));
    HELVE_ASSIGN(draft_.item, agent::read_draft(text, draft_.item));
    draft_.is_seen = true;
    return {};
  }

  const ReflectOptions& options_;
  const Reflection& reflection_;
  CommandContext& context_;
  Draft draft_;
};

Result<agent::Rerun> rerun(const ReflectOptions& options, const Reflection& reflection,
                           const std::string& id, CommandContext& context) {
  HELVE_ASSIGN(const auto session, AskSession::open(options.agent, context));
  const agent::AskResult result = session->ask(reflection.run.task, {}, {});
  agent::Rerun done;
  done.run = result.run;
  const auto& injected = result.context.injected;
  done.had_item = std::find(injected.begin(), injected.end(), id) != injected.end();
  if (!options.reference.empty()) {
    agent::TaskCase task;
    task.id = reflection.run_name;
    task.question = reflection.run.task;
    HELVE_ASSIGN(task.reference, read_query_word(options.reference, "reference", context));
    HELVE_ASSIGN(done.judgment, judge_by_execution(session->tools(), std::move(task),
                                                   agent::judged_answer(result.run), context.op));
  }
  session->finish();
  return done;
}

Result<void> check_rerun(const ReflectOptions& options, CommandContext& context) {
  if (!options.is_rerun) return {};
  if (options.agent.session.sources.empty()) {
    return Error{ErrorCode::InvalidInput, "--rerun needs the source that was asked",
                 "name it: --source sample:"};
  }
  HELVE_TRY(llm::settle_provider(options.agent.models.model, context.env));
  return {};
}

Result<std::optional<Draft>> choose_draft(const ReflectOptions& options, Reflection& reflection,
                                          CommandContext& context) {
  std::optional<Draft> draft;
  const auto work = [&](MemoryBank& bank) -> Result<void> {
    if (!options.refine.empty()) {
      HELVE_TRY(memory::check_id(options.refine));
      HELVE_ASSIGN(const auto items, bank.repository().get({options.refine}, context.op));
      reflection.refined = items.front();
    }
    HELVE_ASSIGN(draft, DraftWork(options, reflection, context).run(bank));
    return {};
  };
  HELVE_TRY(with_bank(bank_of(options), true, context, work));
  return draft;
}

Result<void> keep(const Item& item, const ReflectOptions& options, const Reflection& reflection,
                  CommandContext& context) {
  return with_bank(bank_of(options), true, context, [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(const auto stored, agent::store_draft(bank, item, reflection, context.op));
    context.note(stored.changes.empty()
                     ? std::string("it was there already; nothing was changed")
                     : fmt::format("stored{}, change {}", item.quarantined ? " in quarantine" : "",
                                   fmt::join(stored.changes, " and ")));
    return context.show(stored.id + "\n");
  });
}

}  // namespace

Result<void> run_reflect(const ReflectOptions& options, CommandContext& context) {
  HELVE_TRY(check_rerun(options, context));
  HELVE_ASSIGN(Reflection reflection, read_reflection(options, context));
  HELVE_TRY(show_runs(reflection, options, context));
  HELVE_ASSIGN(auto draft, choose_draft(options, reflection, context));
  if (!draft) {
    context.note("rejected: nothing was stored");
    return {};
  }
  agent::note_review(draft->item, draft->is_seen, context.env.clock().wall());
  if (!options.is_rerun) return keep(draft->item, options, reflection, context);
  // The bank is closed between these: runs open it themselves, and the first must not know the
  // item.
  const std::string id = memory::id_of(draft->item);
  HELVE_ASSIGN(const agent::Rerun without, rerun(options, reflection, id, context));
  HELVE_TRY(keep(draft->item, options, reflection, context));
  HELVE_ASSIGN(const agent::Rerun with, rerun(options, reflection, id, context));
  return context.show(agent::rerun_text(without, with));
}

}  // namespace helve::cli
