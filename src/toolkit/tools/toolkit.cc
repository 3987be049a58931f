#include "toolkit/tools/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "toolkit/policy/gate.h"
#include "toolkit/policy/restricted_source.h"
#include "toolkit/skills/skill_set.h"
#include "toolkit/sql/sql_over_handles.h"
#include "toolkit/tools/call_audit.h"
#include "toolkit/tools/fact_cache.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/guarded_handles.h"
#include "toolkit/tools/reply_redaction.h"
#include "toolkit/tools/seen_source.h"
#include "toolkit/tools/session.h"
#include "toolkit/tools/source_table.h"
#include "toolkit/tools/table_tools.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kSearchChars = 2'000;
constexpr std::size_t kGetChars = 6'000;
constexpr Duration kTimeout = std::chrono::seconds(30);
constexpr std::size_t kCallIdBytes = 16;
constexpr std::size_t kNestedCallsMax = 2;  // call_tool of call_tool is enough

// What is known of a call before it is bound, and what becomes of it.
struct CallState {
  std::string_view name;             // that was called
  const JsonValue* given = nullptr;  // its arguments as they came
  const Tool* tool = nullptr;
  BoundCall bound;
  OpenSource asked;                      // as the policy shows it; there may be none
  std::set<std::string> met;             // sources of what is read: their policies hold
  std::shared_ptr<const Policy> policy;  // of the caller and of these sources
  std::string source = "session";        // what the reply names
  std::string call_hash;
  std::size_t max_chars = kSearchChars;
  std::optional<ConfirmationRequest> confirmation;
  WriteNotes notes;
  // Of call_tool around it, where the call itself does not say.
  std::optional<std::size_t> outer_chars;
  std::optional<std::string> outer_source;
};

// The characters that a call asks for, whatever else is wrong with it.
std::optional<std::size_t> asked_chars(const JsonValue& given) {
  const auto bound = bind_arguments(Tool{}, given);
  return bound ? bound->max_chars : std::nullopt;
}

class BuiltToolkit final : public Toolkit, public SourceSight {
 public:
  BuiltToolkit(ToolkitOptions options, Env& env, std::shared_ptr<GraphFactory> graphs,
               std::unique_ptr<AuditSink> audit)
      : env_(env),
        graphs_(std::move(graphs)),
        audit_(std::move(audit), env),
        skills_(options.skills != nullptr ? options.skills : SkillSet::built_in()),
        registry_(make_registry(skills_, options.bank == nullptr     ? MemoryAccess::None
                                         : options.has_memory_writes ? MemoryAccess::Write
                                                                     : MemoryAccess::Read)),
        bank_(options.bank),
        memory_(bank_ == nullptr ? std::nullopt : std::optional(memory::MemoryReader(*bank_))),
        has_memory_writes_(options.has_memory_writes),
        trusts_judgments_(options.trusts_judgments),
        marks_data_(options.marks_data),
        sql_(options.worker_program.empty()
                 ? nullptr
                 : std::make_unique<SqlOverHandles>(env, options.worker_program)),
        sessions_(std::move(options), env, *graphs_,
                  {[this](const EndedTransaction& ended) { record_rollback(ended); },
                   [this](const PendingChange& change, std::string_view why) {
                     record_unanswered(change, why);
                   }}) {}

  Result<void> declare_source(SourceInfo info, std::shared_ptr<const Policy> policy) override {
    return sources_.declare(std::move(info), std::move(policy));
  }
  Result<void> replace_source(std::shared_ptr<const GraphSource> source) override {
    return sources_.set(std::move(source), env_.clock().wall());
  }
  Result<void> replace_source(std::shared_ptr<const TableSource> source) override {
    return sources_.set(std::move(source), env_.clock().wall(), env_);
  }
  Result<void> fail_source(const std::string& name, Error error) override {
    return sources_.fail(name, std::move(error), env_.clock().wall());
  }
  Result<void> confirm_source(const std::string& name) override { return sources_.confirm(name); }

  std::vector<SourceInfo> sources() const override {
    std::vector<SourceInfo> infos;
    for (KnownSource& source : sources_.list()) infos.push_back(std::move(source.info));
    return infos;
  }
  std::vector<KnownSource> sources(const Caller& caller) const override {
    return sources_.list(*caller.policy);
  }

  const Registry& registry() const override { return registry_; }
  const SkillSet& skills() const override { return *skills_; }

