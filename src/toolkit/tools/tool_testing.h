// Tools on a small graph, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/env.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/tools/toolkit.h"

namespace helve::toolkit {

inline constexpr std::string_view kPlanets = R"(
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Planet a owl:Class ; rdfs:label "planet"@en ; rdfs:subClassOf ex:Body .
ex:Body a owl:Class ; rdfs:label "body"@en .
ex:Moon a owl:Class ; rdfs:subClassOf ex:Body .
ex:orbits a owl:ObjectProperty ; rdfs:domain ex:Body ; rdfs:range ex:Body .
ex:radius a owl:DatatypeProperty ; rdfs:range xsd:decimal .
ex:Earth a ex:Planet ; rdfs:label "Earth"@en, "Terre"@fr ; ex:radius 6371.0 .
ex:Mars a ex:Planet ; rdfs:label "Mars"@en ; ex:radius 3389.5 .
ex:Venus a ex:Planet ; rdfs:label "Venus"@en ; ex:radius 6051.8 .
ex:Luna a ex:Moon ; rdfs:label "Moon"@en ; ex:orbits ex:Earth ; ex:radius 1737.4 .
ex:Phobos a ex:Moon ; rdfs:label "Phobos"@en ; ex:orbits ex:Mars .
ex:Deimos a ex:Moon ; rdfs:label "Deimos"@en ; ex:orbits ex:Mars .
)";

// Keeps what was recorded, and can be made to fail.
class ListedAudit final : public AuditSink {
 public:
  struct Log {
    std::vector<AuditRecord> records;
    std::mutex mutex;  // what nobody called for is recorded by a thread of its own
    bool is_broken = false;
    // The record of this number and all that follow cannot be written.
    std::size_t records_max = SIZE_MAX;

    std::vector<AuditRecord> events() {
      const std::lock_guard lock(mutex);
      std::vector<AuditRecord> found;
      std::copy_if(records.begin(), records.end(), std::back_inserter(found),
                   [](const AuditRecord& one) { return one.kind == AuditKind::Event; });
      return found;
    }
    // The first `count` events, waiting for them; what there is when that takes too long.
    std::vector<AuditRecord> wait_for_events(std::size_t count) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (events().size() < count && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return events();
    }
  };
  explicit ListedAudit(std::shared_ptr<Log> log) : log_(std::move(log)) {}

  Result<void> check() override {
    if (log_->is_broken) return Error{ErrorCode::Unavailable, "the audit is full"};
    return {};
  }
  Result<void> write(const AuditRecord& record) override {
    const std::lock_guard lock(log_->mutex);
    if (log_->records.size() >= log_->records_max) {
      return Error{ErrorCode::Unavailable, "the audit is full"};
    }
    log_->records.push_back(record);
    return {};
  }

 private:
  std::shared_ptr<Log> log_;
};

class ToolTest : public ::testing::Test {
 protected:
  explicit ToolTest(std::string_view trig = kPlanets) {
    auto made = Toolkit::make({}, real_env(), helve::testing::graph_factory());
    EXPECT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    EXPECT_TRUE(toolkit_->add_source(helve::testing::graph_of(trig, "planets")).has_value());
    Policy policy;
    policy.allowed_paths.reset();  // tests load files
    caller_.policy = std::make_shared<const Policy>(std::move(policy));
  }

  // The tools look at their clock until their end; it may be a member of a derived class, which
  // ends first.
  void TearDown() override { toolkit_.reset(); }

  RenderedReply reply(std::string_view tool, std::string_view arguments) {
    const auto json = parse_json(arguments);
    EXPECT_TRUE(json.has_value()) << arguments;
    return toolkit_->call(tool, *json, caller_, {}).reply;
  }

  // The structured form; `ok` says whether it is to be an answer or an error.
  JsonValue call(std::string_view tool, std::string_view arguments, bool ok = true) {
    const RenderedReply rendered = reply(tool, arguments);
    EXPECT_EQ(rendered.is_error, !ok) << rendered.json;
    auto json = parse_json(rendered.json);
    EXPECT_TRUE(json.has_value()) << rendered.json;
    return json ? *std::move(json) : JsonValue();
  }

  static std::string text(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    const std::string* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? *text : std::string("(no ") + std::string(key) + ")";
  }
  static std::int64_t number(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value != nullptr ? value->to_int64().value_or(-1) : -1;
  }
  static bool flag(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
  }
  static std::size_t size(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value != nullptr && value->if_array() != nullptr ? value->if_array()->size() : 0;
  }

  std::unique_ptr<Toolkit> toolkit_;
  Caller caller_;
};

}  // namespace helve::toolkit
