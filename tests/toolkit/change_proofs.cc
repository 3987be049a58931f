#include "tests/toolkit/change_proofs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/env.h"
#include "sources/store/live/local_factory.h"
#include "tests/support/tables/fake_writer.h"
#include "tests/toolkit/workbench.h"
#include "toolkit/tools/toolkit.h"

namespace helve::proofs {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using toolkit::CallOutcome;
using toolkit::Confirmation;
using toolkit::Policy;
using toolkit::Tool;

constexpr std::uint64_t kRows = 20;  // of the table, and of every change of rows

struct Step {
  std::string tool;
  JsonValue arguments;
};

// Calls that change the database, the last of which makes the change.
struct Scenario {
  std::vector<Step> steps;
  std::uint64_t rows = kRows;  // that go or are changed
  bool keeps_rows = true;      // as they were or are, where the policy lets it

  std::string brief() const {
    std::string text;
    for (const Step& step : steps) text += step.tool + " " + to_json(step.arguments) + "; ";
    return text.substr(0, 400);
  }
};

bool is_changing(const Tool& tool) { return tool.is_writing || tool.is_defining; }

const toolkit::Parameter* parameter_of(const Tool& tool, std::string_view name) {
  for (const toolkit::Parameter& one : tool.parameters) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::vector<helve::testing::FakeTable> first_content() {
  helve::testing::FakeTable artist{
      helve::testing::table_info("artist", "artist_id integer key, name text, canary_mail text"),
      {}};
  for (std::uint64_t i = 0; i < kRows; ++i) {
    artist.rows.push_back({helve::testing::integer_value(static_cast<std::int64_t>(i)),
                           helve::testing::text_value(fmt::format("singer {}", i)),
                           helve::testing::text_value("mail")});
  }
  return {artist};
}

// Rows by table, in an order of their own.
using Content = std::map<std::string, std::vector<std::string>>;

Content content_of(const std::vector<helve::testing::FakeTable>& tables) {
  Content content;
  for (const helve::testing::FakeTable& table : tables) {
    std::vector<std::string>& rows = content[table.info.name];
    for (const auto& row : table.rows) {
      std::string text;
      for (const SqlValue& value : row) text += (value ? value->value : "NULL") + "|";
      rows.push_back(std::move(text));
    }
    std::sort(rows.begin(), rows.end());
  }
  return content;
}

// Rows that are not as they were, or not there any more, or new.
std::uint64_t changed_rows(const Content& before, const Content& after) {
  std::uint64_t changed = 0;
  for (const auto& [name, rows] : before) {
    const auto found = after.find(name);
    const std::vector<std::string> now =
        found == after.end() ? std::vector<std::string>() : found->second;
    std::vector<std::string> same;
    std::set_intersection(rows.begin(), rows.end(), now.begin(), now.end(),
                          std::back_inserter(same));
    changed += std::max(rows.size(), now.size()) - same.size();
  }
  return changed;
}

// One session of the tools on a database that may be changed.
class ChangeWorld {
 public:
  explicit ChangeWorld(const Policy& policy)
      : tables_(std::make_shared<helve::testing::FakeTables>("shop", SqlDialect::Sqlite,
                                                             first_content())) {
    writer_ = &tables_->open_for_writing();
    auto made = toolkit::Toolkit::make({}, real_env(), store::make_local_factory(real_env()));
    HELVE_CHECK(made.has_value());
    toolkit_ = *std::move(made);
    HELVE_CHECK(toolkit_->add_source(std::shared_ptr<const TableSource>(tables_)).has_value());
    caller.policy = std::make_shared<const Policy>(policy);
    before_ = content();
  }

  toolkit::Caller caller;
  bool was_denied = false;  // any of the calls
  bool has_asked = false;   // for a word

  std::span<const Tool> tools() const { return toolkit_->registry().tools(); }
  const helve::testing::FakeWriter::Counts& counts() const { return writer_->counts(); }

  CallOutcome call(const Step& step) {
    CallOutcome outcome = toolkit_->call(step.tool, step.arguments, caller, {});
    was_denied = was_denied || (outcome.reply.is_error && outcome.reply.code == ErrorCode::Denied);
    has_asked = has_asked || outcome.confirmation.has_value();
    return outcome;
  }
  // The outcome of the last.
  CallOutcome play(const Scenario& scenario) {
    CallOutcome last;
    for (const Step& step : scenario.steps) last = call(step);
    return last;
  }

  Content content() const { return content_of(*tables_->content()); }
  bool is_changed() const { return content() != before_; }
  std::uint64_t changed() const { return changed_rows(before_, content()); }
  // Of the handles that calls left.
  std::uint64_t most_kept() {
    std::uint64_t most = 0;
    for (const toolkit::Ref& ref : handles().list()) most = std::max<std::uint64_t>(most, ref.rows);
    return most;
  }

 private:
  toolkit::HandleStore& handles() {
    auto handles = toolkit_->handles(caller, {});
    HELVE_CHECK(handles.has_value());
    return **handles;
  }

  std::shared_ptr<helve::testing::FakeTables> tables_;
  helve::testing::FakeWriter* writer_ = nullptr;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  Content before_;
};

Step statement(const Tool& tool, std::string_view sql) {
  return {tool.name, object_of({{"sql", JsonValue(sql)}})};
}

std::vector<Scenario> row_changes(const Tool& tool) {
  std::string values;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    values += fmt::format("{}({}, 'new {}')", i == 0 ? "" : ", ", 100 + i, i);
  }
  const std::string copy =
      "INSERT INTO artist (artist_id, name) SELECT artist_id + 100, name FROM artist";
  std::vector<Scenario> all;
  for (const std::string& sql :
       {std::string("UPDATE artist SET name = 'x'"),
        std::string("UPDATE artist SET name = name || '!' WHERE artist_id >= 0"),
        std::string("DELETE FROM artist"), std::string("DELETE FROM artist WHERE artist_id < 100"),
        "INSERT INTO artist (artist_id, name) VALUES " + values, copy, copy + " RETURNING *"}) {
    all.push_back({{statement(tool, sql)}});
  }
  return all;
}

std::vector<Scenario> definitions(const Tool& tool) {
  return {{{statement(tool, "DROP TABLE artist")}, kRows, false},
          {{statement(tool, "CREATE TABLE album (album_id integer)")}, 0, false}};
}

// Changes that are made together by the last word of the tool.
std::vector<Scenario> joint_changes(const Tool& tool, std::span<const Tool> tools) {
  const auto action = [&tool](const char* word) {
    return Step{tool.name, object_of({{"action", JsonValue(word)}})};
  };
  std::vector<Scenario> all;
  for (const Tool& other : tools) {
    if (!other.is_writing || other.is_defining || parameter_of(other, "sql") == nullptr) continue;
    all.push_back(
        {{action("begin"), statement(other, "UPDATE artist SET name = 'x' WHERE artist_id < 10"),
          statement(other, "DELETE FROM artist WHERE artist_id >= 10"), action("commit")}});
  }
  return all;
}

// None: nobody has said how the tool changes anything.
std::vector<Scenario> scenarios_of(const Tool& tool, std::span<const Tool> tools) {
  if (parameter_of(tool, "sql") != nullptr) {
    return tool.is_defining ? definitions(tool) : row_changes(tool);
  }
  const toolkit::Parameter* const action = parameter_of(tool, "action");
  const auto has = [&](const char* word) {
    return std::find(action->choices.begin(), action->choices.end(), word) != action->choices.end();
  };
  if (action != nullptr && has("begin") && has("commit")) return joint_changes(tool, tools);
  return {};
}

void for_all_changes(const std::function<void(const Scenario& scenario)>& visit) {
  const ChangeWorld world{Policy()};
  std::size_t tools = 0;
  for (const Tool& tool : world.tools()) {
    if (!is_changing(tool)) continue;
    ++tools;
    const auto scenarios = scenarios_of(tool, world.tools());
    EXPECT_FALSE(scenarios.empty())
        << tool.name << " changes something, and no change of it is known: add one here";
    EXPECT_NE(parameter_of(tool, "confirm"), nullptr) << tool.name << " takes no word";
    for (const Scenario& scenario : scenarios) {
      SCOPED_TRACE(scenario.brief());
      visit(scenario);
    }
  }
  EXPECT_GT(tools, 0U);
}

// Nothing stands against changes; there is no audit here, which it does without.
Policy open_policy() {
  Policy policy;
  policy.read_only = false;
  policy.allow_ddl = true;
  policy.require_confirmation = Confirmation::None;
  policy.audit = toolkit::AuditMode::Off;
  return policy;
}

Policy with_confirmation(Confirmation confirmation) {
  Policy policy = open_policy();
  policy.require_confirmation = confirmation;
  return policy;
}

Step with_word(Step step, const std::string& token) {
  step.arguments.if_object()->push_back({"confirm", JsonValue(token)});
  return step;
}

void needs_a_second_call(const Scenario& scenario) {
  ChangeWorld world(with_confirmation(Confirmation::TwoStep));
  const CallOutcome asked = world.play(scenario);
  EXPECT_THAT(asked.reply.json, HasSubstr("confirmation_required"));
  ASSERT_TRUE(asked.confirmation.has_value());
  EXPECT_FALSE(world.is_changed());
  EXPECT_EQ(world.counts().committed, 0);
  const Step confirmed = with_word(scenario.steps.back(), asked.confirmation->token);
  EXPECT_FALSE(world.call(confirmed).reply.is_error);
  EXPECT_TRUE(world.is_changed());
  const Content once = world.content();
  world.call(confirmed);
  EXPECT_EQ(world.content(), once) << "one word made the change twice";
}

void takes_no_other_word(const Scenario& scenario) {
  for (const char* word : {"", "yes", "true", "00000000000000000000000000000000"}) {
    ChangeWorld world(with_confirmation(Confirmation::TwoStep));
    world.play(scenario);
    world.call(with_word(scenario.steps.back(), word));
    EXPECT_FALSE(world.is_changed()) << word;
  }
}

// What the model says in the place of a person does not count.
void needs_a_person(const Scenario& scenario, Confirmation confirmation) {
  ChangeWorld world(with_confirmation(confirmation));
  world.caller.has_person = true;
  const CallOutcome asked = world.play(scenario);
  ASSERT_TRUE(asked.confirmation.has_value());
  const std::string token = asked.confirmation->token;
  EXPECT_THAT(asked.reply.json, Not(HasSubstr(token)));
  EXPECT_THAT(asked.reply.text, Not(HasSubstr(token)));
  const CallOutcome again = world.call(with_word(scenario.steps.back(), token));
  EXPECT_FALSE(world.is_changed());
  ASSERT_TRUE(again.confirmation.has_value());
  world.caller.confirmed = again.confirmation->token;
  EXPECT_FALSE(world.call(scenario.steps.back()).reply.is_error);
  EXPECT_TRUE(world.is_changed());
}

void stays_undone_without_a_person(const Scenario& scenario) {
  ChangeWorld alone(with_confirmation(Confirmation::Person));
  EXPECT_TRUE(alone.play(scenario).reply.is_error);
  EXPECT_TRUE(alone.was_denied);
  EXPECT_FALSE(alone.has_asked);
  EXPECT_FALSE(alone.is_changed());
  EXPECT_EQ(alone.counts().committed, 0);
  ChangeWorld declined(with_confirmation(Confirmation::Person));
  declined.caller.has_person = true;
  const CallOutcome asked = declined.play(scenario);
  ASSERT_TRUE(asked.confirmation.has_value());
  declined.caller.declined = asked.confirmation->token;
  EXPECT_TRUE(declined.call(scenario.steps.back()).reply.is_error);
  EXPECT_FALSE(declined.is_changed());
}

std::size_t shown_rows(const CallOutcome& outcome) {
  const auto json = parse_json(outcome.reply.json);
  const JsonValue* const preview = json ? json->find("preview") : nullptr;
  return preview != nullptr && preview->if_array() != nullptr ? preview->if_array()->size() : 0;
}

}  // namespace

