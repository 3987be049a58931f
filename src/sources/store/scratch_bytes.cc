#include "sources/store/scratch_bytes.h"

namespace helve::store {

namespace {

struct ChargedBytes {
  std::vector<char> bytes;
  MemoryCharge charge;
};

}  // namespace

Result<void> ScratchBytes::spill() {
  if (file_ == nullptr) {
    HELVE_ASSIGN(file_, scratch_->make_file());
  }
  HELVE_TRY(file_->write({buffer_.data(), buffer_.size()}));
  spilled_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<Column<char>> ScratchBytes::finish_bytes() {
  if (file_ != nullptr || (scratch_ != nullptr && buffer_.size() > kKeptBytes)) {
    HELVE_TRY(spill());
    buffer_ = {};
    HELVE_ASSIGN(const auto mapped, file_->finish());
    return Column<char>(mapped->bytes(), mapped);
  }
  if (buffer_.empty()) return Column<char>();
  buffer_.shrink_to_fit();
  HELVE_TRY(charge_.resize(buffer_.capacity()));
  const auto owner =
      std::make_shared<const ChargedBytes>(ChargedBytes{std::move(buffer_), std::move(charge_)});
  return Column<char>(owner->bytes, owner);
}

}  // namespace helve::store
