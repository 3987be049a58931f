#include "surfaces/cli/endpoint_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "base/utc.h"
#include "sources/remote/endpoint_presets.h"
#include "sources/remote/endpoint_probe.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/version.h"
#include "surfaces/opening/endpoint_registry.h"
#include "surfaces/opening/open_endpoint.h"
#include "surfaces/opening/source_uri.h"

namespace helve::cli {

namespace {

constexpr Duration kAskTime = std::chrono::minutes(2);  // where no --timeout is given

const char* endpoint_variable(const char* name) { return std::getenv(name); }

opening::EndpointRegistry registry(CommandContext& context) {
  return {opening::endpoint_folders(endpoint_variable).registry, context.env};
}

Result<opening::NamedEndpoint> find(const std::string& text, CommandContext& context) {
  if (opening::is_endpoint_uri(text)) {
    return opening::NamedEndpoint{
        opening::read_source(text, context.env.files()).name, text, "", {}, {}};
  }
  return registry(context).find(text);
}

Result<opening::OpenedEndpoint> open_named(const opening::NamedEndpoint& endpoint,
                                           CommandContext& context) {
  return opening::open_endpoint(
      opening::input_of(endpoint, fmt::format("helve {}", kVersion), endpoint_variable),
      context.env);
}

OpContext asking(const CommandContext& context) {
  OpContext op = context.op;
  if (!context.timeout) op.deadline = Deadline(context.env.clock(), kAskTime);
  return op;
}

// Values behind the question mark may be keys.
std::string shown_url(const std::string& url) {
  return url.substr(0, url.find('?')) + (url.find('?') == std::string::npos ? "" : "?...");
}

remote::ProfilePlace place_of(const opening::NamedEndpoint& endpoint) {
  return {opening::endpoint_folders(endpoint_variable).profiles,
          remote::profile_key(endpoint.url, opening::identity_of(endpoint.settings))};
}

std::string seconds_text(double seconds) {
  return format_duration(
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

// "2026-11-16 08:30 UTC, 3 hours ago".
std::string when(WallTime time, WallTime now) {
  std::string stamp = to_utc(time).substr(0, 16);
  stamp[10] = ' ';
  return fmt::format("{} UTC, {} ago", stamp,
                     format_duration(std::chrono::duration_cast<Duration>(
                         std::max(now - time, WallTime::duration::zero()))));
}

std::string access_of(const opening::EndpointSettings& settings) {
  if (!settings.user.empty()) {
    return fmt::format("as {}, password {}", settings.user, settings.password);
  }
  if (!settings.bearer.empty()) return fmt::format("with a bearer token, {}", settings.bearer);
  if (!settings.header.empty()) {
    return fmt::format("with {}, {}", settings.header, settings.header_value);
  }
  return "without credentials";
}

class Lines {
 public:
  explicit Lines(const Terminal& terminal) : terminal_(terminal) {}

  void head(std::string_view name, std::string_view what) {
    text_ += terminal_.styled(Style::Accent, escape_for_terminal(name)) +
             terminal_.styled(Style::Dim, "  " + escape_for_terminal(what)) + "\n";
  }
  void section(std::string_view name) {
    text_ += "\n" + terminal_.styled(Style::Bold, name) + "\n";
  }
  void line(std::string_view key, std::string_view value) {
    text_ += fmt::format("  {:<30} {}\n", escape_for_terminal(key), escape_for_terminal(value));
  }
  std::string take() { return std::move(text_); }

 private:
  const Terminal& terminal_;
  std::string text_;
};

void add_settings(const opening::NamedEndpoint& endpoint, Lines& lines) {
  if (!endpoint.description.empty()) lines.line("description", endpoint.description);
  lines.line("asked", access_of(endpoint.settings));
  lines.line("settings", endpoint.file.empty() ? "none" : endpoint.file.string());
}

void add_engine(const remote::EndpointProfile& profile, Lines& lines) {
  lines.line("engine", profile.engine.empty()
                           ? std::string("not recognised yet")
                           : fmt::format("{}, by {}", profile.engine, profile.engine_from));
  if (profile.text_search) {
    lines.line("text search", profile.text_search->name +
                                  (profile.text_search->is_checked
                                       ? ", which it takes"
                                       : ", of which it is not known whether it takes it"));
  }
  if (profile.takes_only_get) lines.line("method", "GET only");
  if (profile.query_time_max > Duration::zero()) {
    lines.line("time of a query", "at most " + format_duration(profile.query_time_max));
  }
  if (profile.rows_max > 0)
    lines.line("rows of a result", "at most " + format_count(profile.rows_max));
  if (profile.first_seconds > 0)
    lines.line("first answer", "after " + seconds_text(profile.first_seconds));
  for (const auto& [given, seconds] : profile.lookup_seconds) {
    lines.line("look-up by " + given,
               seconds < 0 ? std::string("not in time") : seconds_text(seconds));
  }
}

void add_survey(const remote::EndpointSurvey* survey, WallTime now, Lines& lines) {
  lines.section("Holds");
  if (survey == nullptr) {
    lines.line("not known yet", "the first call that needs it asks, or helve endpoint refresh");
    return;
  }
  const GraphSchema& schema = survey->schema;
  lines.line("triples", format_count(schema.triples));
  lines.line("classes", format_count(schema.classes.size()));
  lines.line("properties", format_count(schema.properties.size()));
  lines.line("graphs", format_count(schema.graphs.size()));
  lines.line("from", schema.origin);
  lines.line("asked", when(survey->asked, now));
}

void add_history(const remote::EndpointProfile& profile, WallTime now, Lines& lines) {
  if (!profile.shapes.empty()) lines.section("Queries by shape");
  for (const auto& [shape, stats] : profile.shapes) {
    std::string says = fmt::format("{} answered", format_count(stats.answered));
    if (stats.answered > 0) {
      says += fmt::format(" in {}, at most {}", seconds_text(stats.typical_seconds),
                          seconds_text(stats.slowest_seconds));
    }
    if (stats.too_heavy > 0) says += fmt::format("; {} too heavy", format_count(stats.too_heavy));
    if (stats.failed > 0) says += fmt::format("; {} failed", format_count(stats.failed));
    lines.line(shape, says);
  }
  if (!profile.failures.empty()) lines.section("Last failures");
  constexpr std::size_t kShown = 10;
  std::size_t shown = 0;
  for (auto failure = profile.failures.rbegin();
       failure != profile.failures.rend() && shown < kShown; ++failure, ++shown) {
    lines.line(when(failure->at, now),
               fmt::format("{}: {}", name_of(failure->cause), failure->message));
  }
}

std::string show_text(const opening::NamedEndpoint& endpoint,
                      const remote::EndpointProfile& profile, const remote::EndpointSurvey* survey,
                      CommandContext& context) {
  const WallTime now = context.env.clock().wall();
  Lines lines(context.out_terminal);
  lines.head(endpoint.name, shown_url(endpoint.url));
  add_settings(endpoint, lines);
  add_engine(profile, lines);
  if (profile.probed) lines.line("probed", when(*profile.probed, now));
  add_survey(survey, now, lines);
  if (!profile.notes.empty()) lines.section("To know");
  for (const std::string& note : profile.notes) lines.line("-", note);
  add_history(profile, now, lines);
  return lines.take();
}

void write_survey(const remote::EndpointSurvey* survey, JsonWriter& json) {
  json.key("holds");
  if (survey == nullptr) {
    json.null();
    return;
  }
  json.begin_object();
  json.member("triples", survey->schema.triples);
  json.member("classes", std::uint64_t{survey->schema.classes.size()});
  json.member("properties", std::uint64_t{survey->schema.properties.size()});
  json.member("graphs", std::uint64_t{survey->schema.graphs.size()});
  json.member("from", survey->schema.origin);
  json.member("asked", to_utc(survey->asked));
  json.end_object();
}

// The profile as it is kept, and what stands around it.
Result<std::string> show_json(const opening::NamedEndpoint& endpoint,
                              const remote::EndpointProfile& profile,
                              const remote::EndpointSurvey* survey) {
  HELVE_ASSIGN(const JsonValue kept, parse_json(remote::to_text(profile)));
  return json_object([&](JsonWriter& json) {
    json.member("name", endpoint.name);
    json.member("url", shown_url(endpoint.url));
    json.member("description", endpoint.description);
    json.member("access", access_of(endpoint.settings));
    json.member("settings_file", endpoint.file.string());
    write_survey(survey, json);
    json.key("profile");
    write_json(kept, json);
  });
}

Result<void> show(const opening::NamedEndpoint& endpoint, const opening::OpenedEndpoint& opened,
                  bool is_json, CommandContext& context) {
  const remote::EndpointProfile profile = opened.knowledge->profile();
  const auto survey = opened.knowledge->survey();
  if (!is_json) return context.show(show_text(endpoint, profile, survey.get(), context));
  HELVE_ASSIGN(const std::string text, show_json(endpoint, profile, survey.get()));
  return context.show(text);
}

}  // namespace

Result<void> run_endpoint_add(const EndpointAddOptions& options, CommandContext& context) {
  opening::NamedEndpoint endpoint{
      options.name, options.url, options.description, options.settings, {}};
  if (options.allows_private) endpoint.settings.allow_private = true;
  // Paths are as of here; those in the file would be as of its folder.
  for (std::string* path : {&endpoint.settings.ca_file, &endpoint.settings.void_place}) {
    if (!path->empty() && path->find("://") == std::string::npos) {
      *path = std::filesystem::absolute(*path).string();
    }
  }
  for (std::string* reference :
       {&endpoint.settings.password, &endpoint.settings.bearer, &endpoint.settings.header_value}) {
    if (reference->starts_with("file:")) {
      *reference = "file:" + std::filesystem::absolute(reference->substr(5)).string();
    }
  }
  HELVE_TRY(registry(context).add(endpoint, options.replaces));
  context.note(
      fmt::format("{} is known now: helve endpoint probe {} asks it", options.name, options.name));
  return {};
}

Result<void> run_endpoint_list(const EndpointOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto endpoints, registry(context).list());
  if (options.is_json) {
    return context.show(json_object([&](JsonWriter& json) {
      write_objects(json, "endpoints", endpoints, [&](const opening::NamedEndpoint& one) {
        json.member("name", one.name);
        json.member("url", shown_url(one.url));
        json.member("description", one.description);
        json.member("is_preset", one.file.empty());
      });
    }));
  }
  std::string text;
  for (const opening::NamedEndpoint& one : endpoints) {
    text += fmt::format(
        "{:<16} {}{}\n", escape_for_terminal(one.name), escape_for_terminal(shown_url(one.url)),
        one.description.empty()
            ? ""
            : context.out_terminal.styled(Style::Dim, "  " + escape_for_terminal(one.description)));
  }
  return context.show(text);
}

Result<void> run_endpoint_show(const EndpointOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto endpoint, find(options.endpoint, context));
  // Without its secrets, which are not needed for what is known.
  opening::OpenedEndpoint opened;
  remote::EndpointProfile preset;
  if (const auto* known = remote::preset_of_url(endpoint.url)) preset = known->profile();
  preset.url = endpoint.url;
  opened.knowledge = std::make_shared<remote::EndpointKnowledge>(place_of(endpoint),
                                                                 std::move(preset), context.env);
  return show(endpoint, opened, options.is_json, context);
}

Result<void> run_endpoint_refresh(const EndpointOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto endpoint, find(options.endpoint, context));
  HELVE_ASSIGN(const auto opened, open_named(endpoint, context));
  remote::forget_limits(*opened.client, *opened.knowledge);
  auto found = remote::learn(*opened.client, *opened.knowledge, context.env, asking(context));
  if (!found) return std::move(found).error().error;
  return show(endpoint, opened, options.is_json, context);
}

