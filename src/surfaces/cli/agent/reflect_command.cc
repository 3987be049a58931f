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
#include "surfaces/cli/agent/reflect_json.h"
#include "surfaces/cli/agent/run_input.h"
#include "surfaces/cli/confirm_prompt.h"

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

bool is_any_given(const MemoryFields& fields) {
  return fields.title || fields.desc || fields.content || fields.domain || !fields.tags.empty();
}

void take_fields(const MemoryFields& fields, Item& item) {
  if (fields.title) item.title = *fields.title;
  if (fields.desc) item.desc = *fields.desc;
  if (fields.content) item.content = *fields.content;
  if (fields.domain) item.domain = *fields.domain;
  if (!fields.tags.empty()) item.tags = fields.tags;
}

void warn(const Error& error, const CommandContext& context) {
  context.warn(error.hint.empty() ? error.full_message()
                                  : fmt::format("{} ({})", error.full_message(), error.hint));
}

// Null where none is configured, unless one was named.
Result<std::shared_ptr<llm::Provider>> model_of(const ReflectOptions& options,
                                                CommandContext& context) {
  const llm::ProviderWords& words = options.agent.models.model;
  const auto settings = llm::settle_provider(words, context.env);
  // The builtin one answers questions, and writes no texts.
  if (settings && settings->dialect == llm::Dialect::Builtin) {
    return std::shared_ptr<llm::Provider>();
  }
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

// What is approved already is stored, whoever still reads along: "| head" closes its end early.
Result<void> show_or_go_on(const std::string& text, const ReflectOptions& options,
                           CommandContext& context) {
  if (options.is_json) return {};  // all of it is one object, at the end
  const auto shown = context.show(text);
  return options.is_approved ? Result<void>() : shown;
}

Result<void> show_runs(const Reflection& reflection, const ReflectOptions& options,
                       CommandContext& context) {
  HELVE_ASSIGN(std::string text,
               agent::show_run(reflection.run, {std::nullopt, options.trajectory.is_full}));
  if (reflection.other) {
    text += agent::diff_text(agent::diff_runs(reflection.run, *reflection.other),
                             options.trajectory.is_full);
  }
  return show_or_go_on(text, options, context);
}

// A draft, and who has seen it.
struct Draft {
  Item item;
  bool is_seen = false;  // by a person: written, edited or approved
  std::vector<agent::SimilarItem> similar = {};
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
      HELVE_ASSIGN(draft_.similar,
                   agent::similar_items(bank, draft_.item, reflection_, context_.op));
      HELVE_TRY(show_or_go_on(shown_draft(draft_.item, draft_.similar, context_.out_terminal),
                              options_, context_));
      if (options_.is_approved && !checked) return checked.error();
      if (options_.is_approved) return std::optional(draft_);
      if (!checked) warn(checked.error(), context_);
      HELVE_ASSIGN(const DraftWord word, ask_about_draft(context_));
      if (word == DraftWord::Reject) return std::optional<Draft>();
      if (word == DraftWord::Edit) {
        HELVE_TRY(edit_again());
      } else if (checked) {
        draft_.is_seen = true;
        return std::optional(draft_);
      }
    }
  }

 private:
  Result<void> begin() {
    const bool is_written = is_written_out(options_.fields);
    std::shared_ptr<llm::Provider> model;
    if (!is_written && !options_.is_by_hand) {
      HELVE_ASSIGN(model, model_of(options_, context_));
    }
    if (model != nullptr) {
      HELVE_ASSIGN(agent::ModelDraft drafted,
                   agent::draft_by_model(reflection_, *model, context_.op));
      draft_.item = std::move(drafted.item);
    } else {
      draft_.item = agent::plain_draft(reflection_);
      if (!options_.hint.empty()) context_.warn("no model is asked: nobody reads the hint");
    }
    take_fields(options_.fields, draft_.item);
    draft_.is_seen = is_written || (model == nullptr && is_changed_by_person());
    return {};
  }

  // Of an item that is in use, somebody has seen the rest.
  bool is_changed_by_person() const {
    return reflection_.refined && reflection_.refined->is_active() && is_any_given(options_.fields);
  }

  Result<void> edit() {
    // A script does not wait for an editor that it did not ask for.
    if (options_.is_approved && !options_.is_edited) {
      return Error{ErrorCode::InvalidInput, "there is no draft that could be stored",
                   "give --title, --desc and --content, or configure a model"};
    }
    if (!has_editor(context_)) {
      return Error{ErrorCode::InvalidInput, "there is no editor to write the draft in",
                   "set EDITOR, or give --title, --desc and --content"};
    }
    const auto read = [&](const std::string& text) -> Result<void> {
      HELVE_ASSIGN(draft_.item, agent::read_draft(text, draft_.item));
      return {};
    };
    const std::string about =
        fmt::format("A lesson of {}: {}", reflection_.run_name, reflection_.run.task);
    HELVE_TRY(edit_text(agent::draft_text(draft_.item, about), read, context_));
    draft_.is_seen = true;
    return {};
  }

  // Who sits at a terminal can go on with the draft as it was.
  Result<void> edit_again() {
    auto edited = edit();
    if (edited || !can_ask_person(context_)) return edited;
    warn(edited.error(), context_);
    return {};
  }

  const ReflectOptions& options_;
  const Reflection& reflection_;
  CommandContext& context_;
  Draft draft_;
};

