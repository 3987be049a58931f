// EndpointClient: the SPARQL 1.1 Protocol from the asking side: sends a query, waits and asks again
// where that is safe, and gives the answer as it comes, or what kept it from coming.
// https://www.w3.org/TR/sparql11-protocol/
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/env.h"
#include "base/http.h"
#include "sources/rdf/format.h"
#include "sources/remote/endpoint_failure.h"
#include "sources/remote/host_gates.h"
#include "sources/sparql/results/result_format.h"

namespace helve::remote {

class EndpointKnowledge;

enum class QueryMethod : std::uint8_t {
  Any,  // POST, or GET where that is all a server takes
  Post,
  Get,
};

struct EndpointOptions {
  std::string name;  // for messages
  std::string url;
  HttpHeaders credentials;  // "Authorization" and the like
  HttpReach reach;
  std::string user_agent = "helve";
  QueryMethod method = QueryMethod::Any;
  Duration first_byte_timeout{0};  // 0: the deadline of the call alone
  int retries_max = 2;
  HostLimits host;
  // Where its VoID description is: an address or a file; empty: where such things are.
  std::string void_place;
  std::uint64_t triples = 0;  // that it is known to hold; 0: it is asked
};

// The body is what remains to be read.
struct EndpointAnswer {
  HttpHead head;
  std::unique_ptr<ByteSource> body;
  std::variant<sparql::ResultFormat, rdf::Format> format;
  std::string incomplete;                    // why rows are missing, where the server says so
  std::optional<std::uint64_t> rows_capped;  // the server gives no more rows than these, it says
  HostGates::Permit permit;                  // held while the body is read
};

enum class AnswerKind : std::uint8_t { Solutions, Statements };

// Thread-safe.
class EndpointClient {
 public:
  using Opened = tl::expected<EndpointAnswer, EndpointFailure>;

  // `env` outlives it. InvalidInput for what is no http or https address. What answers tell of the
  // server goes into `knowledge`, where there is one.
  static Result<std::unique_ptr<EndpointClient>> make(
      EndpointOptions options, Env& env, std::shared_ptr<HostGates> gates,
      std::shared_ptr<EndpointKnowledge> knowledge = nullptr);

  // Returns when rows may be read. The context outlives the answer.
  Opened ask(const std::string& query, AnswerKind kind, const OpContext& context);
  // Any document of the same server, such as its service description; not retried.
  tl::expected<HttpStream, EndpointFailure> get(const std::string& url, std::string_view accept,
                                                const OpContext& context);

  // Tries POST again, where that is not settled.
  void forget_method() { is_get_ = options_.method == QueryMethod::Get; }

  const EndpointOptions& options() const { return options_; }
  EndpointState state() const;
  // Of reading an answer to its end.
  void note_success() { last_answer_ = env_.clock().now().time_since_epoch().count(); }

 private:
  EndpointClient(EndpointOptions options, std::string host, Env& env,
                 std::shared_ptr<HostGates> gates, std::shared_ptr<EndpointKnowledge> knowledge);
  void note(const EndpointAnswer& answer) const;
  Opened ask_once(const std::string& query, AnswerKind kind, const OpContext& context);
  HttpRequest request_of(const std::string& query, AnswerKind kind, bool is_get) const;
  bool waits_to_retry(const EndpointFailure& failure, int tried, const OpContext& context);

  EndpointOptions options_;
  std::string host_;
  Env& env_;
  std::shared_ptr<HostGates> gates_;
  std::shared_ptr<EndpointKnowledge> knowledge_;  // may be null
  std::atomic<bool> is_get_;
  std::atomic<std::int64_t> last_answer_{0};  // 0: none yet
};

}  // namespace helve::remote
