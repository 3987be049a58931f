// LayerText: the text of one layer of context, made of pieces that are taken whole or left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::context {

struct LayerText {
  std::string text;          // each line ends with a newline
  std::size_t chars = 0;     // of the text; never above the budget
  std::size_t budget = 0;    // that it was made for
  std::size_t left_out = 0;  // pieces that did not fit
  // What took how many characters, in the order of the text; lines of one part are one entry.
  std::vector<std::pair<std::string, std::size_t>> parts;
};

// Takes pieces in the order of their worth. Characters are Unicode code points, as everywhere.
class LayerBuilder {
 public:
  explicit LayerBuilder(std::size_t budget) : end_(budget) { made_.budget = budget; }

  // One line without its newline; false: it did not fit and is left out. Line ends within it
  // become blanks: what a line is, we decide.
  bool add_line(std::string_view part, std::string_view line);
  // "head" and then as many of the words as fit, all before the first that does not, with commas
  // between them and ", +N more" for the rest. False: not one fits.
  bool add_list(std::string_view part, std::string_view head,
                const std::vector<std::string>& words);
  // `total`: words that there are, where only the best are given.
  bool add_list(std::string_view part, std::string_view head, const std::vector<std::string>& words,
                std::size_t total);

  // From here on takes no more than so many characters, until the next call: that one part does not
  // take the room of those after it.
  void set_share(std::size_t chars) {
    end_ = chars < made_.budget - made_.chars ? made_.chars + chars : made_.budget;
  }

  std::size_t room() const { return end_ - made_.chars; }
  LayerText finish() && { return std::move(made_); }

 private:
  void take(std::string_view part, std::string_view line, std::size_t chars);

  LayerText made_;
  std::size_t end_;  // at most the budget
};

}  // namespace helve::context
