// ListUnion: the names that have any of several words, in order, with what each match is worth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sources/store/text_index.h"

namespace helve::store {

// Not thread-safe; the index must outlive it.
class ListUnion {
 public:
  explicit ListUnion(const TextIndex& index) : lists_(&index.lists) {}

  // Adds a list. REQUIRES: nothing was sought yet.
  void add(RowRange rows, double points);
  // The lists of a word in all fields.
  void add_word(const TextIndex& index, std::uint64_t word, double quality);
  std::uint64_t size() const { return size_; }  // of all lists

  // Moves to the first name that is not less; false when there is none. Names never come back.
  bool seek(Name name);
  Name name() const { return cursors_.front().name; }
  // The best match of the current name.
  double points() const;
  // The best that what is left may bring.
  double points_left() const { return points_left_; }
  std::uint64_t steps() const { return steps_; }

 private:
  struct Cursor {
    Name name = 0;
    RowRange rows;  // those behind the name
    double points = 0;
  };
  static bool is_later(const Cursor& a, const Cursor& b) { return a.name > b.name; }
  bool move(Cursor& cursor, Name name);
  void weigh();

  const PackedColumn<Name>* lists_;
  std::vector<Cursor> cursors_;  // a heap, least name first
  std::uint64_t size_ = 0;
  std::uint64_t steps_ = 0;
  double points_left_ = 0;
};

// What a match in a field is worth.
constexpr double field_points(TextField field) {
  switch (field) {
    case TextField::Label:
      return 6;
    case TextField::Synonym:
      return 4;
    case TextField::LocalName:
      break;
  }
  return 2;
}

}  // namespace helve::store
