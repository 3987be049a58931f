// The law of policies: for every key a proof that it binds, over all tools of the registry; that it
// is as strict as can be, or unset, where nobody wrote it; and that a malformed value is an error.
// A key without a proof fails, and so does a tool that no proof reaches.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "base/utf8.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/tables/fake_tables.h"
#include "tests/support/temp_directory.h"
#include "tests/toolkit/change_proofs.h"
#include "tests/toolkit/law_world.h"
#include "tests/toolkit/made_calls.h"
#include "tests/toolkit/spies.h"
#include "tests/toolkit/workbench.h"
#include "toolkit/memory/bank.h"
#include "toolkit/policy/gate.h"

namespace helve::proofs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using toolkit::Policy;
using toolkit::Tool;

constexpr std::string_view kData = R"(
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:open {
  ex:Planet a owl:Class ; rdfs:label "planet"@en .
  ex:Moon a owl:Class ; rdfs:label "moon"@en .
  ex:orbits a owl:ObjectProperty .
  ex:Earth a ex:Planet ; rdfs:label "Earth"@en ; ex:radius 6371.0 ; ex:near ex:Mars .
  ex:Mars a ex:Planet ; rdfs:label "Mars"@en ; ex:radius 3389.5 .
  ex:Venus a ex:Planet ; rdfs:label "Venus"@en ; ex:radius 6051.8 .
  ex:Luna a ex:Moon ; rdfs:label "Moon"@en ; ex:orbits ex:Earth .
}
ex:second { ex:Earth ex:canarynote "canary" . ex:Canary a ex:CanaryClass ; rdfs:label "planet canary" . }
)";
constexpr const char* kOpen = "http://example.org/open";
constexpr const char* kHidden = "http://example.org/second";

