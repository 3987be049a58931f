#include "sources/sparql/engine/regex_literal.h"

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/ascii.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kShortest = 2;
constexpr std::size_t kPatternMax = 1'000;  // bytes; longer ones are not worth the analysis
constexpr std::size_t kAtomsMax = 64;

// Beside upper case, "k" stands for the Kelvin sign and "s" for the long s, which are not ASCII.
bool is_plain(char c) { return static_cast<unsigned char>(c) < 0x80 && c != 'k' && c != 's'; }

std::string longest_plain_part(std::string_view atom) {
  std::string_view best;
  for (std::size_t first = 0; first < atom.size();) {
    std::size_t last = first;
    while (last < atom.size() && is_plain(atom[last])) ++last;
    if (last - first > best.size()) best = atom.substr(first, last - first);
    first = last + 1;
  }
  return std::string(best);
}

// Those of the atoms that every match has: without one of them, all others do not suffice.
std::vector<std::string> required_atoms(const re2::FilteredRE2& filter,
                                        const std::vector<std::string>& atoms) {
  std::vector<std::string> required;
  for (std::size_t without = 0; without < atoms.size(); ++without) {
    std::vector<int> others(atoms.size());
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(without));
    std::vector<int> possible;
    filter.AllPotentials(others, &possible);
    if (possible.empty()) required.push_back(atoms[without]);
  }
  return required;
}

}  // namespace

std::optional<RegexLiteral> RegexLiteral::find(const re2::RE2& regex, std::string_view pattern) {
  if (pattern.size() > kPatternMax || !is_ascii(pattern)) return std::nullopt;
  re2::FilteredRE2 filter(static_cast<int>(kShortest));
  int number = 0;
  if (filter.Add(regex.pattern(), regex.options(), &number) != RE2::NoError) return std::nullopt;
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  if (atoms.empty() || atoms.size() > kAtomsMax) return std::nullopt;
  std::string best;
  for (const std::string& atom : required_atoms(filter, atoms)) {
    std::string part = longest_plain_part(atom);
    if (part.size() > best.size()) best = std::move(part);
  }
  if (best.size() < kShortest) return std::nullopt;
  return RegexLiteral(std::move(best));
}

bool RegexLiteral::occurs_in(std::string_view text) const {
  constexpr std::size_t kChunk = 512;
  std::array<char, kChunk> lowered;
  if (text_.size() > kChunk / 2) return true;
  while (text.size() >= text_.size()) {
    const std::size_t size = std::min(text.size(), kChunk);
    std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), lowered.begin(),
                   [](char c) { return ascii_lower(c); });
    if (::memmem(lowered.data(), size, text_.data(), text_.size()) != nullptr) return true;
    if (size == text.size()) return false;
    // The last bytes may be its beginning.
    text.remove_prefix(size - text_.size() + 1);
  }
  return false;
}

}  // namespace helve::sparql
