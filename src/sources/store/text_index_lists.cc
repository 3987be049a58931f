#include "sources/store/text_index_lists.h"

namespace helve::store {

void ListUnion::add(RowRange rows, double points) {
  if (rows.empty()) return;
  size_ += rows.size();
  cursors_.push_back({(*lists_)[rows.first], {rows.first + 1, rows.last}, points});
  std::push_heap(cursors_.begin(), cursors_.end(), is_later);
  points_left_ = cursors_.size() == 1 ? points : std::max(points_left_, points);
}

void ListUnion::add_word(const TextIndex& index, std::uint64_t word, double quality) {
  for (std::size_t i = 0; i < kTextFields; ++i) {
    const auto field = static_cast<TextField>(i);
    add(index.list_of(word, field), field_points(field) + quality);
  }
}

bool ListUnion::move(Cursor& cursor, Name name) {
  ++steps_;
  cursor.rows.first = lists_->seek(cursor.rows.first, cursor.rows.last, name);
  if (cursor.rows.empty()) return false;
  cursor.name = (*lists_)[cursor.rows.first++];
  return true;
}

bool ListUnion::seek(Name name) {
  bool has_ended = false;
  while (!cursors_.empty() && cursors_.front().name < name) {
    std::pop_heap(cursors_.begin(), cursors_.end(), is_later);
    if (move(cursors_.back(), name)) {
      std::push_heap(cursors_.begin(), cursors_.end(), is_later);
    } else {
      cursors_.pop_back();
      has_ended = true;
    }
  }
  if (has_ended) weigh();
  return !cursors_.empty();
}

double ListUnion::points() const {
  // Cursors at the same name as the first are found from the top of the heap.
  double best = cursors_.front().points;
  const Name name = cursors_.front().name;
  const auto look = [&](const auto& self, std::size_t at) -> void {
    if (at >= cursors_.size() || cursors_[at].name != name) return;
    best = std::max(best, cursors_[at].points);
    self(self, 2 * at + 1);
    self(self, 2 * at + 2);
  };
  look(look, 0);
  return best;
}

void ListUnion::weigh() {
  points_left_ = 0;
  for (const Cursor& cursor : cursors_) points_left_ = std::max(points_left_, cursor.points);
}

}  // namespace helve::store
