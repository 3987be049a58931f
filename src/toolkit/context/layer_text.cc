#include "toolkit/context/layer_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace helve::context {

namespace {

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return line;
}

std::string rest_of_list(std::size_t left) {
  return left == 0 ? std::string() : ", +" + std::to_string(left) + " more";
}

}  // namespace

void LayerBuilder::take(std::string_view part, std::string_view line, std::size_t chars) {
  made_.text += line;
  made_.text += '\n';
  made_.chars += chars + 1;
  if (made_.parts.empty() || made_.parts.back().first != part) {
    made_.parts.emplace_back(std::string(part), 0);
  }
  made_.parts.back().second += chars + 1;
}

bool LayerBuilder::add_line(std::string_view part, std::string_view line) {
  const std::string text = one_line(line);
  const std::size_t chars = utf8_length(text);
  if (chars + 1 > room()) {
    ++made_.left_out;
    return false;
  }
  take(part, text, chars);
  return true;
}

bool LayerBuilder::add_list(std::string_view part, std::string_view head,
                            const std::vector<std::string>& words) {
  return add_list(part, head, words, words.size());
}

bool LayerBuilder::add_list(std::string_view part, std::string_view head,
                            const std::vector<std::string>& words, std::size_t total) {
  total = std::max(total, words.size());
  std::string line = one_line(head);
  std::size_t chars = utf8_length(line);
  std::string best;
  std::size_t best_chars = 0;
  std::size_t taken = 0;
  for (const std::string& word : words) {
    if (taken > 0) line += ", ";
    line += one_line(word);
    chars += utf8_length(word) + (taken > 0 ? 2 : 0);
    if (chars + 1 > room()) break;
    ++taken;
    const std::string rest = rest_of_list(total - taken);
    if (chars + rest.size() + 1 <= room()) {
      best = line + rest;
      best_chars = chars + rest.size();
    }
  }
  if (best.empty()) {
    ++made_.left_out;
    return false;
  }
  take(part, best, best_chars);
  return true;
}

}  // namespace helve::context