Result<agent::Rerun> rerun(const ReflectOptions& options, const Reflection& reflection,
                           const std::string& reference, const std::string& id,
                           CommandContext& context) {
  HELVE_ASSIGN(const auto session, AskSession::open(options.agent, context));
  const agent::AskResult result = session->ask(reflection.run.task, {}, {});
  agent::Rerun done;
  done.run = result.run;
  const auto& injected = result.context.injected;
  done.had_item = std::find(injected.begin(), injected.end(), id) != injected.end();
  if (!reference.empty()) {
    agent::TaskCase task;
    task.id = reflection.run_name;
    task.question = reflection.run.task;
    task.reference = reference;
    const auto judgment = judge_by_execution(session->tools(), std::move(task),
                                             agent::judged_answer(result.run), context.op);
    if (judgment) done.judgment = *judgment;
    if (!judgment) warn(judgment.error(), context);
  }
  session->finish();
  return done;
}

Result<void> check_rerun(const ReflectOptions& options, CommandContext& context) {
  if (!options.is_rerun && !options.reference.empty()) {
    return Error{ErrorCode::InvalidInput, "--reference judges reruns", "add --rerun"};
  }
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
      HELVE_ASSIGN(const auto items, bank.repository().get({options.refine}, context.op));
      HELVE_TRY(agent::check_refined(items.front()));
      reflection.refined = items.front();
    }
    HELVE_ASSIGN(draft, DraftWork(options, reflection, context).run(bank));
    return {};
  };
  // What is refined is in a bank that is there.
  HELVE_TRY(with_bank(bank_of(options), options.refine.empty(), context, work));
  return draft;
}

std::string draft_outcome(const agent::StoredDraft& stored) {
  using agent::DraftState;
  const std::string where = stored.is_quarantined ? " in quarantine" : "";
  if (stored.state == DraftState::Exists && stored.changes.empty()) {
    return fmt::format("it was there already{}; nothing was changed", where);
  }
  std::string what = "stored" + where;
  if (stored.state == DraftState::Exists) what = "it was there already";
  if (stored.state == DraftState::Changed) what = "edited";
  if (stored.state == DraftState::Released) what = "it was there in quarantine, and is active now";
  return fmt::format("{}, change {}", what, fmt::join(stored.changes, " and "));
}

Result<agent::StoredDraft> keep(const Item& item, const ReflectOptions& options,
                                const Reflection& reflection, CommandContext& context) {
  agent::StoredDraft stored;
  const auto work = [&](MemoryBank& bank) -> Result<void> {
    HELVE_ASSIGN(stored, agent::store_draft(bank, item, reflection, context.op));
    if (options.is_json) return {};
    context.note(draft_outcome(stored));
    if (reflection.refined && stored.is_quarantined && stored.id != reflection.refined->id) {
      const std::string& old = reflection.refined->id;
      context.note(
          fmt::format("{0} stays until somebody has looked at the new one: helve memory "
                      "edit {1} --verified, then helve memory merge {1} {0}",
                      old, stored.id));
    }
    return context.show(stored.id + "\n");
  };
  HELVE_TRY(with_bank(bank_of(options), true, context, work));
  return stored;
}

// The item is kept whatever becomes of the runs.
Result<void> keep_between_runs(ReflectReport& report, const ReflectOptions& options,
                               const Reflection& reflection, const std::string& reference,
                               CommandContext& context) {
  // The bank is closed between these: runs open it themselves, and the first must not know the
  // item.
  const std::string id = memory::id_of(report.item);
  auto without = rerun(options, reflection, reference, id, context);
  HELVE_ASSIGN(report.stored, keep(report.item, options, reflection, context));
  if (!without) return without.error();
  HELVE_ASSIGN(agent::Rerun with, rerun(options, reflection, reference, id, context));
  report.reruns.emplace(*std::move(without), std::move(with));
  if (options.is_json) return {};
  return context.show(agent::rerun_text(report.reruns->first, report.reruns->second));
}

}  // namespace

Result<void> run_reflect(const ReflectOptions& given, CommandContext& context) {
  ReflectOptions options = given;
  if (options.is_json && !options.is_approved) {
    return Error{ErrorCode::InvalidInput, "--json is for programs, and a draft is asked about",
                 "add --yes: nobody is asked, and what nobody has seen is quarantined"};
  }
  HELVE_TRY(check_rerun(options, context));
  if (!options.refine.empty()) HELVE_TRY(memory::check_id(options.refine));
  // Runs know no bank of the user by themselves, and write only one that was named.
  options.agent.session.is_bank_read_only = options.agent.session.bank.empty();
  HELVE_ASSIGN(options.agent.session.bank, bank_place(bank_of(options)));
  std::string reference;
  if (options.is_rerun && !options.reference.empty()) {
    HELVE_ASSIGN(reference, read_query_word(options.reference, "reference", context));
  }
  HELVE_ASSIGN(Reflection reflection, read_reflection(options, context));
  HELVE_TRY(show_runs(reflection, options, context));
  HELVE_ASSIGN(auto draft, choose_draft(options, reflection, context));
  if (!draft) {
    context.note("rejected: nothing was stored");
    return {};
  }
  agent::note_review(draft->item, draft->is_seen, context.env.clock().wall());
  ReflectReport report{std::move(draft->item), std::move(draft->similar), {}, {}};
  Result<void> done;
  if (options.is_rerun) {
    done = keep_between_runs(report, options, reflection, reference, context);
  } else {
    HELVE_ASSIGN(report.stored, keep(report.item, options, reflection, context));
  }
  // What was stored is told, whatever became of the runs.
  if (options.is_json && !report.stored.id.empty()) {
    report.item.id = report.stored.id;
    HELVE_TRY(context.show(reflect_json(report)));
  }
  return done;
}

}  // namespace helve::cli
