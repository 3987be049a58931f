#include "toolkit/examples/endpoint_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

using Counts = std::map<std::string, std::uint64_t>;

template <typename Key>
std::vector<std::pair<Key, std::uint64_t>> commonest(const std::map<Key, std::uint64_t>& counts,
                                                     std::size_t most) {
  std::vector<std::pair<Key, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sorted.size() > most) sorted.resize(most);
  return sorted;
}

bool is_short(std::string_view text) { return text.size() <= EndpointRegistry::kAddressBytesMax; }

std::string host_of(std::string_view url) {
  std::string host = ascii_lower(split_iri(url).authority.value_or(""));
  host.erase(0, host.rfind('@') + 1);
  return host;
}

// The last folder that a file lies in; that of all of them where it lies in none.
std::string subject_of(const ExampleQuery& query, const std::string& root) {
  const std::string_view folder = query.folder();
  return folder.empty() ? root : std::string(folder.substr(folder.rfind('/') + 1));
}

class RegistryMaker {
 public:
  explicit RegistryMaker(const ExampleFolder& folder) : folder_(folder) {}

  Result<EndpointRegistry> make(const OpContext& context) {
    for (const ExampleQuery& query : folder_.queries) {
      HELVE_TRY(context.check());
      add(query);
    }
    finish_endpoints();
    finish_graphs();
    registry_.name = folder_.name;
    registry_.queries = folder_.queries.size();
    registry_.files = folder_.files;
    registry_.broken_files = folder_.broken_files;
    registry_.links = folder_.links;
    registry_.unparsed = folder_.unparsed;
    registry_.problems = folder_.problems;
    registry_.prefixes = folder_.prefixes;
    std::erase_if(registry_.prefixes,
                  [](const auto& one) { return !is_short(one.first) || !is_short(one.second); });
    if (registry_.prefixes.size() > EndpointRegistry::kPrefixesMax) {
      leave_out("prefixes", EndpointRegistry::kPrefixesMax);
      registry_.prefixes.resize(EndpointRegistry::kPrefixesMax);
    }
    if (!folder_.incomplete.empty()) registry_.incomplete = folder_.incomplete;
    return std::move(registry_);
  }

 private:
  struct Found {
    EndpointEntry entry;
    Counts addresses, federates_with, asked_from, keywords;
    std::map<std::pair<std::string, std::string>, std::uint64_t> prefixes;
  };
  struct FoundGraph {
    std::uint64_t examples = 0;
    std::set<std::string> endpoints;  // keys
  };

  // The endpoint of an address; null where it cannot be kept.
  Found* found(const std::string& url) {
    if (!is_short(url)) {
      registry_.incomplete = fmt::format("addresses of more than {} bytes are left out",
                                         EndpointRegistry::kAddressBytesMax);
      return nullptr;
    }
    const std::string key = endpoint_key(url);
    const auto place = found_.find(key);
    if (place != found_.end()) return &place->second;
    if (found_.size() == EndpointRegistry::kEndpointsMax) {
      leave_out("endpoints", EndpointRegistry::kEndpointsMax);
      return nullptr;
    }
    return &found_[key];
  }

  void leave_out(std::string_view what, std::size_t most) {
    registry_.incomplete = fmt::format("it has more than {} {}", format_count(most), what);
  }

  // Keys of endpoints, each once; every address is counted once for the example.
  std::set<std::string> keys_of(const std::set<std::string>& urls) {
    std::set<std::string> keys;
    for (const std::string& url : urls) {
      if (keys.size() == EndpointRegistry::kEndpointsOfOneMax) {
        registry_.incomplete = fmt::format("an example has more than {} endpoints",
                                           EndpointRegistry::kEndpointsOfOneMax);
        break;
      }
      if (Found* endpoint = found(url)) {
        ++endpoint->addresses[url];
        keys.insert(endpoint_key(url));
      }
    }
    return keys;
  }

