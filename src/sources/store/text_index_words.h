// How names and labels are cut into the words of the text index, and how queries are. The texts are
// folded (base/unicode_fold.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helve::store {

inline constexpr std::size_t kTextBytesMax = 1'024;  // the rest of a longer text is not searched
inline constexpr std::size_t kWordBytesMax = 64;     // longer words are cut
inline constexpr std::size_t kTextWordsMax = 96;

enum class WordKind : std::uint8_t {
  Run,   // letters and digits without a gap: "hasPart2"
  Part,  // of the run before it, which has several: "has", "part", "2"
  Pair,  // two neighbours in a script without spaces: what stands for words there
  Tail,  // the last character of such a text
};

struct Word {
  std::string_view text;
  WordKind kind = WordKind::Run;
};

// Not thread-safe: keeps its buffers from text to text.
class WordSplitter {
 public:
  // The words of a text, until the next call. Any bytes will do.
  const std::vector<Word>& split(std::string_view text);
  // All words of the last text without gaps: texts that differ in spelling alone have the same.
  std::string_view whole() const { return whole_; }
  bool is_cut() const { return is_cut_; }  // the last text was too long for whole() to be all

 private:
  struct Piece {
    std::size_t first = 0;  // in bytes_
    std::size_t size = 0;
    WordKind kind = WordKind::Run;
  };

  void add_run(std::string_view run);
  void add_continuous(std::string_view run);
  void add_folded(std::string_view raw, WordKind kind);
  void add(std::string_view folded, WordKind kind);

  std::string bytes_;
  std::string whole_;
  std::string scratch_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> cuts_;  // of a run into parts
  std::vector<Word> words_;
  bool is_cut_ = false;
};

// What an IRI is called at its end, percent-decoded where that gives text; `scratch` may hold it.
std::string_view local_name(std::string_view iri, std::string& scratch);

}  // namespace helve::store