void binds_confirmation() {
  for_all_changes([](const Scenario& scenario) {
    needs_a_second_call(scenario);
    takes_no_other_word(scenario);
    needs_a_person(scenario, Confirmation::TwoStep);
    needs_a_person(scenario, Confirmation::Person);
    stays_undone_without_a_person(scenario);
  });
}

void binds_affected_rows(std::uint64_t Policy::*limit) {
  for_all_changes([limit](const Scenario& scenario) {
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{1}, kRows - 1, kRows}) {
      for (const Confirmation confirmation : {Confirmation::None, Confirmation::TwoStep}) {
        SCOPED_TRACE(fmt::format("at most {}, {}", most, name_of(confirmation)));
        Policy policy = with_confirmation(confirmation);
        policy.*limit = most;
        ChangeWorld world(policy);
        const CallOutcome last = world.play(scenario);
        if (last.confirmation) {
          world.call(with_word(scenario.steps.back(), last.confirmation->token));
        }
        EXPECT_LE(world.changed(), most);
        const bool is_allowed = most > 0 && scenario.rows <= most;
        EXPECT_EQ(world.was_denied, !is_allowed);
        if (is_allowed) {
          EXPECT_EQ(world.changed(), scenario.rows);
        }
        if (is_allowed || most == 0) {
          EXPECT_EQ(world.is_changed(), is_allowed);
        }
      }
    }
  });
}

