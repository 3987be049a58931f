// What a sandbox takes beside a bare Python process that speaks JSON lines: helve_sandbox_cost
// BARE_GUEST PYTHON. Prints one JSON object of times in milliseconds. Neighbour: sandbox.py.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/sandbox/pool.h"
#include "agent/sandbox/sandbox.h"
#include "base/check.h"
#include "base/json.h"

namespace {

using namespace helve;
using namespace helve::sandbox;
using SteadyClock = std::chrono::steady_clock;

constexpr int kStarts = 100;
constexpr int kBlocks = 1'000;
constexpr int kRounds = 10;  // of large variables
constexpr std::size_t kVariableBytes = 10'000'000;

// Measured where the calls are made; the result is two numbers in microseconds.
constexpr std::string_view kCalls = R"(
import time
times = []
for i in range(10_000):
    begun = time.perf_counter_ns()
    assert add(i, 1) == i + 1
    times.append(time.perf_counter_ns() - begun)
times.sort()
times[5_000] / 1e6, times[9_900] / 1e6)";

// A process, and lines to and from it.
class BareSession {
 public:
  BareSession(const char* guest, const char* python) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    HELVE_CHECK(::pipe2(to.data(), O_CLOEXEC) == 0 && ::pipe2(from.data(), O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    std::array<const char*, 5> words = {python, "-I", "-S", guest, nullptr};
    HELVE_CHECK(::posix_spawn(&pid_, python, &actions, nullptr,
                              const_cast<char* const*>(words.data()), environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(to[0]);
    ::close(from[1]);
    to_ = ::fdopen(to[1], "w");
    from_ = ::fdopen(from[0], "r");
    read();
  }
  BareSession(const BareSession&) = delete;
  BareSession& operator=(const BareSession&) = delete;
  ~BareSession() {
    std::fclose(to_);
    std::fclose(from_);
    ::waitpid(pid_, nullptr, 0);
    std::free(line_);
  }

  std::string execute(std::string_view code) {
    say(to_json(JsonValue(JsonValue::Object{{"code", JsonValue(code)}})));
    for (;;) {
      const JsonValue answer = *parse_json(read());
      if (answer.find("call") == nullptr) return *answer.find("value")->if_string();
      const JsonValue& arguments = *answer.find("arguments");
      const auto sum = *arguments.find("a")->to_int64() + *arguments.find("b")->to_int64();
      say(to_json(JsonValue(JsonValue::Object{{"value", JsonValue(sum)}})));
    }
  }
  void set(const std::string& json) {
    say(R"({"set":"v","value":)" + json + "}");
    read();
  }
  std::string get() {
    say(R"({"get":"v"})");
    return std::string(read());
  }

 private:
  void say(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), to_);
    std::fputc('\n', to_);
    HELVE_CHECK(std::fflush(to_) == 0);
  }
  std::string_view read() {
    const ssize_t size = ::getline(&line_, &room_, from_);
    HELVE_CHECK(size > 0);
    return {line_, static_cast<std::size_t>(size)};
  }

  pid_t pid_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  char* line_ = nullptr;
  std::size_t room_ = 0;
};

// The floor: an interpreter that comes and goes.
void run_nothing(const char* python) {
  std::array<const char*, 6> words = {python, "-I", "-S", "-c", "pass", nullptr};
  pid_t pid = 0;
  HELVE_CHECK(::posix_spawn(&pid, python, nullptr, nullptr, const_cast<char* const*>(words.data()),
                            environ) == 0);
  ::waitpid(pid, nullptr, 0);
}

Function add_function() {
  Function add;
  add.name = "add";
  add.returns = "int";
  add.parameters = {{"a", "int", {}, true}, {"b", "int", {}, true}};
  add.handler = [](const JsonValue& arguments, const OpContext&) -> Result<FunctionValue> {
    const auto sum = *arguments.find("a")->to_int64() + *arguments.find("b")->to_int64();
    return FunctionValue{JsonValue(sum), {}};
  };
  return add;
}

SandboxOptions roomy_options() {
  SandboxOptions options;
  options.limits.tool_calls_max = 100'000;
  options.limits.block_time = std::chrono::minutes(5);
  return options;
}

std::unique_ptr<Sandbox> start_sandbox() {
  auto sandbox = Sandbox::start(roomy_options());
  HELVE_CHECK(sandbox.has_value() && (*sandbox)->register_tool(add_function()).has_value());
  return std::move(*sandbox);
}

std::string value_of(Sandbox& sandbox, std::string_view code) {
  const auto result = sandbox.execute(code);
  HELVE_CHECK(result.has_value() && result->end == BlockEnd::Finished);
  return result->value;
}

// Times by what was measured and of whom: "start helve".
class Times {
 public:
  template <typename Work>
  void measure(const std::string& name, const Work& work) {
    const auto begun = SteadyClock::now();
    work();
    add(name, std::chrono::duration<double, std::milli>(SteadyClock::now() - begun).count());
  }
  void add(const std::string& name, double ms) { times_[name].push_back(ms); }

