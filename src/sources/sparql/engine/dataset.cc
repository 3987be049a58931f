// Look-ups for datasets that have none of their own: one scan for each key.
#include "sources/sparql/engine/dataset.h"

namespace helve::sparql {

namespace {

class ScanLookup final : public Lookup {
 public:
  ScanLookup(const Snapshot& snapshot, LookupKind kind, Parts wanted)
      : snapshot_(snapshot), kind_(kind), wanted_(wanted) {}

  void start(const LookupKeys& keys) override {
    keys_ = keys;
    row_ = 0;
    is_open_ = false;
  }

  bool next(Matches& matches, std::size_t rows_max) override {
    std::size_t left = rows_max;
    while (left > 0) {
      if (!is_open_ && !open()) return false;
      if (!scan_->next(found_, kind_ == LookupKind::First ? 1 : left)) {
        close();
        continue;
      }
      append(matches);
      left -= found_.rows;
      if (kind_ == LookupKind::First) close();
    }
    return true;
  }

 private:
  Id key(Part part) const {
    const KeyPart& of = keys_.parts[static_cast<std::size_t>(part)];
    return of.ids != nullptr ? of.ids[row_] : of.constant;
  }

  bool open() {
    if (row_ == keys_.rows) return false;
    const QuadPattern pattern{key(Part::Subject), key(Part::Predicate), key(Part::Object),
                              keys_.graph};
    if (scan_ == nullptr) {
      scan_ = snapshot_.scan(pattern);
    } else {
      scan_->restart(pattern);
    }
    is_open_ = true;
    return true;
  }

  void close() {
    is_open_ = false;
    ++row_;
  }

  void append(Matches& matches) const {
    matches.rows.insert(matches.rows.end(), found_.rows, static_cast<std::uint32_t>(row_));
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object}) {
      if ((wanted_ & bit(part)) == 0) continue;
      auto& column = matches.columns[static_cast<std::size_t>(part)];
      column.insert(column.end(), found_[part].begin(), found_[part].end());
    }
  }

  const Snapshot& snapshot_;
  LookupKind kind_;
  Parts wanted_;
  LookupKeys keys_;
  std::size_t row_ = 0;
  bool is_open_ = false;
  std::unique_ptr<Scan> scan_;
  QuadBatch found_;
};

}  // namespace

void Scan::restart_part(const QuadPattern& pattern, std::uint32_t /*part*/,
                        std::uint32_t /*parts*/) {
  restart(pattern);
}

std::unique_ptr<Lookup> Snapshot::lookup(LookupKind kind, Parts wanted) const {
  return std::make_unique<ScanLookup>(*this, kind, wanted);
}

void Snapshot::sample(const QuadPattern& pattern, std::size_t rows_max, QuadBatch& batch) const {
  scan(pattern)->next(batch, rows_max);
}

}  // namespace helve::sparql