void binds_snapshot_rows() {
  for_all_changes([](const Scenario& scenario) {
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{100}}) {
      SCOPED_TRACE(fmt::format("at most {}", most));
      Policy policy = open_policy();
      policy.snapshot_rows = most;
      ChangeWorld world(policy);
      EXPECT_FALSE(world.play(scenario).reply.is_error);
      EXPECT_TRUE(world.is_changed());
      EXPECT_LE(world.most_kept(), most);
      if (most > kRows && scenario.keeps_rows) {
        EXPECT_GE(world.most_kept(), kRows / 2);
      }
      // What is shown before it is made is a part of what would be kept.
      policy.require_confirmation = Confirmation::TwoStep;
      ChangeWorld asking(policy);
      EXPECT_LE(shown_rows(asking.play(scenario)), most);
      EXPECT_LE(asking.most_kept(), most);
    }
  });
}

void binds_changes_to_rules(const std::function<void(Policy& policy)>& hide, bool hides_all) {
  int examined = 0;
  for_all_changes([&](const Scenario& scenario) {
    Policy policy = open_policy();
    hide(policy);
    ChangeWorld world(policy);
    world.play(scenario);
    examined += world.counts().examined;
    EXPECT_EQ(world.counts().without_rules, 0);
    if (!hides_all) return;
    EXPECT_TRUE(world.was_denied);
    EXPECT_FALSE(world.is_changed());
  });
  EXPECT_GT(examined, 0);
}

