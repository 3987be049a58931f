#include "surfaces/mcp/server/revision.h"

namespace helve::mcp {

std::string_view name_of(Revision revision) {
  switch (revision) {
    case Revision::R20250326:
      return "2025-03-26";
    case Revision::R20250618:
      return "2025-06-18";
    case Revision::R20251125:
      return "2025-11-25";
    case Revision::R20260728:
      break;
  }
  return "2026-07-28";
}

std::optional<Revision> find_revision(std::string_view name) {
  for (const Revision revision : kRevisions) {
    if (name == name_of(revision)) return revision;
  }
  return std::nullopt;
}

}  // namespace helve::mcp
