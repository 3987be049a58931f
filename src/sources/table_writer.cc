#include "sources/table_writer.h"

namespace helve {

std::string_view name_of(WriteKind kind) {
  switch (kind) {
    case WriteKind::Insert:
      return "insert";
    case WriteKind::Replace:
      return "replace";
    case WriteKind::Update:
      return "update";
    case WriteKind::Delete:
      return "delete";
    case WriteKind::Merge:
      return "merge";
    case WriteKind::Definition:
      return "definition";
  }
  return "";
}

}  // namespace helve
