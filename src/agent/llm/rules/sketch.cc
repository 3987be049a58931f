#include "agent/llm/rules/sketch.h"

#include <algorithm>

#include "agent/llm/rules/voice.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kNodesMax = 6;

class Maker {
 public:
  Maker(const Question& question, const std::vector<Mention>& mentions)
      : question_(question),
        mentions_(mentions),
        node_of_(mentions.size(), kNone),
        is_used_(mentions.size(), false) {}

  Sketch make() {
    sketch_.form = question_.form;
    sketch_.aggregate = question_.aggregate;
    add_nodes();
    read_extreme();
    for (const Bound& bound : question_.bounds) read_bound(bound);
    for (std::size_t i = 0; i < mentions_.size(); ++i) {
      if (mentions_[i].kind == MentionKind::Property && !is_used_[i]) read_property(i);
    }
    for (std::size_t i = 0; i < mentions_.size(); ++i) {
      if (mentions_[i].kind == MentionKind::Text) read_text(i);
      link(i);
    }
    finish_groups();
    return std::move(sketch_);
  }

 private:
  std::string_view word(std::size_t at) const {
    return at < question_.tokens.size() ? std::string_view(question_.tokens[at].lower)
                                        : std::string_view();
  }

  // The target first: the first class, of yes or no the first thing; else nothing is said of it.
  void add_nodes() {
    std::size_t target = kNone;
    const bool is_open = question_.asked != Asked::Things;
    for (std::size_t i = 0; i < mentions_.size() && target == kNone && !is_open; ++i) {
      const Mention& mention = mentions_[i];
      const bool is_yes_no = question_.form == Form::YesNo;
      if (mention.kind == MentionKind::Class || (is_yes_no && mention.is_noun())) target = i;
      if (mention.kind == MentionKind::Property && !is_yes_no && question_.form != Form::Count &&
          !comes_first(i)) {
        break;  // "the depth of the lake": the depth is asked for
      }
    }
    // "for each lake" is asked for rather than what is counted.
    for (std::size_t i = 0; i < mentions_.size() && target != kNone; ++i) {
      if (mentions_[i].is_group && mentions_[i].kind == MentionKind::Class) target = i;
    }
    sketch_.nodes.emplace_back();
    if (target != kNone) put(target, 0);
    for (std::size_t i = 0; i < mentions_.size(); ++i) {
      const Mention& mention = mentions_[i];
      if (i == target || !mention.is_noun() || sketch_.nodes.size() == kNodesMax) continue;
      // "Is Foo a lake": what it is said to be.
      const bool says_type = question_.form == Form::YesNo && mention.kind == MentionKind::Class &&
                             sketch_.nodes[0].type.empty() && !sketch_.nodes[0].thing.empty() &&
                             is_one_of(word(0), {"is", "was", "are", "were"});
      if (says_type) {
        sketch_.nodes[0].type = mention.options.front();
        node_of_[i] = 0;
        continue;
      }
      sketch_.nodes.emplace_back();
      put(i, sketch_.nodes.size() - 1);
    }
    target_mention_ = target;
  }

  // Whether a property stands between "which" and a class: "which deep lakes".
  bool comes_first(std::size_t at) const {
    return at + 1 < mentions_.size() && mentions_[at + 1].kind == MentionKind::Class &&
           mentions_[at + 1].from == mentions_[at].to;
  }

  void put(std::size_t mention, std::size_t node) {
    node_of_[mention] = node;
    Node& into = sketch_.nodes[node];
    (mentions_[mention].kind == MentionKind::Class ? into.type : into.thing) =
        mentions_[mention].options.front();
  }

  // The mention that begins at the token, or at most `reach` behind it.
  std::size_t mention_at(std::size_t token, std::size_t reach) const {
    for (std::size_t i = 0; i < mentions_.size(); ++i) {
      if (mentions_[i].from >= token && mentions_[i].from <= token + reach) return i;
    }
    return kNone;
  }

  // The property that a number or an extreme is about: right before it, or behind.
  std::size_t property_near(std::size_t from, std::size_t to) const {
    std::size_t best = kNone;
    for (std::size_t i = 0; i < mentions_.size(); ++i) {
      if (mentions_[i].kind != MentionKind::Property || is_used_[i]) continue;
      constexpr std::size_t kReach = 4;
      if (mentions_[i].to <= from && from - mentions_[i].to <= kReach) best = i;
      if (best == kNone && mentions_[i].from >= to && mentions_[i].from - to <= kReach) best = i;
    }
    return best;
  }

  // The class that words at this token speak of.
  std::size_t class_before(std::size_t token) const {
    std::size_t node = 0;
    for (std::size_t i = 0; i < mentions_.size(); ++i) {
      if (mentions_[i].from < token && mentions_[i].kind == MentionKind::Class &&
          node_of_[i] != kNone) {
        node = node_of_[i];
      }
    }
    return node;
  }