// The tools on a graph and a database that are looked through; what policies are to hide has
// "canary" in it.
class PolicyWorld {
 public:
  PolicyWorld()
      : bank_(*memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), {})),
        bench_(false, bank_) {
    memory::Item item;
    item.title = "Moons of a planet";
    item.desc = "Use for planets.";
    item.content = "Ask for ex:orbits.";
    item.src = memory::ItemSource::Success;
    item.id = memory::id_of(item);
    HELVE_CHECK(bank_->repository().add({item}, {}).has_value());
    known_.items = {item.id};
    graph_ = std::make_shared<SpyGraph>(helve::testing::graph_of(kData, "planets"));
    bench_.add(std::shared_ptr<const GraphSource>(graph_));
    helve::testing::FakeTable artist{
        helve::testing::table_info("artist", "artist_id integer key, name text, canary_mail text"),
        {}};
    for (std::int64_t i = 0; i < 20; ++i) {
      artist.rows.push_back({helve::testing::integer_value(i),
                             helve::testing::text_value(fmt::format("name {}", i)),
                             helve::testing::text_value("canary")});
    }
    helve::testing::FakeTable track{
        helve::testing::table_info("track", "name text, unit_price real, lyrics text"), {}};
    tables_ = std::make_shared<SpyTables>(
        std::make_shared<helve::testing::FakeTables>(
            "shop", SqlDialect::Sqlite, std::vector<helve::testing::FakeTable>{artist, track}),
        "canary");
    bench_.add(std::shared_ptr<const TableSource>(tables_));
    bench_.add(helve::testing::graph_of("<http://x/a> <http://x/b> <http://x/c> .", "canaries"));
    known_.file = (folder_ / "in" / "small.ttl").string();
    std::filesystem::create_directory(folder_ / "in");
    std::ofstream(known_.file) << "<http://example.org/a> <http://example.org/p> 1 .\n";
    known_.results = bench_
                         .call("sparql_query",
                               R"({"query":"SELECT ?x ?name { ?x rdfs:label ?name } ORDER BY ?x",)"
                               R"("source":"planets"})")
                         .text("key");
    known_.graph = bench_
                       .call("sparql_query",
                             R"({"query":"CONSTRUCT WHERE { ?s a ex:Planet }","source":"planets"})")
                       .text("key");
    known_.ontology =
        bench_.call("ont_load", object_of({{"path", JsonValue(known_.file)}})).text("key");
    known_.text = known_.results;
    know_endpoints(examples_, folder_ / "in", bench_, known_);
    maker_.emplace(bench_.registry(), known_, 7);
  }

  Workbench& bench() { return bench_; }
  std::span<const Tool> tools() const { return bench_.registry().tools(); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  const std::string& file() const { return known_.file; }
  Seen& graph_seen() { return graph_->seen(); }
  Seen& tables_seen() { return tables_->seen(); }

  Answer call(const Policy& policy, const MadeCall& call) {
    bench_.set_policy(policy);
    return bench_.call(call.tool, call.arguments);
  }
  MadeCall right(const Tool& tool) { return maker_->right(tool); }

  // Some calls of each kind to every tool, under a policy.
  using Visit = std::function<void(const Tool& tool, const MadeCall& call, const Answer& answer)>;
  void walk(const Policy& policy, const Visit& visit) {
    bench_.set_deadline(std::chrono::seconds(10));
    for (const Tool& tool : tools()) {
      std::vector<MadeCall> calls = maker_->calls_of(tool, 2);
      for (int i = 0; i < 4; ++i) calls.push_back(maker_->right(tool));
      for (const MadeCall& made : calls) {
        SCOPED_TRACE(brief(made));
        visit(tool, made, call(policy, made));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
    bench_.set_deadline(Duration(0));
  }

  // All changes of the memory bank so far.
  std::size_t bank_changes() const {
    const auto history = bank_->repository().history(std::nullopt, 10'000, {});
    HELVE_CHECK(history.has_value());
    return history->size();
  }

 private:
  TempDirectory folder_;
  std::shared_ptr<memory::MemoryBank> bank_;
  Workbench bench_;
  std::shared_ptr<SpyGraph> graph_;
  std::shared_ptr<SpyTables> tables_;
  toolkit::ExampleFiles examples_;
  KnownThings known_;
  std::optional<CallMaker> maker_;
};

bool is_writing(const Tool& tool) { return tool.is_writing || tool.is_defining; }

bool has_parameter(const Tool& tool, std::string_view name) {
  return std::any_of(tool.parameters.begin(), tool.parameters.end(),
                     [&](const toolkit::Parameter& one) { return one.name == name; });
}

std::string code_of(const Answer& answer) {
  return answer.is_error() ? std::string(error_code_name(answer.reply.code)) : "no error";
}

bool has_canary(const Answer& answer) {
  const auto has = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("canary") != std::string::npos;
  };
  return has(answer.reply.text) || has(answer.reply.json);
}

// What a call says itself may come back in an error.
bool says_canary(const MadeCall& call) {
  return to_json(call.arguments).find("anar") != std::string::npos;
}

void nothing_shows_canaries(PolicyWorld& world, const Policy& policy) {
  world.walk(policy, [](const Tool&, const MadeCall& call, const Answer& answer) {
    if (says_canary(call)) return;
    EXPECT_FALSE(has_canary(answer)) << answer.reply.text;
  });
}

void binds_allowed_tools(PolicyWorld& world) {
  for (const Tool& tool : world.tools()) {
    Policy policy;
    policy.allowed_tools.emplace();
    for (const Tool& other : world.tools()) {
      if (other.name != tool.name) policy.allowed_tools->insert(other.name);
    }
    EXPECT_EQ(code_of(world.call(policy, world.right(tool))), "denied") << tool.name;
    const MadeCall through{
        "call_tool", CallKind::Right,
        object_of({{"name", JsonValue(tool.name)}, {"arguments", world.right(tool).arguments}})};
    EXPECT_EQ(code_of(world.call(policy, through)), "denied") << tool.name;
  }
}

void binds_read_only(PolicyWorld& world) {
  for (const Tool& tool : world.tools()) {
    EXPECT_EQ(toolkit::rule_against(Policy(), nature_of(tool)), is_writing(tool) ? "read_only" : "")
        << tool.name;
    if (!is_writing(tool)) continue;
    EXPECT_EQ(code_of(world.call(Policy(), world.right(tool))), "denied") << tool.name;
  }
}

void binds_memory_writes(PolicyWorld& world) {
  Policy policy;
  policy.memory_writes = false;
  policy.read_only = false;
  policy.require_confirmation = toolkit::Confirmation::None;
  for (const Tool& tool : world.tools()) {
    const bool is_refused = tool.memory_writes == toolkit::MemoryWrites::Always;
    EXPECT_EQ(toolkit::rule_against(policy, nature_of(tool)) == "memory_writes", is_refused)
        << tool.name;
    if (is_refused) EXPECT_EQ(code_of(world.call(policy, world.right(tool))), "denied");
  }
  const std::size_t before = world.bank_changes();
  world.walk(policy, [&](const Tool& tool, const MadeCall&, const Answer&) {
    ASSERT_EQ(world.bank_changes(), before) << tool.name;
  });
  policy.memory_writes = true;
  std::set<std::string> writing;
  std::size_t last = before;
  world.walk(policy, [&](const Tool& tool, const MadeCall&, const Answer&) {
    const std::size_t now = world.bank_changes();
    if (now != last) writing.insert(tool.name);
    last = now;
  });
  EXPECT_TRUE(writing.contains("mem_add") && writing.contains("sparql_query"))
      << "no call wrote the bank: the test shows nothing";
}

void binds_allow_ddl(PolicyWorld& world) {
  Policy policy;
  policy.read_only = false;
  for (const Tool& tool : world.tools()) {
    EXPECT_EQ(toolkit::rule_against(policy, nature_of(tool)), tool.is_defining ? "allow_ddl" : "")
        << tool.name;
    if (!tool.is_defining) continue;
    EXPECT_EQ(code_of(world.call(policy, world.right(tool))), "denied") << tool.name;
  }
}

// There is no audit here: who must be recorded is refused, whatever is called.
void binds_audit(PolicyWorld& world) {
  for (const auto mode : {toolkit::AuditMode::Full, toolkit::AuditMode::Fingerprint}) {
    Policy policy;
    policy.audit = mode;
    policy.read_only = false;  // so that nothing else refuses tools that write
    policy.allow_ddl = true;
    world.walk(policy, [](const Tool&, const MadeCall& call, const Answer& answer) {
      EXPECT_TRUE(answer.is_error());
      if (call.kind != CallKind::Right) return;
      EXPECT_THAT(answer.reply.text, HasSubstr("audit"));
    });
  }
}

void binds_max_rows(PolicyWorld& world) {
  Policy policy;
  policy.max_rows = 2;
  for (const Tool& tool : world.tools()) {
    if (!has_parameter(tool, "limit")) continue;
    MadeCall call = world.right(tool);
    auto members =
        call.arguments.if_object() != nullptr ? *call.arguments.if_object() : JsonValue::Object();
    std::erase_if(members, [](const JsonMember& one) { return one.key == "limit"; });
    members.push_back({"limit", JsonValue(std::int64_t{50})});
    call.arguments = JsonValue(std::move(members));
    const Answer answer = world.call(policy, call);
    if (answer.is_error()) continue;
    EXPECT_THAT(answer.reply.json, HasSubstr("was lowered to 2 by the policy")) << tool.name;
  }
}

void binds_max_chars(PolicyWorld& world) {
  Policy policy;
  policy.max_chars = 300;
  world.walk(policy, [](const Tool&, const MadeCall&, const Answer& answer) {
    EXPECT_LE(utf8_length(answer.reply.text), 300U);
    EXPECT_LE(utf8_length(answer.reply.json), 300U);
  });
}

void binds_timeout(PolicyWorld& world) {
  Policy policy;
  policy.timeout_max = std::chrono::seconds(2);
  world.graph_seen() = {};
  world.tables_seen() = {};
  world.walk(policy, [](const Tool&, const MadeCall&, const Answer&) {});
  EXPECT_GT(world.graph_seen().touches, 0U);
  EXPECT_GT(world.tables_seen().touches, 0U);
  EXPECT_LE(world.graph_seen().longest, policy.timeout_max);
  EXPECT_LE(world.tables_seen().longest, policy.timeout_max);
}

void binds_memory(PolicyWorld& world) {
  Policy policy;
  policy.memory_bytes_max = std::size_t{3} << 20;
  world.graph_seen() = {};
  world.tables_seen() = {};
  world.walk(policy, [](const Tool&, const MadeCall&, const Answer&) {});
  EXPECT_LE(world.graph_seen().memory_max, policy.memory_bytes_max);
  EXPECT_LE(world.tables_seen().memory_max, policy.memory_bytes_max);
}

void binds_rows_stored(PolicyWorld& world) {
  Policy policy;
  policy.rows_stored_max = 3;
  policy.allowed_sources = {"planets", "shop"};  // a session of its own
  world.walk(policy, [](const Tool&, const MadeCall&, const Answer&) {});
  for (const toolkit::Ref& ref : world.bench().handles().list()) {
    if (ref.dtype != toolkit::HandleType::Results) continue;
    EXPECT_LE(ref.rows, 3U) << ref.key;
  }
  EXPECT_GT(world.bench().handles().count(), 0U);
}

void binds_bytes_stored(PolicyWorld& world) {
  Policy policy;
  policy.bytes_stored_max = 1'024;
  policy.allowed_sources = {"shop", "planets"};
  policy.denied_endpoints = {"http://another/session"};
  world.walk(policy, [](const Tool&, const MadeCall&, const Answer&) {});
  for (const toolkit::Ref& ref : world.bench().handles().list()) {
    if (ref.dtype != toolkit::HandleType::Results) continue;
    EXPECT_LE(ref.rows, 20U) << ref.key;
  }
}

void binds_allowed_graphs(PolicyWorld& world) {
  Policy policy;
  policy.allowed_sources = {"planets", "shop"};
  policy.denied_columns = {"artist.canary_mail"};
  policy.allowed_graphs = {kOpen};
  nothing_shows_canaries(world, policy);
}

void binds_denied_graphs(PolicyWorld& world) {
  Policy policy;
  policy.allowed_sources = {"planets", "shop"};
  policy.denied_columns = {"artist.canary_mail"};
  policy.denied_graphs = {kHidden};
  nothing_shows_canaries(world, policy);
}

void binds_table_rules(PolicyWorld& world, const std::function<void(Policy&)>& hide) {
  Policy policy;
  policy.allowed_sources = {"planets", "shop"};
  policy.denied_graphs = {kHidden};
  hide(policy);
  world.tables_seen() = {};
  nothing_shows_canaries(world, policy);
  EXPECT_GT(world.tables_seen().touches, 0U);
  EXPECT_EQ(world.tables_seen().without_rules, 0U);
}

// Databases decide about calls by the list that comes with a statement: without a policy it is
// empty, and with one nothing is added to it.
void binds_allowed_functions(PolicyWorld& world) {
  Policy policy;
  world.tables_seen() = {};
  world.walk(policy, [](const Tool&, const MadeCall&, const Answer&) {});
  EXPECT_GT(world.tables_seen().touches, 0U);
  EXPECT_TRUE(world.tables_seen().functions.empty());
  policy.allowed_functions = {"f", "s.g"};
  world.tables_seen() = {};
  world.walk(policy, [](const Tool&, const MadeCall&, const Answer&) {});
  EXPECT_EQ(world.tables_seen().functions, (std::set<std::string>{"f", "s.g"}));
}

void binds_endpoints(PolicyWorld& world, bool is_denied) {
  const std::string endpoint = "http://127.0.0.1:9/sparql";
  const std::string query = "SELECT * { SERVICE <" + endpoint + "> { ?s ?p ?o } }";
  Policy open;
  open.allowed_endpoints = {endpoint};
  Policy closed;
  if (is_denied) {
    closed = open;
    closed.denied_endpoints = {endpoint};
  }
  std::size_t tools = 0;
  for (const Tool& tool : world.tools()) {
    const bool asks_queries = tool.needs_graph && has_parameter(tool, "query");
    const bool asks_itself = has_parameter(tool, "url");
    if (!asks_queries && !asks_itself) continue;
    ++tools;
    const MadeCall call{
        tool.name, CallKind::Right,
        asks_itself ? object_of({{"url", JsonValue(endpoint)}})
                    : object_of({{"query", JsonValue(query)}, {"source", JsonValue("planets")}})};
    const Answer refused = world.call(closed, call);
    EXPECT_EQ(code_of(refused), "denied") << tool.name;
    EXPECT_THAT(refused.reply.text, HasSubstr("the policy does not allow this endpoint"));
    EXPECT_THAT(world.call(open, call).reply.text, Not(HasSubstr("the policy"))) << tool.name;
  }
  EXPECT_GT(tools, 1U);
}

void binds_allowed_sources(PolicyWorld& world) {
  Policy policy;
  policy.allowed_sources = {"planets", "shop"};
  policy.denied_graphs = {kHidden};
  policy.denied_columns = {"artist.canary_mail"};
  world.walk(policy, [](const Tool&, const MadeCall& call, const Answer& answer) {
    if (says_canary(call)) return;
    EXPECT_THAT(answer.reply.text, Not(HasSubstr("canaries")));
    EXPECT_THAT(answer.reply.json, Not(HasSubstr("canaries")));
  });
}

// Files are read by tools with a path, and by no others.
void binds_allowed_paths(PolicyWorld& world) {
  Policy policy;
  policy.allowed_paths = {(world.folder() / "in").string()};
  std::ofstream(world.folder() / "out.ttl") << "<http://x/canary> <http://x/p> 1 .\n";
  std::size_t tools = 0;
  for (const Tool& tool : world.tools()) {
    for (const toolkit::Parameter& one : tool.parameters) {
      const bool is_file = one.name == "url" || one.name.find("path") != std::string::npos ||
                           one.name.find("file") != std::string::npos ||
                           one.name.find("folder") != std::string::npos;
      if (!is_file) continue;
      ++tools;
      const auto call = [&](const std::string& path) {
        return world.call(policy,
                          {tool.name, CallKind::Right, object_of({{one.name, JsonValue(path)}})});
      };
      EXPECT_EQ(code_of(call((world.folder() / "out.ttl").string())), "denied") << tool.name;
      EXPECT_EQ(code_of(call((world.folder() / "in" / ".." / "out.ttl").string())), "denied");
      EXPECT_EQ(code_of(call("/etc/passwd")), "denied") << tool.name;
      EXPECT_EQ(code_of(call(world.file())), "no error") << tool.name;
    }
  }
  EXPECT_GT(tools, 0U);
}

struct KeyProof {
  std::string sound;                          // a value that is taken
  std::vector<std::string> malformed;         // values that are not
  std::function<bool(const Policy&)> is_off;  // of a policy where nobody wrote the key
  std::function<void(PolicyWorld&)> binds;
};

const std::vector<std::string> kNoFlag = {"1", "\"true\"", "null", "[]", "{}", "\"yes\""};
const std::vector<std::string> kNoNumber = {"-1",   "1.5", "\"5\"", "null",
                                            "true", "[5]", "1e30",  "99999999999999999999"};
const std::vector<std::string> kNoList = {"\"a\"", "1",      "null",   "true",     "{}",
                                          "[1]",   "[\"\"]", "[null]", "[[\"a\"]]"};

std::vector<std::string> with_more(std::vector<std::string> values, std::vector<std::string> more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

using Proofs = std::map<std::string, KeyProof, std::less<>>;

void add_proofs_of_lists(Proofs& all) {
  const auto no_graphs = with_more(kNoList, {"[\"g\"]", "[\"<http://x/>\"]", "[\"http://x/ y\"]"});
  all["allowed_graphs"] = {"[\"http://x/g\"]", no_graphs,
                           [](const Policy& p) { return !p.allowed_graphs; }, binds_allowed_graphs};
  all["denied_graphs"] = {"[\"http://x/g\"]", no_graphs,
                          [](const Policy& p) { return p.denied_graphs.empty(); },
                          binds_denied_graphs};
  all["allowed_endpoints"] = {
      "[\"http://x/e\"]", kNoList,
      [](const Policy& p) { return p.allowed_endpoints && p.allowed_endpoints->empty(); },
      [](PolicyWorld& world) { binds_endpoints(world, false); }};
  all["denied_endpoints"] = {"[\"http://x/e\"]", kNoList,
                             [](const Policy& p) { return p.denied_endpoints.empty(); },
                             [](PolicyWorld& world) { binds_endpoints(world, true); }};
  const auto table_proof = [](void (*hide)(Policy&), bool hides_all = false) {
    return [hide, hides_all](PolicyWorld& world) {
      binds_table_rules(world, hide);
      binds_changes_to_rules(hide, hides_all);
    };
  };
  all["allowed_tables"] = {"[\"t\"]", kNoList, [](const Policy& p) { return !p.allowed_tables; },
                           table_proof([](Policy& p) { p.allowed_tables = {"track"}; }, true)};
  all["denied_tables"] = {"[\"t\"]", kNoList,
                          [](const Policy& p) { return p.denied_tables.empty(); },
                          table_proof([](Policy& p) { p.denied_tables = {"ARTIST"}; })};
  const auto no_columns = with_more(kNoList, {"[\"email\"]", "[\"t.\"]", "[\".c\"]"});
  all["allowed_columns"] = {"[\"t.c\"]", no_columns,
                            [](const Policy& p) { return !p.allowed_columns; },
                            table_proof([](Policy& p) {
                              p.allowed_columns = {"Artist.artist_id", "artist.name"};
                            })};
  all["denied_columns"] = {
      "[\"t.c\"]", no_columns, [](const Policy& p) { return p.denied_columns.empty(); },
      table_proof([](Policy& p) { p.denied_columns = {"artist.CANARY_mail"}; })};
  all["allowed_functions"] = {
      "[\"f\"]", kNoList,
      [](const Policy& p) { return p.allowed_functions && p.allowed_functions->empty(); },
      binds_allowed_functions};
  all["allowed_tools"] = {"[\"sparql_query\"]", kNoList,
                          [](const Policy& p) { return !p.allowed_tools; }, binds_allowed_tools};
  all["allowed_sources"] = {"[\"a\"]", kNoList, [](const Policy& p) { return !p.allowed_sources; },
                            binds_allowed_sources};
  all["allowed_paths"] = {
      "[\"/data\"]", kNoList,
      [](const Policy& p) { return p.allowed_paths && p.allowed_paths->empty(); },
      binds_allowed_paths};
}

Proofs proofs() {
  Proofs all;
  all["read_only"] = {"false", kNoFlag, [](const Policy& p) { return p.read_only; },
                      binds_read_only};
  all["memory_writes"] = {"false", kNoFlag, [](const Policy& p) { return p.memory_writes; },
                          binds_memory_writes};
  all["allow_ddl"] = {"true", kNoFlag, [](const Policy& p) { return !p.allow_ddl; },
                      binds_allow_ddl};
  all["require_confirmation"] = {
      "\"two_step\"",
      {"\"no\"", "\"any\"", "1", "null", "\"none\"", "\"\"", "[]"},
      [](const Policy& p) { return p.require_confirmation != toolkit::Confirmation::None; },
      [](PolicyWorld&) { binds_confirmation(); }};
  all["max_affected_rows"] = {
      "5", kNoNumber, [](const Policy& p) { return p.max_affected_rows <= 1'000; },
      [](PolicyWorld&) { binds_affected_rows(&Policy::max_affected_rows); }};
  all["max_affected_rows_per_session"] = {
      "5", kNoNumber, [](const Policy& p) { return p.max_affected_rows_per_session <= 10'000; },
      [](PolicyWorld&) { binds_affected_rows(&Policy::max_affected_rows_per_session); }};
  all["max_affected_rows_per_hour"] = {
      "5", kNoNumber, [](const Policy& p) { return p.max_affected_rows_per_hour <= 10'000; },
      [](PolicyWorld&) { binds_affected_rows(&Policy::max_affected_rows_per_hour); }};
  all["snapshot_rows"] = {"5", kNoNumber, [](const Policy& p) { return p.snapshot_rows <= 100; },
                          [](PolicyWorld&) { binds_snapshot_rows(); }};
  all["audit"] = {"\"full\"",
                  {"\"some\"", "1", "null", "\"\"", "[]"},
                  [](const Policy& p) { return !p.audit; },
                  binds_audit};
  all["max_rows"] = {"5", with_more(kNoNumber, {"0"}),
                     [](const Policy& p) { return p.max_rows <= 10'000; }, binds_max_rows};
  all["rows_stored_max"] = {"5", with_more(kNoNumber, {"0"}),
                            [](const Policy& p) { return p.rows_stored_max <= 1'000'000; },
                            binds_rows_stored};
  all["bytes_stored_max"] = {"5000", with_more(kNoNumber, {"0"}),
                             [](const Policy& p) { return p.bytes_stored_max <= 256 * kMiB; },
                             binds_bytes_stored};
  all["max_chars"] = {"500", with_more(kNoNumber, {"0", "10"}),
                      [](const Policy& p) { return p.max_chars <= 20'000; }, binds_max_chars};
  all["memory_bytes_max"] = {"5000000", with_more(kNoNumber, {"0"}),
                             [](const Policy& p) { return p.memory_bytes_max <= 4 * kGiB; },
                             binds_memory};
  all["timeout"] = {"1.5",
                    {"0", "-1", "\"5\"", "null", "true", "[5]", "1e30", "86401"},
                    [](const Policy& p) { return p.timeout_max <= std::chrono::minutes(5); },
                    binds_timeout};
  add_proofs_of_lists(all);
  return all;
}

Result<Policy> read(std::string_view key, std::string_view value) {
  const auto json = parse_json(fmt::format("{{\"{}\": {}}}", key, value));
  if (!json) return json.error();
  return toolkit::policy_from_json(*json);
}

TEST(LawOfPolicy, EveryKeyHasAProofAndNothingElseIsOne) {
  std::set<std::string> keys;
  for (const auto& key : toolkit::policy_keys()) keys.emplace(key.name);
  std::set<std::string> proven;
  for (const auto& [key, proof] : proofs()) proven.insert(key);
  EXPECT_EQ(keys, proven);
}

TEST(LawOfPolicy, MalformedValuesAreErrors) {
  for (const auto& [key, proof] : proofs()) {
    EXPECT_TRUE(read(key, proof.sound)) << key;
    for (const std::string& value : proof.malformed) {
      EXPECT_FALSE(read(key, value)) << key << " = " << value;
    }
    EXPECT_FALSE(read(key + "x", proof.sound)) << key;
  }
}

TEST(LawOfPolicy, WhatNobodyWroteIsOff) {
  for (const auto& [key, proof] : proofs()) {
    EXPECT_TRUE(proof.is_off(Policy())) << key;
    for (const auto& [other, its] : proofs()) {
      if (other == key) continue;
      EXPECT_TRUE(proof.is_off(*read(other, its.sound))) << key << ", " << other;
    }
  }
}

class LawOfPolicyKey : public ::testing::TestWithParam<std::string> {};

TEST_P(LawOfPolicyKey, Binds) {
  PolicyWorld world;
  proofs().at(GetParam()).binds(world);
}

std::vector<std::string> keys() {
  std::vector<std::string> keys;
  for (const auto& key : toolkit::policy_keys()) keys.emplace_back(key.name);
  return keys;
}

INSTANTIATE_TEST_SUITE_P(All, LawOfPolicyKey, ::testing::ValuesIn(keys()),
                         [](const auto& key) { return key.param; });

TEST(LawOfPolicy, NothingIsChangedByToolsThatMayNot) { only_allowed_tools_change(); }

TEST(LawOfPolicy, WithoutRulesAllChangesAreMade) { all_changes_can_be_made(); }

// What is looked for in vain above is there to be found.
TEST(LawOfPolicy, WithoutRulesTheCanariesShow) {
  PolicyWorld world;
  std::set<std::string> showing;
  for (int i = 0; i < 8; ++i) {  // not every call asks for what has one
    world.walk(Policy(), [&](const Tool& tool, const MadeCall& call, const Answer& answer) {
      if (!says_canary(call) && has_canary(answer)) showing.insert(tool.name);
    });
  }
  for (const char* tool : {"sparql_query", "sparql_schema", "query_execute", "schema_inspect"}) {
    EXPECT_TRUE(showing.contains(tool)) << tool;
  }
}

// Nothing that a tool does reaches the file that it is held by, though its folder may be read.
TEST(LawOfPolicy, NoToolWritesToWhereItMayRead) {
  PolicyWorld world;
  const auto file = world.folder() / "in" / "policy.toml";
  const std::string text = "read_only = true\nallowed_paths = [\".\"]\n";
  std::ofstream(file) << text;
  const auto contents = [&world] {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(world.folder() / "in")) {
      std::ifstream in(entry.path());
      files[entry.path().string()] = std::string(std::istreambuf_iterator<char>(in), {});
    }
    return files;
  };
  const auto before = contents();
  ASSERT_EQ(before.at(file.string()), text);
  for (const bool read_only : {true, false}) {
    Policy policy;
    policy.read_only = read_only;
    policy.allow_ddl = !read_only;
    policy.require_confirmation = toolkit::Confirmation::None;
    policy.allowed_paths = {(world.folder() / "in").string()};
    for (const Tool& tool : world.tools()) {
      for (const toolkit::Parameter& one : tool.parameters) {
        if (one.type != toolkit::ParameterType::Text) continue;
        MadeCall call = world.right(tool);
        auto members = call.arguments.if_object() != nullptr ? *call.arguments.if_object()
                                                             : JsonValue::Object();
        std::erase_if(members, [&](const JsonMember& member) { return member.key == one.name; });
        members.push_back({one.name, JsonValue(file.string())});
        call.arguments = JsonValue(std::move(members));
        world.call(policy, call);
      }
    }
    world.walk(policy, [](const Tool&, const MadeCall&, const Answer&) {});
  }
  EXPECT_EQ(contents(), before);
}

// The proofs above reach a tool only through what it asks of its source.
TEST(LawOfPolicy, EveryToolThatNeedsASourceIsReached) {
  PolicyWorld world;
  for (const Tool& tool : world.tools()) {
    if (is_writing(tool) || (!tool.needs_graph && !tool.needs_tables)) continue;
    Seen& seen = tool.needs_graph ? world.graph_seen() : world.tables_seen();
    seen = {};
    for (int i = 0; i < 10; ++i) world.call(Policy(), world.right(tool));
    EXPECT_GT(seen.touches, 0U) << tool.name;
  }
}

}  // namespace
}  // namespace helve::proofs
