// Calls databases.py and reads the lines that it prints: name=value.
#include "tests/support/database_server.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/check.h"
#include "tests/support/test_data.h"

namespace helve::testing {

DatabaseServer::DatabaseServer(std::string name) : name_(std::move(name)) {
  // The server runs as another user where this is root.
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  std::istringstream lines(run("start", fmt::format("{}", ::getpid())));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find('=');
    if (end == std::string::npos) continue;
    const std::string key = line.substr(0, end);
    const std::string value = line.substr(end + 1);
    if (key == "socket") socket_ = value;
    if (key == "data") data_ = value;
    if (key == "port") port_ = std::atoi(value.c_str());
    if (key == "pid") pid_ = std::atoi(value.c_str());
  }
}

DatabaseServer::~DatabaseServer() {
  if (is_running()) run("stop");
}

bool DatabaseServer::restart() const { return run("restart") == "restarted\n"; }

std::string DatabaseServer::run(std::string_view command, std::string_view more) const {
  constexpr int kNotInstalled = 77;
  const std::string line = fmt::format("python3 '{}' {} {} '{}' {} </dev/null",
                                       repository_path("tests/integration/sql/databases.py"),
                                       command, name_, folder_.path().string(), more);
  FILE* const out = ::popen(line.c_str(), "r");
  HELVE_CHECK(out != nullptr);
  std::string text;
  std::array<char, 400> piece{};
  while (std::fgets(piece.data(), static_cast<int>(piece.size()), out) != nullptr) {
    text += piece.data();
  }
  const int status = ::pclose(out);
  const bool is_missing = WIFEXITED(status) && WEXITSTATUS(status) == kNotInstalled;
  const char* const must_run = std::getenv("HELVE_SQL_MUST_RUN");
  const bool may_be_missing = must_run == nullptr || std::string_view(must_run) != "1";
  if (status == 0 || (is_missing && may_be_missing)) return text;
  std::fprintf(stderr, "databases.py %s %s failed with status %d\n", std::string(command).c_str(),
               name_.c_str(), status);
  std::exit(1);
}

}  // namespace helve::testing
