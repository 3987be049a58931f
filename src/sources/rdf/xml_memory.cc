#include "sources/rdf/xml_memory.h"

#include <cstdlib>
#include <limits>

#include "base/check.h"

namespace helve::rdf {

namespace {

// The functions expat calls carry no user data.
thread_local XmlMemory* memory_in_scope = nullptr;

// Stands before every block.
struct alignas(std::max_align_t) BlockHead {
  XmlMemory* memory;
  std::size_t bytes;
};

BlockHead* head_of(void* block) { return static_cast<BlockHead*>(block) - 1; }

}  // namespace

XmlMemory::Scope::Scope(XmlMemory& memory) : outer_(memory_in_scope) { memory_in_scope = &memory; }
XmlMemory::Scope::~Scope() { memory_in_scope = outer_; }

bool XmlMemory::take(std::size_t bytes) {
  if (bytes > bytes_max_ - used_) return false;
  if (!budget_->reserve(bytes, "parsing XML")) return false;
  used_ += bytes;
  return true;
}

void XmlMemory::give_back(std::size_t bytes) {
  used_ -= bytes;
  budget_->release(bytes);
}

void* xml_allocate(std::size_t bytes) {
  HELVE_CHECK(memory_in_scope != nullptr);
  if (bytes > std::numeric_limits<std::size_t>::max() - sizeof(BlockHead)) return nullptr;
  const std::size_t whole = bytes + sizeof(BlockHead);
  if (!memory_in_scope->take(whole)) return nullptr;
  auto* head = static_cast<BlockHead*>(std::malloc(whole));
  if (head == nullptr) {
    memory_in_scope->give_back(whole);
    return nullptr;
  }
  *head = {memory_in_scope, whole};
  return head + 1;
}

void* xml_reallocate(void* block, std::size_t bytes) {
  if (block == nullptr) return xml_allocate(bytes);
  if (bytes > std::numeric_limits<std::size_t>::max() - sizeof(BlockHead)) return nullptr;
  BlockHead* head = head_of(block);
  XmlMemory* const memory = head->memory;
  const std::size_t before = head->bytes;
  const std::size_t whole = bytes + sizeof(BlockHead);
  if (!memory->take(whole)) return nullptr;  // both blocks may exist at once
  auto* moved = static_cast<BlockHead*>(std::realloc(head, whole));
  if (moved == nullptr) {
    memory->give_back(whole);
    return nullptr;
  }
  memory->give_back(before);
  moved->bytes = whole;
  return moved + 1;
}

void xml_free(void* block) {
  if (block == nullptr) return;
  BlockHead* head = head_of(block);
  head->memory->give_back(head->bytes);
  std::free(head);
}

}  // namespace helve::rdf