  CallOutcome call(std::string_view tool, const JsonValue& arguments, const Caller& caller,
                   const OpContext& op) override {
    if (!caller.ask_person) return call_once(tool, arguments, caller, op);
    Caller asked = caller;
    asked.has_person = true;
    CallOutcome outcome = call_once(tool, arguments, asked, op);
    // The question comes again if the data changed while the person was thinking.
    constexpr int kQuestionsMax = 3;
    for (int i = 0; i < kQuestionsMax && outcome.confirmation; ++i) {
      const std::string token = outcome.confirmation->token;
      PersonAnswer answer = caller.ask_person(*outcome.confirmation, op);
      asked.confirmed = answer.is_yes ? token : std::string();
      asked.declined = answer.is_yes ? std::string() : token;
      asked.unanswered = std::move(answer.unanswered);
      outcome = call_once(tool, arguments, asked, op);
    }
    return outcome;
  }

  CallOutcome call_once(std::string_view tool, const JsonValue& arguments, const Caller& caller,
                        const OpContext& op) {
    const auto started = env_.clock().now();
    CallState state;
    state.name = tool;
    state.given = &arguments;
    state.max_chars = std::min(kSearchChars, caller.policy->max_chars);
    std::shared_ptr<Session> session;
    ToolAnswer answer = [&]() -> ToolAnswer {
      if (auto ready = audit_.check(*caller.policy); !ready) {
        return ToolError(std::move(ready).error());
      }
      auto opened = sessions_.open(caller, op);
      if (!opened) return ToolError(std::move(opened).error());
      session = *std::move(opened);
      sessions_.sweep(*session);
      return run(std::string(tool), arguments, caller, *session, op, state, 0);
    }();
    CallOutcome outcome;
    outcome.tool = tool;
    outcome.ms = std::chrono::duration<double, std::milli>(env_.clock().now() - started).count();
    outcome.answer = std::move(answer);
    outcome.source = state.source;
    outcome.confirmation = std::move(state.confirmation);
    outcome.format = state.bound.output_format.value_or("");
    if (session != nullptr && !caller.declined.empty()) settle_declined(caller, *session, state);
    finish(arguments, state, session.get(), outcome);
    record(state, caller, session.get(), outcome);
    return outcome;
  }

  void end_session(const Caller& caller) override { sessions_.end(caller); }

  Result<std::shared_ptr<HandleStore>> handles(const Caller& caller, const OpContext& op) override {
    HELVE_ASSIGN(const auto session, sessions_.open(caller, op));
    return std::shared_ptr<HandleStore>(session, session->handles.get());
  }

  Result<SeenSource> see(const std::string& name, const Caller& caller,
                         const OpContext& op) override {
    return see_in(sources_, audit_, bank_.get(), has_memory_writes_, name, caller, op);
  }

  LeakageReport leakage(const Caller& caller) const override { return sessions_.leakage(caller); }
  ToolkitUsage usage() const override { return sessions_.usage(); }

 private:
  // Finds the tool, binds, asks the policy, runs.
  ToolAnswer run(const std::string& name, const JsonValue& given, const Caller& caller,
                 Session& session, const OpContext& op, CallState& state, std::size_t depth) {
    const auto found = registry_.find(name);
    state.tool = found ? *found : nullptr;
    const bool is_get = found && state.tool->phase == ReplyPhase::Get;
    const std::size_t usual = state.outer_chars.value_or(is_get ? kGetChars : kSearchChars);
    const auto refuse = [&](Error error) {
      state.max_chars = clamp_chars(*caller.policy, asked_chars(given).value_or(usual));
      return ToolError(std::move(error));
    };
    if (!found) return refuse(found.error());
    if (auto allowed = check_call(*caller.policy, nature_of(*state.tool)); !allowed) {
      return refuse(std::move(allowed).error());
    }
    auto bound = bind_arguments(*state.tool, given);
    if (!bound) return with_example(refuse(std::move(bound).error()), *state.tool);
    state.bound = *std::move(bound);
    if (!state.bound.source) state.bound.source = state.outer_source;
    auto chosen = sources_.choose(state.bound.source, wanted_kind(*state.tool), caller.policy);
    if (!chosen) return refuse(std::move(chosen).error());
    if (needs_source(*state.tool) && !chosen->warning.empty()) {
      state.bound.warnings.push_back(chosen->warning);
    }
    if (is_asked_of_a_source(state) && !chosen->name.empty()) {
      state.met.insert(chosen->name);
      if (!chosen->staleness.empty()) state.bound.warnings.push_back(chosen->staleness);
    }
    // Which handles a call reads shows while it runs: then it begins anew within the policies of
    // their sources too, at most once for each of them.
    OpContext within = op;
    within.caller = std::hash<std::string>()(caller.identity) | 1U;
    while (true) {
      if (auto settled = settle_policy(caller, state); !settled) {
        return refuse(std::move(settled).error());
      }
      state.max_chars = clamp_chars(*state.policy, state.bound.max_chars.value_or(usual));
      clamp_limit(*state.policy, state);
      within = limited(within, state);
      if (auto opened = open_source(*chosen, within, state); !opened) {
        Error error = std::move(opened).error();
        // The message may quote a broken file.
        if (error.code == ErrorCode::Unavailable && error.detail.empty()) {
          error.restate("the source cannot be read");
        }
        return ToolError(std::move(error));
      }
      state.call_hash = hash_call(*state.tool, state.bound.arguments, name_of_source(state.asked));
      std::set<std::string> unmet;
      ToolAnswer answer = handle(caller, session, op, within, state, depth, unmet);
      if (unmet.empty()) return answer;
      state.met.merge(unmet);
    }
  }

