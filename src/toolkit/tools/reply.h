// Reply: the answer of a tool, and how it is brought within its budget: text and structured, each
// on its own. Tools say what there is; render() decides what fits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/handles/ref.h"
#include "toolkit/handles/shown_prefixes.h"
#include "toolkit/tools/reply_value.h"

namespace helve::toolkit {

// A list that may be cut behind any of its items.
struct ReplyList {
  std::string key;                   // "preview", "classes"
  std::vector<std::string> columns;  // of rows: items are then lists of cells, shown as a table
  ReplyValue::List items;
  std::uint64_t left_out = 0;  // items that the tool itself left out, where it knows
  // Where a cell can be read whole: its row N and column C have the address "KEY[N].C"; empty: no.
  std::string handle;
  std::uint64_t first_row = 0;  // of items[0] in the handle
  // Where not all of it fits or is there: the characters it takes then, about; 0: all there is room
  // for. What cannot be whole need not fill the prompt when the rest is behind a handle.
  std::size_t chars_if_cut = 0;
  // A page of `total` items, from first_row on: both forms show the same number of them, and
  // render() adds the facts returned, has_more and next_offset (null at the end) that follow.
  bool is_page = false;
  std::uint64_t total = 0;
};

// A line of ours that needs words of a source. Where data is marked, `own` stands outside and
// names the field, and "FIELD: data" stands between the marks; elsewhere it is `line`.
struct DataLine {
  std::string line;   // sparql_query query="SELECT ..."
  std::string own;    // sparql_query
  std::string field;  // suggested_query
  std::string data;   // SELECT ...; empty: the reply has a fact of that name
};

class Reply {
 public:
  // One line that stands first in the text form: "12 rows of results_0". What of it is made of
  // words of a source comes apart: it follows after a colon, or as a field of the marked data.
  Reply& say(std::string headline, std::string from_data = {}, std::string field = {});
  // A small fact. Calling it again with the same key replaces the value.
  Reply& set(std::string key, ReplyValue value);
  // The same, but for the structured form alone (the text says it otherwise, or need not).
  Reply& set_quietly(std::string key, ReplyValue value);
  // The same, and it is shown whole or not at all: codes and keys.
  Reply& set_word(std::string key, std::string word);
  Reply& list(ReplyList list);
  // A long text, cut at the end of a line or a word; `rest_at` is the handle that has all of
  // it, and there this begins at `first_char`.
  Reply& text(std::string key, std::string text, std::string rest_at = {},
              std::uint64_t first_char = 0);
  // Sets key; the Ref as it prints is in both forms.
  Reply& ref(const Ref& ref);
  // What to call next, one line: "sparql_slice result=results_0 offset=20".
  Reply& next(std::string usage);
  Reply& warn(std::string warning);
  // The same where names, labels or values of a source are in it.
  Reply& next_from_data(DataLine usage);
  Reply& warn_from_data(DataLine warning);
  // The reply shows what was stored before: it names that source, and shows IRIs as it does.
  Reply& about(std::string source_name, ShownPrefixes source_prefixes);

  // Parts, in the order they were added.
  struct Fact {
    std::string key;
    ReplyValue value;
    bool is_quiet = false;
    bool is_own = false;    // nothing of it comes from a source
    bool is_whole = false;  // a short word of ours that means nothing when it is cut
  };
  struct LongText {
    std::string key, text, handle;
    std::uint64_t first_char = 0;
  };
  std::string headline;
  std::string headline_data;
  std::string headline_field;
  std::vector<Fact> facts;
  std::vector<ReplyList> lists;
  std::vector<LongText> texts;
  std::optional<Ref> handle;
  std::vector<std::string> usage;
  std::vector<std::string> warnings;
  std::vector<DataLine> data_lines;  // those of both that need words of a source
  bool is_own = false;               // nothing at all comes from a source
  std::string source;                // empty: that of the call
  ShownPrefixes prefixes;
};

// An error as tools answer it, with what helps to repair the call.
struct ToolError {
  Error error;  // its suggestions are did_you_mean
  std::optional<ReplyList> schema_fragment;
  std::string example;
  ReplyValue::Members details;  // "reason", "pattern", "suggestion", "key" of a partial handle
  std::vector<std::string> warnings;

  ToolError(Error cause) : error(std::move(cause)) {}  // NOLINT(google-explicit-constructor)
};

// What holds for every reply, whatever the tool.
struct ReplyFrame {
  std::string source;
  double execution_time_ms = 0;
  std::size_t max_chars = 2'000;
  ShownPrefixes
      prefixes;  // IRIs are shortened by the longest that fits; those that occur are shown
  // Where not empty, what comes from sources stands in the text form between the lines
  // <data BOUNDARY> and </data BOUNDARY>, so that it cannot pass for words of ours. It must be one
  // that the data cannot foresee. Our own headline, hints, usage and warnings stand outside.
  std::string boundary;
};

struct RenderedReply {
  std::string text;
  std::string json;  // one object; both are at most max_chars characters
  bool is_error = false;
  ErrorCode code = ErrorCode::Internal;  // where it is an error
  std::uint64_t rows_shown = 0;          // items of the longest list
  bool has_overflowed = false;           // a bug of ours: a form was too long and says only that
};

// Never fails and never exceeds ReplyFrame::max_chars (at least kCharsMin) in either form. Cuts
// lists behind whole items and says how many are left out and why ("ended_by": "rows" or
// "characters"); elides cells longer than their share, with the number of characters left out and
// the address to read them.
inline constexpr std::size_t kCharsMin = 200;
RenderedReply render(const Reply& reply, const ReplyFrame& frame);
RenderedReply render(const ToolError& error, const ReplyFrame& frame);

// A term as replies show it, in Turtle's notation: ex:name, <http://...>, "text"@en, 42, true,
// "x"^^ex:type, _:b0. Control and bidirectional characters are escaped.
std::string show_term(const rdf::TermView& term, const PrefixList& prefixes);

}  // namespace helve::toolkit
