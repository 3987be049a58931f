// XmlMemory: the account from which one XML parser allocates, so that no document can make expat
// take more than a fixed amount (entity tricks, endless tags). Used by xml_parser.cc alone.
#pragma once

#include <cstddef>

#include "base/memory_budget.h"

namespace helve::rdf {

class XmlMemory {
 public:
  XmlMemory(MemoryBudget& budget, std::size_t bytes_max)
      : budget_(&budget), bytes_max_(bytes_max) {}

  // Makes this the account of xml_allocate on this thread while it lives.
  class Scope {
   public:
    explicit Scope(XmlMemory& memory);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    XmlMemory* outer_;
  };

  std::size_t bytes_max() const { return bytes_max_; }

 private:
  friend void* xml_allocate(std::size_t bytes);
  friend void* xml_reallocate(void* block, std::size_t bytes);
  friend void xml_free(void* block);

  bool take(std::size_t bytes);
  void give_back(std::size_t bytes);

  MemoryBudget* budget_;
  std::size_t bytes_max_;
  std::size_t used_ = 0;
};

// malloc, realloc and free on the account in scope; null when it is exhausted. A block is freed to
// the account it came from.
void* xml_allocate(std::size_t bytes);
void* xml_reallocate(void* block, std::size_t bytes);
void xml_free(void* block);

}  // namespace helve::rdf
