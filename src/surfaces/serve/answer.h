// What a worker does for a request: runs the query, or writes a description, into an AnswerOut.
// Knows no connections; answer_stream.h is the way to one.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/op_context.h"
#include "surfaces/serve/protocol.h"
#include "surfaces/serve/served_graph.h"

namespace helve::serve {

inline constexpr std::string_view kEndpointPath = "/sparql";
inline constexpr std::string_view kGraphsPath = "/graphs";
inline constexpr std::string_view kVoidPath = "/.well-known/void";

// Said where an answer was cut at ServedGraph::rows_max; behind the answer where it had begun.
inline constexpr std::string_view kTruncatedHeader = "Helve-Truncated";
// Something that the reader of a good answer should know.
inline constexpr std::string_view kNoteHeader = "Helve-Note";
// Which state of data that changes an answer comes from.
inline constexpr std::string_view kVersionHeader = "Helve-Version";

class AnswerOut : public ByteSink {
 public:
  // Once, before the first byte.
  virtual void begin(Headers headers) = 0;
};

// How a client wants its answer.
struct AnswerWishes {
  std::string accept;
  bool has_gzip = false;
  bool is_head = false;  // no body
};

// How it ended: a refusal takes the place of the answer where that has not begun. `late` are
// headers that were not known when it began.
struct Answered {
  std::optional<Refusal> refusal;
  Headers late;
  int status = 200;  // of an answer without a refusal
};

// `op` has the deadline and the cancellation of this request.
Answered answer_query(const QueryCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
                      const OpContext& op, AnswerOut& out);

// Runs an update. REQUIRES: the graph is writable.
Answered answer_update(const UpdateCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
                       const OpContext& op, AnswerOut& out);

// `origin` is where the server was asked: "http://127.0.0.1:8080".
Answered answer_service(const std::string& origin, const ServedGraph& graph,
                        const AnswerWishes& wishes, const OpContext& op, AnswerOut& out);
Answered answer_void(const std::string& origin, const ServedGraph& graph,
                     const AnswerWishes& wishes, const OpContext& op, AnswerOut& out);

}  // namespace helve::serve
