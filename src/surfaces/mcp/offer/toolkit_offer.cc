#include "surfaces/mcp/offer/toolkit_offer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "surfaces/mcp/offer/confirming.h"
#include "surfaces/mcp/offer/helve_uri.h"
#include "surfaces/mcp/offer/prompts.h"
#include "surfaces/mcp/offer/resources.h"
#include "surfaces/mcp/offer/tool_entries.h"

namespace helve::mcp {

namespace {

// The reply is JSON already: it is put in, not read again.
std::string call_result(const toolkit::RenderedReply& reply, Revision revision) {
  std::string out;
  out.reserve(reply.text.size() + reply.text.size() / 8 + reply.json.size() + 100);
  out += R"({"content":[{"type":"text","text":)";
  append_json_string(out, reply.text);
  out += "}]";
  if (has_structure(revision)) {
    out += R"(,"structuredContent":)";
    out += reply.json;
  }
  out += reply.is_error ? R"(,"isError":true})" : R"(,"isError":false})";
  return out;
}

void log_call(const toolkit::CallOutcome& outcome, Turn& turn) {
  std::string data = R"({"tool":)";
  append_json_string(data, outcome.tool);
  data += R"(,"source":)";
  append_json_string(data, outcome.source);
  fmt::format_to(std::back_inserter(data), R"(,"rows":{},"ms":{:.3f},"error":{}}})",
                 outcome.reply.rows_shown, outcome.ms, outcome.reply.is_error);
  turn.log(LogLevel::Debug, "tools", data);
}

// Those that begin with it, then those that have it, in their order.
Completions matches(const std::vector<std::string>& names, std::string_view value) {
  const std::string wanted = ascii_lower(value);
  Completions found;
  std::vector<std::string> later;
  for (const std::string& name : names) {
    const std::size_t at = ascii_lower(name).find(wanted);
    if (at == 0) found.values.push_back(name);
    if (at != 0 && at != std::string::npos) later.push_back(name);
  }
  found.values.insert(found.values.end(), later.begin(), later.end());
  return found;
}

class ToolkitOffer final : public Offer {
 public:
  ToolkitOffer(toolkit::Toolkit& toolkit, Env& env, const OfferOptions& options)
      : toolkit_(toolkit),
        env_(env),
        options_(options),
        entries_(toolkit.registry()),
        resources_(toolkit, env) {}

  std::vector<std::string> list(ListKind kind, Turn& turn) override {
    switch (kind) {
      case ListKind::Resources:
        return resources_.list(turn);
      case ListKind::ResourceTemplates:
        return Resources::templates(turn.revision());
      case ListKind::Prompts:
        return list_prompts(turn.revision(), prompt_sources(turn), resources_.skills(turn));
      case ListKind::Tools:
        break;
    }
    return entries_.list(options_.toolset, *turn.caller().policy, turn.revision(),
                         toolkit::families_of(toolkit_, turn.caller()));
  }

  std::optional<Outcome> call_tool(const std::string& name, const JsonValue& arguments,
                                   Turn& turn) override {
    const auto tool = toolkit_.registry().find(name);
    if (!tool) return unknown_tool(tool.error());
    const auto made = call_asking(toolkit_, (*tool)->name, arguments, turn);
    if (!made) return std::string("{}");  // which is not sent: the client is asked
    const toolkit::CallOutcome& outcome = *made;
    turn.note_tool(outcome.tool, outcome.reply.is_error,
                   std::chrono::duration_cast<Duration>(
                       std::chrono::duration<double, std::milli>(outcome.ms)));
    log_call(outcome, turn);
    return call_result(outcome.reply, turn.revision());
  }

  std::optional<Outcome> read_resource(const std::string& uri, Turn& turn) override {
    return resources_.read(uri, turn);
  }

  bool has_resource(const std::string& uri, Turn& turn) override {
    return resources_.has(uri, turn);
  }

  void end_session(const toolkit::Caller& caller) override { toolkit_.end_session(caller); }

  std::optional<Outcome> get_prompt(const std::string& name, const JsonValue& arguments,
                                    Turn& turn) override {
    return make_prompt(name, arguments, prompt_sources(turn), resources_.skills(turn),
                       env_.random());
  }

  std::optional<Completions> complete(const CompletionRequest& request, Turn& turn) override {
    const bool is_schema =
        !request.is_prompt && (request.name == kSchemaTemplate || request.name == kContextTemplate);
    const bool is_results =
        !request.is_prompt && (request.name == kResultsTemplate || request.name == kResultsPath);
    const bool is_skill = !request.is_prompt && request.name == kSkillTemplate;
    const bool is_fragment = !request.is_prompt && request.name == kFragmentTemplate;
    const bool is_ours = is_schema || is_results || is_skill || is_fragment ||
                         (request.is_prompt && has_prompt(request.name));
    if (!is_ours) return std::nullopt;
    if (is_results && request.argument == "key") {
      return matches(resources_.handle_keys(turn), request.value);
    }
    if (request.is_prompt && request.argument == "source") {
      return matches(sources_of_prompt(request.name, prompt_sources(turn)), request.value);
    }
    if ((is_skill && request.argument == "name") ||
        (request.is_prompt && request.argument == "skill")) {
      return matches(resources_.skill_names(turn), request.value);
    }
    if (is_fragment && request.argument == "name") {
      return matches(Resources::fragment_names(), request.value);
    }
    if (is_schema && request.argument == "source") {
      return matches(resources_.source_names(turn), request.value);
    }
    return Completions{};
  }

 private:
  std::vector<PromptSource> prompt_sources(Turn& turn) const {
    std::vector<PromptSource> sources;
    for (const toolkit::KnownSource& source : toolkit_.sources(turn.caller())) {
      sources.push_back({source.info.name, source.info.kind == SourceKind::Tables});
    }
    return sources;
  }

  std::optional<Outcome> unknown_tool(const Error& error) const {
    if (!options_.is_alone) return std::nullopt;
    return RpcError{code::kInvalidParams, fmt::format("{}: {}", error.message, error.hint), {}};
  }

  toolkit::Toolkit& toolkit_;
  Env& env_;
  OfferOptions options_;
  ToolEntries entries_;
  Resources resources_;
};

}  // namespace

std::shared_ptr<Offer> make_toolkit_offer(toolkit::Toolkit& toolkit, Env& env,
                                          OfferOptions options) {
  return std::make_shared<ToolkitOffer>(toolkit, env, options);
}

}  // namespace helve::mcp