  void read_extreme() {
    if (!question_.extreme) return;
    const Extreme& extreme = *question_.extreme;
    sketch_.is_descending = extreme.is_largest;
    sketch_.limit = question_.top ? *question_.top : 1;
    const bool is_plain = is_one_of(extreme.word, {"most", "fewest", "least"});
    const std::size_t next = mention_at(extreme.at + 1, 0);
    if (is_plain && next != kNone && mentions_[next].kind == MentionKind::Class &&
        node_of_[next] != kNone && node_of_[next] != 0) {
      sketch_.counted = node_of_[next];
      return;
    }
    Value value;
    value.node =
        next != kNone && node_of_[next] != kNone ? node_of_[next] : class_before(extreme.at);
    const std::size_t property = property_near(extreme.at, extreme.at + 1);
    if (property != kNone) {
      value.options = mentions_[property].options;
      is_used_[property] = true;
    }
    value.word = is_plain ? std::string(word(extreme.at + 1)) : extreme.word;
    value.is_shown = true;
    sketch_.ordered_by = sketch_.values.size();
    sketch_.values.push_back(std::move(value));
  }

  void read_bound(const Bound& bound) {
    const std::size_t next = mention_at(bound.to, bound.number.empty() ? 1 : 0);
    const bool counts = !bound.number.empty() && !bound.is_year && next != kNone &&
                        mentions_[next].kind == MentionKind::Class && node_of_[next] != kNone &&
                        node_of_[next] != 0;
    if (counts) {
      sketch_.counted = node_of_[next];
      sketch_.count_bounds.push_back(bound);
      return;
    }
    Value value;
    value.node = class_before(bound.from);
    value.word = bound.word;
    value.bounds.push_back(bound);
    if (bound.number.empty()) {
      if (next == kNone || mentions_[next].kind != MentionKind::Thing) return;
      value.than = mentions_[next].options.front();
      forget_node(next);
    }
    const std::size_t property = property_near(bound.from, bound.to);
    if (property != kNone) {
      value.options = mentions_[property].options;
      is_used_[property] = true;
    } else if (!sketch_.values.empty() && bound.word == "between") {
      sketch_.values.back().bounds.push_back(bound);  // the other end
      return;
    }
    value.is_shown = !bound.is_year;
    sketch_.values.push_back(std::move(value));
  }

  // A thing that is only compared with stands in no relation.
  void forget_node(std::size_t mention) {
    const std::size_t node = node_of_[mention];
    if (node == kNone || node + 1 != sketch_.nodes.size()) return;
    sketch_.nodes.pop_back();
    node_of_[mention] = kNone;
  }

  std::size_t noun_before(std::size_t at) const {
    for (std::size_t i = at; i-- > 0;) {
      if (node_of_[i] != kNone) return i;
    }
    return kNone;
  }
  std::size_t noun_behind(std::size_t at) const {
    for (std::size_t i = at + 1; i < mentions_.size(); ++i) {
      if (mentions_[i].kind == MentionKind::Property && !is_used_[i]) return kNone;
      if (mentions_[i].kind == MentionKind::Text || node_of_[i] != kNone) return i;
    }
    return kNone;
  }

  std::size_t node_at(std::size_t mention) {
    if (node_of_[mention] == kNone && sketch_.nodes.size() < kNodesMax) {
      sketch_.nodes.push_back({"", "", mentions_[mention].options.front()});
      node_of_[mention] = sketch_.nodes.size() - 1;
    }
    return node_of_[mention];
  }

  void connect(std::size_t subject, std::size_t object, std::size_t property) {
    if (subject == object || subject == kNone || object == kNone) return;
    sketch_.edges.push_back(
        {subject, object, mentions_[property].options, mentions_[property].is_negated});
    is_used_[property] = true;
  }