void only_allowed_tools_change() {
  for_all_changes([](const Scenario& scenario) {
    ChangeWorld world{Policy()};
    EXPECT_TRUE(world.play(scenario).reply.is_error);
    EXPECT_FALSE(world.is_changed());
    EXPECT_EQ(world.counts().begun, 0);
  });
  ChangeWorld world(open_policy());
  std::vector<Scenario> changes;
  for_all_changes([&](const Scenario& scenario) { changes.push_back(scenario); });
  for (const Tool& tool : world.tools()) {
    // call_tool calls others, each of which is held to its own nature.
    if (is_changing(tool) || tool.name == "call_tool") continue;
    for (const toolkit::Parameter& parameter : tool.parameters) {
      if (parameter.type != toolkit::ParameterType::Text) continue;
      for (const Scenario& scenario : changes) {
        const JsonValue* const sql = scenario.steps.back().arguments.find("sql");
        if (sql == nullptr) continue;
        world.call({tool.name, object_of({{parameter.name, *sql}})});
      }
    }
    EXPECT_FALSE(world.is_changed()) << tool.name;
    EXPECT_EQ(world.counts().begun, 0) << tool.name;
  }
}

void all_changes_can_be_made() {
  for_all_changes([](const Scenario& scenario) {
    ChangeWorld world(open_policy());
    const CallOutcome made = world.play(scenario);
    EXPECT_FALSE(made.reply.is_error) << made.reply.text;
    EXPECT_FALSE(world.has_asked);
    EXPECT_TRUE(world.is_changed());
    EXPECT_EQ(world.changed(), scenario.rows);
  });
}

}  // namespace helve::proofs