  static ToolError with_example(ToolError answer, const Tool& tool) {
    if (!tool.examples.empty()) {
      answer.example = fmt::format("{} {}", tool.name, to_json(tool.examples.front().arguments));
    }
    return answer;
  }

  static void clamp_limit(const Policy& policy, CallState& state) {
    for (Arguments::Bound& one : state.bound.arguments.bound) {
      auto* number = std::get_if<std::int64_t>(&one.value);
      if (one.name != "limit" || number == nullptr) continue;
      const auto asked = static_cast<std::uint64_t>(*number);
      const std::uint64_t granted = clamp_rows(policy, asked);
      if (granted == asked) continue;
      *number = static_cast<std::int64_t>(granted);
      state.bound.warnings.push_back(
          fmt::format("limit {} was lowered to {} by the policy", asked, granted));
    }
  }

  // Tools that only read never get it.
  static const TableWriter* writer_of(const CallState& state) {
    const bool may_write = state.tool->is_writing && !state.policy->read_only;
    return may_write && state.asked.tables != nullptr ? state.asked.tables->writer() : nullptr;
  }

  static bool needs_source(const Tool& tool) {
    return tool.needs_graph || tool.needs_tables || tool.needs_either;
  }
  static std::optional<SourceKind> wanted_kind(const Tool& tool) {
    if (tool.needs_tables) return SourceKind::Tables;
    if (tool.needs_graph || tool.takes_graph) return SourceKind::Graph;
    return std::nullopt;
  }

  static std::string_view name_of_source(const OpenSource& asked) {
    if (asked.graph != nullptr) return asked.graph->info().name;
    return asked.tables != nullptr ? std::string_view(asked.tables->info().name)
                                   : std::string_view();
  }

  static bool is_asked_of_a_source(const CallState& state) {
    return needs_source(*state.tool) || state.tool->takes_graph || state.bound.source.has_value();
  }

  // What the call may do: less on some sources than on others.
  Result<void> settle_policy(const Caller& caller, CallState& state) {
    state.policy = sources_.meet(caller.policy, state.met);
    HELVE_TRY(check_call(*state.policy, nature_of(*state.tool)));
    if (auto recorded = audit_.check_tool(*state.policy, *state.tool); !recorded) {
      state.notes.rule = "audit";
      return recorded;
    }
    // Where the caller's policy did not ask for it.
    if (caller.policy->audit == AuditMode::Off) HELVE_TRY(audit_.check(*state.policy));
    return {};
  }

  // Where there are sources of the other kind alone, their tools are named.
  Error no_source(const Tool& tool, const Policy& policy) const {
    const auto others = sources_.list(policy);
    if (tool.needs_tables) {
      return {ErrorCode::NotFound,
              fmt::format("{} needs a SQL database, and there is none", tool.name),
              "name one: --source NAME=sqlite:FILE, postgresql://... or mysql://..." +
                  (others.empty() ? ""
                                  : fmt::format("; {} is a graph: sparql_query asks it",
                                                others.front().info.name))};
    }
    return {ErrorCode::NotFound, fmt::format("{} needs a graph, and there is none", tool.name),
            others.empty() ? "name one: --source NAME=FILE, or load one with g_load"
                           : fmt::format("{} is a SQL database: query_execute and schema_inspect "
                                         "ask it; g_load loads a graph",
                                         others.front().info.name)};
  }