Result<void> run_endpoint_probe(const EndpointOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto endpoint, find(options.endpoint, context));
  HELVE_ASSIGN(const auto opened, open_named(endpoint, context));
  const auto steps = remote::probe(*opened.client, *opened.knowledge, context.env, asking(context));
  if (options.is_json) {
    HELVE_TRY(context.show(json_object([&](JsonWriter& json) {
      write_objects(json, "steps", steps, [&](const remote::ProbeStep& step) {
        json.member("question", step.question);
        json.member("says", step.says);
        json.member("seconds", step.seconds);
        json.member("has_answered", step.has_answered);
      });
    })));
  } else {
    Lines lines(context.out_terminal);
    lines.head(endpoint.name, shown_url(endpoint.url));
    for (const remote::ProbeStep& step : steps) {
      lines.line(step.question, step.seconds > 0
                                    ? fmt::format("{} in {}", step.says, seconds_text(step.seconds))
                                    : step.says);
    }
    HELVE_TRY(context.show(lines.take()));
  }
  if (steps.empty() || !steps.front().has_answered) {
    return Error{ErrorCode::Unavailable, fmt::format("{} does not answer", endpoint.name),
                 steps.empty() ? "" : "see above"};
  }
  return {};
}

Result<void> run_endpoint_remove(const EndpointOptions& options, CommandContext& context) {
  const auto endpoint = registry(context).find(options.endpoint);
  HELVE_TRY(registry(context).remove(options.endpoint));
  const remote::ProfilePlace place = endpoint ? place_of(*endpoint) : remote::ProfilePlace();
  HELVE_ASSIGN(const auto others, registry(context).list());
  const bool is_shared = std::any_of(others.begin(), others.end(), [&](const auto& other) {
    return place_of(other).key == place.key;
  });
  if (!place.folder.empty() && !is_shared) {
    for (const auto& path : {place.profile(), place.survey(), place.lock()}) {
      const auto removed = context.env.files().remove(path);
      if (!removed && removed.error().code != ErrorCode::NotFound) return removed.error();
    }
  }
  context.note(fmt::format("{} is forgotten", options.endpoint));
  return {};
}

}  // namespace helve::cli