  void add(const ExampleQuery& query) {
    const auto form = static_cast<std::size_t>(query.form);
    ++registry_.forms[form];
    registry_.federated_queries += query.is_federated() ? 1 : 0;
    registry_.variable_services += query.reach.has_variable_service ? 1 : 0;
    registry_.variable_graphs += query.reach.has_variable_graph ? 1 : 0;
    std::set<std::string> asked(query.reach.services.begin(), query.reach.services.end());
    asked.insert(query.federates_with.begin(), query.federates_with.end());
    const auto others = keys_of(asked);
    const auto targets = keys_of({query.targets.begin(), query.targets.end()});
    for (const std::string& key : targets) add_target(found_.at(key), query, others, key);
    for (const std::string& key : others) {
      Found& other = found_.at(key);
      ++other.entry.federated_count;
      for (const std::string& target : targets) {
        if (target != key) ++other.asked_from[target];
      }
    }
    add_graphs(query, targets);
  }

  void add_target(Found& target, const ExampleQuery& query, const std::set<std::string>& others,
                  const std::string& key) {
    constexpr std::size_t kQuestionChars = 200;
    EndpointEntry& entry = target.entry;
    ++entry.example_count;
    ++entry.forms[static_cast<std::size_t>(query.form)];
    for (const std::string& other : others) {
      if (other != key) ++target.federates_with[other];
    }
    for (const std::string& keyword : query.keywords) {
      if (is_short(keyword)) ++target.keywords[keyword];
    }
    if (entry.questions.size() < EndpointRegistry::kQuestionsMax && !query.comment.empty()) {
      entry.questions.push_back(elide_end(escape_for_terminal(query.comment), kQuestionChars));
    }
    for (const auto& prefix : query.used_prefixes) {
      if (is_short(prefix.first) && is_short(prefix.second)) ++target.prefixes[prefix];
    }
    ++subjects_[subject_of(query, folder_.name)][key];
  }

  void add_graphs(const ExampleQuery& query, const std::set<std::string>& targets) {
    std::map<std::string, std::set<std::string>> graphs;
    for (const ReachedGraph& graph : query.reach.graphs) {
      if (graph.endpoint.empty()) {
        graphs[graph.iri].insert(targets.begin(), targets.end());
      } else if (found(graph.endpoint) != nullptr) {
        graphs[graph.iri].insert(endpoint_key(graph.endpoint));
      }
    }
    for (const auto& [iri, endpoints] : graphs) {
      const bool is_new = !graphs_.contains(iri);
      if (is_new && (graphs_.size() == EndpointRegistry::kGraphsMax || !is_short(iri))) {
        leave_out("graphs", graphs_.size());
        continue;
      }
      FoundGraph& graph = graphs_[iri];
      ++graph.examples;
      graph.endpoints.insert(endpoints.begin(), endpoints.end());
    }
  }

  void finish_endpoints() {
    for (auto& [key, one] : found_) {
      one.entry.addresses = commonest(one.addresses, EndpointRegistry::kTextsMax);
      one.entry.url = one.entry.addresses.front().first;
    }
    name_endpoints();
    for (auto& [key, one] : found_) {
      EndpointEntry& entry = one.entry;
      entry.federates_with = with_urls(commonest(one.federates_with, EndpointRegistry::kTextsMax));
      entry.asked_from = with_urls(commonest(one.asked_from, EndpointRegistry::kTextsMax));
      entry.keywords = commonest(one.keywords, EndpointRegistry::kTextsMax);
      entry.prefixes = commonest(one.prefixes, EndpointRegistry::kTextsMax);
      registry_.endpoints.push_back(entry);
    }
    std::sort(registry_.endpoints.begin(), registry_.endpoints.end(),
              [](const EndpointEntry& a, const EndpointEntry& b) {
                return std::tuple(b.uses(), b.example_count, a.url) <
                       std::tuple(a.uses(), a.example_count, b.url);
              });
  }