  // Gives the call its source, waiting for one that is being loaded where it is needed.
  Result<void> open_source(SourceChoice choice, const OpContext& op, CallState& state) {
    if (choice.name.empty()) {
      if (!needs_source(*state.tool)) return {};
      return no_source(*state.tool, *state.policy);
    }
    if (!is_asked_of_a_source(state)) {
      state.asked = sources_.open_if_ready(choice, op);
      return {};
    }
    if (needs_source(*state.tool) || state.bound.source) state.source = choice.name;
    choice.policy = state.policy;
    HELVE_ASSIGN(state.asked, sources_.open(choice, op));
    return {};
  }

  OpContext limited(const OpContext& op, const CallState& state) const {
    OpContext limited = op;
    const Duration asked =
        state.bound.arguments.has("timeout") ? state.bound.arguments.seconds("timeout") : kTimeout;
    const Duration granted = clamp_timeout(*state.policy, asked);
    if (op.deadline.is_never() || granted < op.deadline.remaining()) {
      limited.deadline = Deadline(env_.clock(), granted);
    }
    return limited;
  }

  // `op` is that of the surface, `within` what the policy leaves of it. Where there are sources in
  // `unmet`, the answer is none.
  ToolAnswer handle(const Caller& caller, Session& session, const OpContext& op,
                    const OpContext& within, CallState& state, std::size_t depth,
                    std::set<std::string>& unmet) {
    const std::shared_ptr<const Policy> kept = state.policy;  // call_other changes the state
    const Policy& policy = *kept;
    const std::set<std::string> met = state.met;
    MemoryBudget memory("call", policy.memory_bytes_max, op.memory);
    GuardedHandles handles(*session.handles, sources_, *caller.policy, met);
    ToolCall call{*state.tool,
                  state.bound.arguments,
                  policy,
                  caller,
                  within,
                  state.asked.graph.get(),
                  state.asked.tables,
                  writer_of(state),
                  handles,
                  *graphs_,
                  sql_.get(),
                  registry_,
                  env_,
                  facts_,
                  session.writes,
                  write_session(caller)};
    call.op.memory = &memory;
    if (memory_) {
      call.memory = &*memory_;
      const bool may_write = has_memory_writes_ && policy.memory_writes &&
                             state.tool->memory_writes != MemoryWrites::Never;
      call.memory_writer = may_write ? bank_.get() : nullptr;
    }
    call.trusts_judgments = trusts_judgments_;
    call.max_chars = state.max_chars;
    call.call_hash = state.call_hash;
    if (state.tool->is_writing) call.notes.call_id = env_.random().hex(kCallIdBytes);
    call.record_intent = [&](const WriteNotes& notes) {
      return audit_.intent(audited(state, caller, &session), notes);
    };
    call.within_policy = [policy_of_call = state.policy](std::shared_ptr<const GraphSource> graph) {
      // What is behind a handle of this session was made or loaded within the policy: its graphs
      // are not those that the policy names.
      Policy policy_of_handles = *policy_of_call;
      policy_of_handles.allowed_graphs.reset();
      return restrict_source(std::move(graph),
                             std::make_shared<const Policy>(std::move(policy_of_handles)));
    };
    // The inner tool becomes the call: its budget, its source, its warnings.
    call.call_other = [&, depth](const std::string& name,
                                 const JsonValue& arguments) -> ToolAnswer {
      if (depth + 1 >= kNestedCallsMax) {
        return ToolError(
            Error{ErrorCode::InvalidInput, "call_tool cannot call itself", "name the tool itself"});
      }
      CallState inner;
      inner.name = state.name;
      inner.given = state.given;
      inner.source = state.source;
      inner.outer_chars = state.bound.max_chars;
      inner.outer_source = state.bound.source;
      ToolAnswer answer = run(name, arguments, caller, session, op, inner, depth + 1);
      inner.bound.warnings.insert(inner.bound.warnings.begin(), state.bound.warnings.begin(),
                                  state.bound.warnings.end());
      state = std::move(inner);
      return answer;
    };
    ToolAnswer answer = state.tool->handler(call);
    unmet = handles.unmet();
    if (call.confirmation) state.confirmation = std::move(call.confirmation);
    if (call.tool.is_writing) {
      state.notes = std::move(call.notes);
      sessions_.watch(session);
    }
    return answer;
  }