  std::string json() {
    std::string text;
    for (auto& [name, times] : times_) {
      std::sort(times.begin(), times.end());
      text += fmt::format(R"({}"{}":{{"count":{},"p50":{:.4f},"p99":{:.4f}}})",
                          text.empty() ? "{" : ",", name, times.size(), times[times.size() / 2],
                          times[(times.size() - 1) * 99 / 100]);
    }
    return text + "}";
  }

 private:
  std::map<std::string, std::vector<double>> times_;
};

// Each beside the other, so that both see the same machine.
void measure_starts(Times& times, const char* guest, const char* python) {
  for (int i = 0; i < kStarts; ++i) {
    std::unique_ptr<Sandbox> sandbox;
    std::unique_ptr<BareSession> bare;
    times.measure("start helve", [&] { sandbox = start_sandbox(); });
    times.measure("start bare", [&] { bare = std::make_unique<BareSession>(guest, python); });
    sandbox.reset();
    bare.reset();
    times.measure("nothing bare", [&] { run_nothing(python); });
    times.measure("result helve", [&] {
      sandbox = start_sandbox();
      HELVE_CHECK(value_of(*sandbox, "add(1, 1)") == "2");
    });
    times.measure("result bare", [&] {
      bare = std::make_unique<BareSession>(guest, python);
      HELVE_CHECK(bare->execute("add(1, 1)") == "2");
    });
  }
}

void measure_pool(Times& times) {
  PoolOptions options;
  options.sandbox = roomy_options();
  options.functions = {add_function()};
  options.ready = 2;
  auto pool = SandboxPool::make(options);
  HELVE_CHECK(pool.has_value());
  for (int i = 0; i < kStarts; ++i) {
    while ((*pool)->ready() < options.ready) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::unique_ptr<Sandbox> sandbox;
    const auto take = [&] {
      auto taken = (*pool)->take({add_function()});
      HELVE_CHECK(taken.has_value());
      sandbox = std::move(*taken);
    };
    if (i % 2 == 0) {
      times.measure("pool helve", take);
    } else {
      times.measure("pool result helve", [&] {
        take();
        HELVE_CHECK(value_of(*sandbox, "add(1, 1)") == "2");
      });
    }
  }
}

void add_call_times(Times& times, const std::string& who, const std::string& value) {
  double p50 = 0;
  double p99 = 0;
  HELVE_CHECK(std::sscanf(value.c_str(), "(%lf, %lf)", &p50, &p99) == 2);
  times.add("call p50 " + who, p50);
  times.add("call p99 " + who, p99);
}

void measure_session(Times& times, const char* guest, const char* python) {
  auto sandbox = start_sandbox();
  BareSession bare(guest, python);
  for (int i = 0; i < 3; ++i) {
    add_call_times(times, "helve", value_of(*sandbox, kCalls));
    add_call_times(times, "bare", bare.execute(kCalls));
  }
  for (int i = 0; i < kBlocks; ++i) {
    times.measure("block helve", [&] { HELVE_CHECK(value_of(*sandbox, "x = 1 + 1\nx") == "2"); });
    times.measure("block bare", [&] { HELVE_CHECK(bare.execute("x = 1 + 1\nx") == "2"); });
  }
  std::string json = "[";
  while (json.size() < kVariableBytes) {
    json += R"({"id":12345,"name":"a name of some length","score":0.25,"tags":["a","b"]},)";
  }
  json.back() = ']';
  for (int i = 0; i < kRounds; ++i) {
    times.measure("set helve", [&] {
      HELVE_CHECK(sandbox->execute("", {{"v", json, {}}}).has_value());
    });
    times.measure("set bare", [&] { bare.set(json); });
    times.measure("get helve", [&] { HELVE_CHECK(sandbox->variable("v").has_value()); });
    times.measure("get bare", [&] { HELVE_CHECK(bare.get().size() > kVariableBytes); });
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "usage: helve_sandbox_cost BARE_GUEST PYTHON\n");
    return 2;
  }
  Times times;
  measure_starts(times, words[1], words[2]);
  measure_pool(times);
  measure_session(times, words[1], words[2]);
  fmt::print("{}\n", times.json());
}
