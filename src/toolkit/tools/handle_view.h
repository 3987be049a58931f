// Views of handles: rows as a list of a reply, anything as text, cells by their address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/handles/handle_store.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// Rows [offset, offset + count) as far as they are there; `columns` empty: all, by number
// otherwise.
ReplyList rows_of(const Handle& handle, std::uint64_t offset, std::uint64_t count,
                  const std::vector<std::size_t>& columns, std::string key);

// "results_0[3].abstract": a cell.
struct CellAddress {
  std::string key;
  std::uint64_t row = 0;
  std::string column;
};
std::optional<CellAddress> read_cell_address(std::string_view text);

// What a handle holds, as text: rows as lines with tabs between their cells behind a line of names,
// a graph as N-Triples, as far as the policy shows it, a text as it is; of an address of a cell,
// the cell. No more than `bytes_max`.
struct HandleText {
  Ref ref;
  HandleOrigin origin;
  std::string text;
  bool is_cut = false;
};
Result<HandleText> text_of(std::string_view key_or_address, std::size_t bytes_max, ToolCall& call);

}  // namespace helve::toolkit