  // However the call ended, the question is over, and its record says how.
  static void settle_declined(const Caller& caller, Session& session, CallState& state) {
    session.writes.confirmations.drop(caller.declined);
    state.notes.confirmation = caller.unanswered.empty() ? "refused" : "timeout";
  }

  void record_rollback(const EndedTransaction& ended) const {
    if (!ended.content.is_recorded) return;
    AuditRecord record;
    record.identity = ended.owner.identity;
    record.session = ended.owner.session;
    record.tool = "transaction";
    record.source = ended.source;
    record.transaction = ended.content.id;
    record.estimated = ended.content.affected;
    record.affected = 0;
    record.verdict = "rolled_back";
    record.reason = ended.why;
    audit_.event(std::move(record));
  }

  void record_unanswered(const PendingChange& change, std::string_view why) const {
    const QuestionOrigin& origin = change.origin;
    if (!origin.is_recorded) return;
    AuditRecord record;
    record.identity = origin.asker.identity;
    record.session = origin.asker.session;
    record.tool = origin.tool;
    record.source = origin.source;
    record.query_hash = origin.query_hash;
    record.call_id = origin.call_id;
    record.transaction = origin.transaction;
    record.estimated = change.rows;
    record.affected = 0;
    record.confirmation = "timeout";
    record.verdict = "unanswered";
    record.reason = why;
    audit_.event(std::move(record));
  }

  ReplyFrame frame_of(const CallState& state, double ms) const {
    ReplyFrame frame;
    frame.source = state.source;
    frame.execution_time_ms = ms;
    frame.max_chars = state.max_chars;
    if (state.asked.graph != nullptr) frame.prefixes = shown_prefixes(*state.asked.graph);
    if (state.asked.tables != nullptr) frame.prefixes = table_prefixes();
    return frame;
  }

  // Renders the answer, with what is to be told of the call itself.
  void finish(const JsonValue& given, const CallState& state, Session* session,
              CallOutcome& outcome) {
    redact_errors(outcome.answer);
    ReplyFrame frame = frame_of(state, outcome.ms);
    if (auto* reply = std::get_if<Reply>(&outcome.answer)) {
      // What was computed from handles alone has their sources.
      if (state.tool != nullptr && !needs_source(*state.tool) && !state.bound.source &&
          reply->handle && !reply->handle->source.empty()) {
        frame.source = reply->handle->source;
      }
      if (!reply->source.empty()) {
        frame.source = reply->source;
        frame.prefixes = reply->prefixes;
      }
    } else {
      add_hint(state, std::get<ToolError>(outcome.answer));
    }
    auto& warnings = warnings_of(outcome.answer);
    if (!state.asked.staleness.empty()) warnings.insert(warnings.begin(), state.asked.staleness);
    warnings.insert(warnings.begin(), state.bound.warnings.begin(), state.bound.warnings.end());
    outcome.reply = render_answer(outcome.answer, frame);
    if (session == nullptr) return;
    const std::uint64_t repeats = session->repeats.note(hash_of(outcome.tool + to_json(given)),
                                                        hash_of(without_time(outcome.reply.json)));
    if (repeats > 0) {
      warnings.push_back(fmt::format("this call was made {} before, with the same answer",
                                     repeats == 1 ? "once" : fmt::format("{} times", repeats)));
      outcome.reply = render_answer(outcome.answer, frame);
    }
    measure(state, *session, outcome);
  }

  // Errors from below may have no hint of their own.
  static void add_hint(const CallState& state, ToolError& failure) {
    if (!failure.error.hint.empty() || state.tool == nullptr) return;
    failure.error.hint = fmt::format("list_tools category={} verbose=true shows how {} is called",
                                     name_of(state.tool->category), state.tool->name);
  }

  static std::vector<std::string>& warnings_of(ToolAnswer& answer) {
    auto* reply = std::get_if<Reply>(&answer);
    return reply != nullptr ? reply->warnings : std::get<ToolError>(answer).warnings;
  }

