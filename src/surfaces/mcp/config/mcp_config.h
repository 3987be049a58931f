// McpConfig: all that `helve mcp` is told, by its command line and by a file of TOML. Strict: what
// is written is understood, or it is an error that says where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "base/result.h"
#include "base/toml.h"
#include "surfaces/mcp/config/toolset.h"
#include "surfaces/opening/endpoint_settings.h"
#include "surfaces/opening/secret.h"
#include "toolkit/audit/audit.h"
#include "toolkit/policy/policy.h"

namespace helve::mcp {

using opening::Environment;

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;  // 0: any that is free
};
// "127.0.0.1:8080", "[::1]:8080", "localhost:8080", or a port alone, which is one of 127.0.0.1.
Result<ListenAddress> read_listen_address(std::string_view text);

struct SourceConfig {
  std::string name;
  std::string uri;               // as it is shown
  std::string place;             // of opening::place_of(); the whole URI of a database
  std::filesystem::path folder;  // that the paths of a database or an endpoint are relative to
  bool is_database = false;
  bool is_endpoint = false;            // place is its address
  opening::EndpointSettings endpoint;  // how it is asked
  std::string description;
  std::shared_ptr<const toolkit::Policy> policy;  // of its own; null: none
  bool is_writable = false;                       // the policy of some caller lets it be changed
};

struct CallerConfig {
  std::string name;
  std::string token;
  std::shared_ptr<const toolkit::Policy> policy;
};

struct HttpConfig {
  std::optional<ListenAddress> listen;  // nullopt: stdio
  std::string path = "/mcp";
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
};

// nullopt: as the server has it.
struct LimitsConfig {
  std::optional<std::uint64_t> body_bytes;
  std::optional<std::uint64_t> connections;
  std::optional<std::uint64_t> sessions;
  std::optional<Duration> session_idle;
  std::optional<std::uint64_t> workers;
  std::optional<std::uint64_t> queue;
  std::optional<std::uint64_t> requests;  // of one connection at once
  std::optional<std::uint64_t> subscriptions;
  std::optional<Duration> ask_timeout;
};

struct McpConfig {
  Toolset toolset = Toolset::Standard;
  std::string caller = "local";                   // who calls without a token
  std::shared_ptr<const toolkit::Policy> policy;  // of that caller
  std::filesystem::path audit;                    // empty: none is written
  toolkit::AuditOptions audit_options;
  std::filesystem::path skills;       // folder; empty: those of the program
  std::string bank;                   // of the memory: a path or an address; empty: none is named
  std::filesystem::path session;      // folder of handles; empty: they go with the process
  bool is_read_only = false;          // whatever policies say: sources and the bank are only read
  bool trusts_judgments = false;      // of agents, that they call verified
  std::string state_key;              // empty: a new one for each process
  std::vector<SourceConfig> sources;  // those of the command line first
  std::vector<CallerConfig> callers;
  HttpConfig http;
  LimitsConfig limits;
  // The file, for who reads its section [model]; null: there is none. Paths in it are relative to
  // the folder.
  std::shared_ptr<const TomlDocument> document;
  std::filesystem::path folder;
};

// What the command line says; it wins over the file.
struct McpArguments {
  std::vector<std::string> sources;  // NAME=URI or URI; those of the file join them
  std::optional<std::string> http;
  std::optional<std::string> toolset;
  std::optional<std::string> policy_file;
  std::optional<std::string> caller;  // a name of the policy file
  std::optional<std::string> skills;  // folder
  std::optional<std::string> bank;
  std::optional<std::string> session;  // folder
  std::optional<std::string> audit_file;
  std::optional<std::string> audit_key;  // env:NAME or file:PATH
  bool is_audit_fingerprints = false;
  std::optional<std::string> config_file;
  std::vector<std::string> allowed_paths;  // folders from which tools may load files
  bool is_read_only = false;
};

Result<McpConfig> make_mcp_config(const McpArguments& arguments, Env& env,
                                  const Environment& environment);

}  // namespace helve::mcp
