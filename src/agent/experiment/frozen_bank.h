// A bank that is only read: not even its counters move. Which of two runs comes first then makes no
// difference to what either finds.
#pragma once

#include <memory>

#include "base/clock.h"
#include "toolkit/memory/bank.h"

namespace helve::agent {

// The clock must outlive it. Changes are Denied.
std::shared_ptr<memory::MemoryBank> frozen(std::shared_ptr<memory::MemoryBank> bank,
                                           const Clock& clock);

}  // namespace helve::agent