  // Marks are made anew for each reply, and never of a word that the reply has otherwise.
  RenderedReply render_answer(const ToolAnswer& answer, ReplyFrame frame) {
    const auto render_in_frame = [&] {
      RenderedReply rendered =
          std::visit([&](const auto& content) { return render(content, frame); }, answer);
      redact_reply(rendered);
      return rendered;
    };
    if (!marks_data_) return render_in_frame();
    constexpr std::size_t kBytes = 3;
    for (std::size_t bytes = kBytes;; ++bytes) {
      frame.boundary = env_.random().hex(bytes);
      RenderedReply rendered = render_in_frame();
      const std::size_t first = rendered.text.find(frame.boundary);
      if (first == std::string::npos) return rendered;
      const std::size_t second = rendered.text.find(frame.boundary, first + 1);
      if (rendered.text.find(frame.boundary, second + 1) == std::string::npos) return rendered;
    }
  }

  // The reply as it would be at any other time.
  static std::string without_time(std::string json) {
    constexpr std::string_view kTime = "\"execution_time_ms\":";
    const std::size_t begin = json.rfind(kTime);
    if (begin == std::string::npos) return json;
    const std::size_t end = std::min(json.find_first_of(",}", begin), json.size());
    json.erase(begin, end - begin);
    return json;
  }

  static void measure(const CallState& state, Session& session, CallOutcome& outcome) {
    const auto* reply = std::get_if<Reply>(&outcome.answer);
    outcome.reply_chars = utf8_length(outcome.reply.text);
    if (reply != nullptr && reply->handle && session.note_handle(reply->handle->key)) {
      outcome.stored_chars = reply->handle->sz;
    }
    session.leakage.add(state.tool != nullptr ? state.tool->name : "unknown tool",
                        outcome.reply_chars, outcome.stored_chars, outcome.reply.is_error);
  }

  static AuditedCall audited(const CallState& state, const Caller& caller, const Session* session) {
    return {state.name,
            state.tool,
            state.bound.arguments,
            *state.given,
            state.source,
            state.call_hash,
            caller,
            state.policy ? *state.policy : *caller.policy,
            session != nullptr ? &session->writes.confirmations : nullptr};
  }

  static std::string_view rule_of(const CallState& state, const Caller& caller) {
    if (!state.notes.rule.empty() || state.tool == nullptr) return state.notes.rule;
    return rule_against(state.policy ? *state.policy : *caller.policy, nature_of(*state.tool));
  }

  // What cannot be recorded is not answered; a change that is made is not taken back by that.
  void record(const CallState& state, const Caller& caller, const Session* session,
              CallOutcome& outcome) {
    auto written = audit_.call(audited(state, caller, session),
                               {outcome.reply, outcome.ms, rule_of(state, caller)}, state.notes);
    if (written) return;
    if (state.notes.is_made) {
      warnings_of(outcome.answer)
          .push_back(
              fmt::format("the change is made, and its intent is recorded as {}, but its end "
                          "could not be: {}",
                          state.notes.call_id, written.error().message));
    } else {
      outcome.answer = ToolError(std::move(written).error());
      outcome.confirmation.reset();
    }
    outcome.reply = render_answer(outcome.answer, frame_of(state, outcome.ms));
  }

  Env& env_;
  std::shared_ptr<GraphFactory> graphs_;
  CallAudit audit_;
  std::shared_ptr<const SkillSet> skills_;
  Registry registry_;
  const std::shared_ptr<memory::MemoryBank> bank_;
  const std::optional<const memory::MemoryReader> memory_;  // reads bank_; nullopt without one
  const bool has_memory_writes_;
  const bool trusts_judgments_;
  bool marks_data_;
  std::unique_ptr<SqlOverHandles> sql_;  // null: not available
  FactCache facts_;
  Sessions sessions_;
  SourceTable sources_;
};

}  // namespace

Result<void> Toolkit::add_source(std::shared_ptr<const GraphSource> source,
                                 std::shared_ptr<const Policy> policy) {
  HELVE_TRY(declare_source(source->info(), std::move(policy)));
  return replace_source(std::move(source));
}

Result<void> Toolkit::add_source(std::shared_ptr<const TableSource> source,
                                 std::shared_ptr<const Policy> policy) {
  HELVE_TRY(declare_source(source->info(), std::move(policy)));
  return replace_source(std::move(source));
}

Result<std::unique_ptr<Toolkit>> Toolkit::make(ToolkitOptions options, Env& env,
                                               std::shared_ptr<GraphFactory> graphs,
                                               std::unique_ptr<AuditSink> audit) {
  return std::make_unique<BuiltToolkit>(std::move(options), env, std::move(graphs),
                                        std::move(audit));
}

}  // namespace helve::toolkit
