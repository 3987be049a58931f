#include "toolkit/diagnosis/near_iris.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNameBytesMax = 200;  // longer local names are compared no more

// Without what people get wrong about namespaces.
std::string plain_space(std::string_view space) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (space.starts_with(scheme)) space.remove_prefix(scheme.size());
  }
  if (space.starts_with("www.")) space.remove_prefix(4);
  while (!space.empty() && (space.back() == '/' || space.back() == '#')) space.remove_suffix(1);
  return ascii_lower(space);
}

std::size_t distance_allowed(std::size_t length) {
  return std::clamp<std::size_t>((length + 1) / 4, 1, 4);
}

}  // namespace

IriName split_name(std::string_view iri) {
  std::string_view body = iri;
  while (!body.empty() && (body.back() == '/' || body.back() == '#')) body.remove_suffix(1);
  const std::size_t cut = body.find_last_of("#/:");
  if (cut == std::string_view::npos) return {{}, body};
  return {body.substr(0, cut + 1), body.substr(cut + 1)};
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t distance_max) {
  if (a.size() > b.size()) std::swap(a, b);
  const std::size_t too_far = distance_max + 1;
  if (b.size() - a.size() > distance_max || b.size() > kNameBytesMax) return too_far;
  std::vector<std::size_t> before(b.size() + 1, too_far);
  std::vector<std::size_t> above(b.size() + 1, too_far);
  std::vector<std::size_t> row(b.size() + 1, too_far);
  for (std::size_t j = 0; j <= std::min(b.size(), distance_max); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > distance_max ? i - distance_max : 1;
    const std::size_t last = std::min(b.size(), i + distance_max);
    std::fill(row.begin(), row.end(), too_far);
    if (first == 1) row[0] = i;
    for (std::size_t j = first; j <= last; ++j) {
      const bool is_same = ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (is_same ? 0U : 1U)});
      const bool is_swap = i > 1 && j > 1 && ascii_lower(a[i - 1]) == ascii_lower(b[j - 2]) &&
                           ascii_lower(a[i - 2]) == ascii_lower(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return std::min(above[b.size()], too_far);
}

double likeness(std::string_view wanted, std::string_view known) {
  const IriName a = split_name(wanted);
  const IriName b = split_name(known);
  if (a.local.empty() || b.local.empty()) return 0;
  const std::size_t allowed = distance_allowed(a.local.size());
  const std::size_t distance = edit_distance(a.local, b.local, allowed);
  if (distance > allowed) return 0;
  const double near = 1.0 - static_cast<double>(distance) / static_cast<double>(a.local.size() + 1);
  if (a.space == b.space || a.space.empty()) return near;
  if (plain_space(a.space) == plain_space(b.space)) return near * 0.95;
  if (distance > 1) return 0;
  const bool is_close = edit_distance(a.space, b.space, 3) <= 3;
  return near * (is_close ? 0.9 : 0.5);
}

std::string words_of(std::string_view local) {
  std::string out;
  const auto part = [&] {
    if (!out.empty() && out.back() != ' ') out += ' ';
  };
  for (std::size_t i = 0; i < local.size(); ++i) {
    const char c = local[i];
    if (c == '%' && i + 2 < local.size()) {
      part();
      i += 2;
    } else if (c == '_' || c == '-' || c == '.' || c == '+') {
      part();
    } else {
      if (is_upper(c) && i > 0 && !is_upper(local[i - 1])) part();
      out += ascii_lower(c);
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

bool is_nearer(std::string_view wanted, const NameHit& a, const NameHit& b) {
  if (a.score != b.score) return a.score > b.score;
  const std::string_view local = split_name(wanted).local;
  return split_name(a.iri).local == local && split_name(b.iri).local != local;
}

std::vector<NameHit> most_alike(std::string_view wanted, std::vector<NameHit> known,
                                std::size_t hits_max) {
  std::vector<NameHit> out;
  for (NameHit& hit : known) {
    if (hit.iri == wanted) continue;
    hit.score = likeness(wanted, hit.iri);
    if (hit.score > 0) out.push_back(std::move(hit));
  }
  std::stable_sort(out.begin(), out.end(), [&](const NameHit& a, const NameHit& b) {
    if (is_nearer(wanted, a, b)) return true;
    if (is_nearer(wanted, b, a)) return false;
    if (a.count != b.count) return a.count > b.count;
    return a.iri < b.iri;
  });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const NameHit& a, const NameHit& b) { return a.iri == b.iri; }),
            out.end());
  if (out.size() > hits_max) out.resize(hits_max);
  return out;
}

}  // namespace helve::toolkit