  CountedTexts with_urls(CountedTexts keys) const {
    for (auto& [key, count] : keys) key = found_.at(key).entry.url;
    return keys;
  }

  // A folder is named after the endpoint that most of its examples are for. Others have the name of
  // their host, with the path where that is not enough, or all of the address.
  void name_endpoints() {
    std::set<std::string> names;
    std::vector<std::tuple<std::uint64_t, std::string, std::string>> claims;  // count, folder, key
    for (const auto& [folder, targets] : subjects_) {
      const auto main = commonest(targets, 1).front();
      if (!folder.empty()) claims.emplace_back(main.second, folder, main.first);
    }
    std::sort(claims.begin(), claims.end(), [](const auto& a, const auto& b) {
      return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) > std::get<0>(b)
                                              : std::get<1>(a) < std::get<1>(b);
    });
    for (const auto& [count, folder, key] : claims) {
      std::string& name = found_.at(key).entry.name;
      if (name.empty() && names.insert(ascii_lower(folder)).second) name = folder;
    }
    Counts hosts;
    for (const auto& [key, one] : found_) ++hosts[host_of(one.entry.url)];
    for (auto& [key, one] : found_) {
      if (!one.entry.name.empty()) continue;
      const std::string host = host_of(one.entry.url);
      const std::string path(split_iri(one.entry.url).path);
      const std::string& url = one.entry.url;
      for (const std::string& name : {hosts[host] > 1 ? std::string() : host, host + path, url}) {
        if (name.empty() || !names.insert(ascii_lower(name)).second) continue;
        one.entry.name = name;
        break;
      }
      if (one.entry.name.empty()) one.entry.name = key;
    }
  }

  void finish_graphs() {
    for (const auto& [iri, found] : graphs_) {
      GraphEntry entry{iri, found.examples, {}};
      for (const std::string& key : found.endpoints) {
        if (entry.endpoints.size() == EndpointRegistry::kTextsMax) break;
        entry.endpoints.push_back(found_.at(key).entry.url);
      }
      registry_.graphs.push_back(std::move(entry));
    }
    std::stable_sort(
        registry_.graphs.begin(), registry_.graphs.end(),
        [](const GraphEntry& a, const GraphEntry& b) { return a.example_count > b.example_count; });
  }

  const ExampleFolder& folder_;
  EndpointRegistry registry_;
  std::map<std::string, Found> found_;        // by key
  std::map<std::string, FoundGraph> graphs_;  // by IRI
  std::map<std::string, Counts> subjects_;    // examples of a folder, by key of their target
};

}  // namespace

std::string endpoint_key(std::string_view url) {
  std::string key(url);
  const std::size_t colon = key.find("://");
  if (colon != std::string::npos) {
    const std::size_t path = std::min(key.find_first_of("/?#", colon + 3), key.size());
    const std::string scheme = ascii_lower(key.substr(0, colon));
    const std::string host = ascii_lower(key.substr(colon, path - colon));
    key = (scheme == "http" ? "https" : scheme) + host + key.substr(path);
  }
  if (key.ends_with('/')) key.pop_back();
  return key;
}

std::size_t EndpointRegistry::primary_count() const {
  return static_cast<std::size_t>(std::count_if(
      endpoints.begin(), endpoints.end(), [](const EndpointEntry& e) { return e.is_primary(); }));
}

const EndpointEntry* EndpointRegistry::find(std::string_view name_or_url) const {
  const std::string wanted = ascii_lower(name_or_url);
  const std::string key = endpoint_key(name_or_url);
  for (const EndpointEntry& one : endpoints) {
    if (ascii_lower(one.name) == wanted) return &one;
  }
  for (const EndpointEntry& one : endpoints) {
    if (endpoint_key(one.url) == key) return &one;
  }
  return nullptr;
}

Result<EndpointRegistry> registry_of(const ExampleFolder& folder, const OpContext& context) {
  return RegistryMaker(folder).make(context);
}

}  // namespace helve::toolkit
