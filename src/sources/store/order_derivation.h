// Makes an order from another by a stable sort by one part: SPO sorted by O is OSP, with as much
// memory as there is. The source is packed and cheap to walk over, so that what does not fit is
// made range by range of the leading code, each in a walk of its own, without files in between.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/order_stream.h"
#include "sources/store/permutation.h"

namespace helve::store {

struct DerivationSource {
  Order order = Order::Spo;
  const Permutation& rows;
  Code code_max = 0;  // no part has a larger one
};

// REQUIRES: without its leading part, `to` has the parts of the source in the source's order. At
// most about `bytes_max` bytes are used, and charged to context.memory. `done` grows by one for
// each row.
Result<void> derive_order(const DerivationSource& from, Order to, std::size_t bytes_max,
                          OrderStream& out, const OpContext& context,
                          std::atomic<std::uint64_t>& done);

}  // namespace helve::store
