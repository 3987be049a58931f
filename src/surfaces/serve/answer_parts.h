// What all kinds of answers are put together from: headers, refusals, the way out.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "base/compression.h"
#include "surfaces/serve/answer.h"
#include "surfaces/serve/negotiation.h"

namespace helve::serve {

inline Answered refused(Refusal refusal) { return {std::move(refusal), {}}; }

// Of an error that came while a query ran, or was about to.
Refusal refusal_of(const Error& error, const OpContext& op);
// The same of what writes.
Refusal write_refusal_of(const Error& error, const OpContext& op);

// "Helve-Version" where the data changes.
void add_version(Headers& headers, const ServedGraph& graph);
Headers common_headers(std::string content_type, const AnswerWishes& wishes,
                       const ServedGraph& graph);

template <typename Format>
Refusal not_acceptable(std::span<const Offer<Format>> offers) {
  return {406, fmt::format("nothing of what the header Accept wants can be given\nhint: there are "
                           "{}\n",
                           names_of(offers))};
}

// Calls `write` with the way out, compressed where that is wanted.
template <typename Write>
Result<void> write_body(const AnswerWishes& wishes, AnswerOut& out, Write write) {
  if (!wishes.has_gzip) return write(out);
  const auto gzip = open_compressor(Compression::Gzip, out);
  HELVE_TRY(write(*gzip));
  return gzip->finish();
}

// Of a write that was done: 204, or 200 and the numbers where the client wants JSON; `status` 201
// stays what it is.
Answered answer_write(const WriteReport& report, int status, Headers headers,
                      const AnswerWishes& wishes, AnswerOut& out);

}  // namespace helve::serve
