#include "toolkit/context/guide.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/check.h"
#include "toolkit/context/guide_texts.h"
#include "toolkit/skills/front_matter.h"

namespace helve::context {

namespace {

toolkit::FrontMatterKind guide_kind() {
  return {"guide", {"name", "description", "ontologies", "namespaces"}, kGuideBytesMax};
}

bool is_same_iri(std::string_view left, std::string_view right) {
  const auto plain = [](std::string_view iri) {
    if (iri.ends_with('#') || iri.ends_with('/')) iri.remove_suffix(1);
    return iri;
  };
  return !plain(left).empty() && plain(left) == plain(right);
}

bool has_iri(const std::vector<std::string>& iris, std::string_view one) {
  return std::any_of(iris.begin(), iris.end(),
                     [&](const std::string& iri) { return is_same_iri(iri, one); });
}

std::vector<Guide> read_built_in() {
  std::vector<Guide> guides;
  for (const std::string_view text : {guides::solar_system(), guides::prov()}) {
    auto guide = read_guide(text, "");
    HELVE_CHECK(guide);
    guides.push_back(*std::move(guide));
  }
  return guides;
}

}  // namespace

Result<Guide> read_guide(std::string_view file, std::string name) {
  Guide guide;
  guide.name = std::move(name);
  if (!file.starts_with("---\n") && !file.starts_with("---\r\n")) {
    HELVE_TRY(toolkit::check_text_file(file, guide_kind()));
    guide.text = file;
  } else {
    HELVE_ASSIGN(toolkit::FrontMatter front, toolkit::read_front_matter(file, guide_kind()));
    if (!front.value("name").empty()) guide.name = front.value("name");
    guide.description = front.value("description");
    guide.ontologies = split_words(front.value("ontologies"));
    guide.namespaces = split_words(front.value("namespaces"));
    guide.text = std::move(front.text);
  }
  if (guide.text.find_first_not_of(" \r\n\t") == std::string::npos) {
    return Error{ErrorCode::InvalidInput, "the guide has no text"};
  }
  return guide;
}

std::span<const Guide> built_in_guides() {
  static const std::vector<Guide> guides = read_built_in();
  return guides;
}

const Guide* find_guide(const GraphFacts& facts, std::span<const Guide> guides) {
  const auto find = [&](auto is_for) -> const Guide* {
    const auto found = std::find_if(guides.begin(), guides.end(), is_for);
    return found == guides.end() ? nullptr : &*found;
  };
  const auto is_about = [&](const Guide& guide) {
    return has_iri(guide.ontologies, facts.main.iri);
  };
  const auto is_in_its_words = [&](const Guide& guide) {
    return has_iri(guide.namespaces, facts.main_namespace);
  };
  const auto has_it_within = [&](const Guide& guide) {
    return std::any_of(facts.ontologies.begin(), facts.ontologies.end(),
                       [&](const std::string& iri) { return has_iri(guide.ontologies, iri); });
  };
  if (const Guide* guide = find(is_about)) return guide;
  if (const Guide* guide = find(is_in_its_words)) return guide;
  return find(has_it_within);
}

}  // namespace helve::context