  void read_property(std::size_t at) {
    const Mention& verb = mentions_[at];
    if (verb.is_group) {
      sketch_.group_value = verb.options.front();
      is_used_[at] = true;
      return;
    }
    const std::size_t before = noun_before(at);
    const std::size_t behind = noun_behind(at);
    const bool is_yes_no = question_.form == Form::YesNo;
    const bool same_voice = is_passive_name(verb.options.front()) == is_passive(question_, verb);
    if (behind != kNone) {
      const bool is_noun_of = word(verb.to) == "of" || word(verb.to) == "for";
      std::size_t left = before != kNone ? node_of_[before] : 0;
      // "which lakes of Foo touch Bar": of lakes it is said.
      if (!sketch_.nodes[left].thing.empty() && !is_yes_no) left = class_before(verb.from);
      const std::size_t right = node_at(behind);
      if (right == left) return claim(at, left);
      if (is_noun_of || !same_voice) return connect(right, left, at);
      return connect(left, right, at);
    }
    if (before == kNone) return claim(at, 0);
    const std::size_t node = node_of_[before];
    const bool is_thing = !sketch_.nodes[node].thing.empty();
    if (is_thing && node != 0 &&
        (has_do_before(question_, mentions_[before]) || sketch_.nodes[0].type.empty())) {
      const bool is_when =
          question_.asked == Asked::When || !has_do_before(question_, mentions_[before]);
      return is_when || same_voice ? connect(node, 0, at) : connect(0, node, at);
    }
    // "how many gongs did each tinker forge": what stands in front is forged.
    const std::size_t front = noun_before(before);
    if (!is_thing && front != kNone && has_do_before(question_, mentions_[before])) {
      return same_voice ? connect(node, node_of_[front], at) : connect(node_of_[front], node, at);
    }
    claim(at, is_thing && node != 0 ? class_before(verb.from) : node);
  }

  // Nothing stands at the other end: it is shown, or has to be there.
  void claim(std::size_t at, std::size_t node) {
    const Mention& mention = mentions_[at];
    Value value;
    value.node = node;
    value.options = mention.options;
    value.is_negated = mention.is_negated;
    value.is_shown = !question_.aggregate.empty() ||
                     (mention.from > 0 && is_one_of(word(mention.from - 1), {"their", "its"}));
    value.is_claim = !value.is_shown;
    value.is_named = mention.from > 0 && question_.tokens[mention.from].is_capital;
    is_used_[at] = true;
    sketch_.values.push_back(std::move(value));
  }

  // "lost ships", "ships are lost", "called Foo": a value of the class beside.
  void read_text(std::size_t at) {
    const Mention& text = mentions_[at];
    if (node_of_[at] != kNone) return;
    const bool is_beside =
        std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& other) {
          if (other.kind != MentionKind::Class) return false;
          const bool is_after_be = text.from > other.to && text.from - other.to == 1 &&
                                   is_one_of(word(other.to), {"is", "are", "was", "were"});
          return text.to == other.from || text.from == other.to || is_after_be;
        });
    const bool is_name =
        question_.tokens[text.from].is_capital || question_.tokens[text.from].is_quoted;
    if (is_beside || is_name) node_at(at);
  }

  // "Foo and Bar": what is said of the one is said of the other.
  bool share(std::size_t at, std::size_t node) {
    if (at == 0 || mentions_[at - 1].kind != mentions_[at].kind || node_of_[at - 1] == kNone) {
      return false;
    }
    const std::size_t between = mentions_[at].from - mentions_[at - 1].to;
    const std::size_t first = mentions_[at - 1].to;
    const bool has_article = between == 2 && is_one_of(word(first + 1), {"a", "an", "the"});
    if (word(first) != "and" || (between != 1 && !has_article)) return false;
    const std::size_t other = node_of_[at - 1];
    for (const Edge& edge : sketch_.edges) {
      if (edge.from != other && edge.to != other) continue;
      Edge same = edge;
      (edge.from == other ? same.from : same.to) = node;
      sketch_.edges.push_back(std::move(same));
      return true;
    }
    return false;
  }

  // What stands alone has to do with the class before it, in a way that is not known.
  void link(std::size_t at) {
    const std::size_t node = node_of_[at];
    if (node == kNone || node == 0) return;
    for (const Edge& edge : sketch_.edges) {
      if (edge.from == node || edge.to == node) return;
    }
    if (share(at, node)) return;
    const bool is_alone =
        mentions_[at].from < (target_mention_ == kNone ? 0 : mentions_[target_mention_].from);
    const std::size_t to = is_alone ? 0 : class_before(mentions_[at].from);
    if (to != node) sketch_.edges.push_back({to, node, {}, mentions_[at].is_negated});
  }

  // "How many lakes does each valley have": of each the others are counted.
  void finish_groups() {
    if (!question_.group_at || sketch_.counted || question_.form != Form::Count) return;
    for (std::size_t i = 1; i < sketch_.nodes.size() && !sketch_.counted; ++i) {
      if (!sketch_.nodes[i].type.empty()) sketch_.counted = i;
    }
  }

  const Question& question_;
  const std::vector<Mention>& mentions_;
  std::vector<std::size_t> node_of_;
  std::vector<bool> is_used_;
  std::size_t target_mention_ = kNone;
  Sketch sketch_;
};

}  // namespace

Sketch make_sketch(const Question& question, const std::vector<Mention>& mentions) {
  return Maker(question, mentions).make();
}

}  // namespace helve::llm::rules
