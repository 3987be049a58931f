// What this folder uses of surfaces/http/, by its own names, and streams of events on it.
#pragma once

#include "surfaces/http/guard.h"
#include "surfaces/http/loop.h"
#include "surfaces/http/wire.h"
#include "surfaces/mcp/http/http_server.h"
#include "surfaces/mcp/http/media.h"

namespace helve::mcp {

using http::Answer;
using http::AnswerHeaders;
using http::Guard;
using http::header;
using http::header_list;
using http::Loop;
using http::view;
using http::WebFields;
using http::WebRequest;
using http::Wire;
using http::WireOwner;

// The head of a stream of events.
inline http::StreamHead event_stream(AnswerHeaders headers) {
  headers.emplace_back("Content-Type", "text/event-stream");
  headers.emplace_back("Cache-Control", "no-cache");
  headers.emplace_back("X-Accel-Buffering", "no");
  return {std::move(headers), kSseComment};
}

}  // namespace helve::mcp
