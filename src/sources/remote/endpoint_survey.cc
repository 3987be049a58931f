#include "sources/remote/endpoint_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/text.h"
#include "base/utc.h"
#include "sources/rdf/document.h"
#include "sources/rdf/turtle_spelling.h"
#include "sources/rdf/vocabulary.h"
#include "sources/remote/endpoint_questions.h"
#include "sources/sparql/algebra/well_known.h"
#include "sources/void_description.h"

namespace helve::remote {

namespace {

constexpr Duration kProbeTime = std::chrono::seconds(5);
constexpr Duration kCountTime = std::chrono::seconds(10);
constexpr std::uint64_t kCountedTriplesMax = 20'000'000;  // beyond, grouping is a scan
constexpr std::uint64_t kNamesMax = 20'000;
constexpr std::uint64_t kGraphsMax = 1'000;
constexpr std::uint64_t kSampledTriples = 10'000;
constexpr std::uint64_t kLabelsAtOnce = 200;
constexpr std::size_t kDateChars = 10;  // of a time
constexpr std::uint64_t kPrefixesMax = 500;
constexpr std::size_t kPrefixCharsMax = 40;

// By this name Jena, and Helve, let the unnamed graph be asked together with others.
constexpr const char* kUnnamedGraph = "urn:x-arq:DefaultGraph";
// Virtuoso keeps data of its own among that of its users.
constexpr std::string_view kVirtuosoGraph = "http://www.openlinksw.com/schemas/virtrdf#";
constexpr std::array<std::string_view, 4> kVirtuosoGraphs = {
    kVirtuosoGraph, "http://localuriqaserver/sparql", "http://www.w3.org/ns/ldp#",
    "urn:activitystreams-owl:map"};

class Surveyor {
 public:
  Surveyor(EndpointClient& client, Env& env, const OpContext& context)
      : client_(client), env_(env), context_(context) {}

  tl::expected<EndpointSurvey, EndpointFailure> make() {
    const bool has_void = read_void();
    GraphSchema& schema = found_.schema;
    schema.triples = std::max(schema.triples, client_.options().triples);
    // Counting all triples is a scan too: not of what is known to be large.
    const bool is_large = schema.triples > kCountedTriplesMax;
    if (auto answered = is_large ? see_some() : count_triples(); !answered) {
      return tl::unexpected(std::move(answered).error());
    }
    // First, because everything else is asked of them.
    list_graphs();
    choose_graphs();
    const bool is_small = own_triples_ && schema.triples <= kCountedTriplesMax;
    if (has_void) {
      origin_ = "the VoID description of the endpoint";
    } else if (is_small && count_all()) {
      origin_ = "counts of the endpoint";
    } else {
      sample_some();
      found_.schema.is_complete = false;
    }
    if (is_small) tell_kinds();
    declare_all();
    add_labels();
    read_prefixes();
    finish_names();
    if (!has_answer_ && first_failure_) return tl::unexpected(*std::move(first_failure_));
    if (!has_void && !client_.options().void_place.empty()) {
      origin_ += "; the VoID description that is named for it cannot be read";
    }
    if (!is_whole_) {
      found_.schema.is_complete = false;
      origin_ += ", of which it gave a part";
    }
    found_.asked = env_.clock().wall();
    found_.schema.origin =
        fmt::format("{}, asked {}", origin_, to_utc(found_.asked).substr(0, kDateChars));
    return std::move(found_);
  }

 private:
  // The call that needs to know has something of its own to ask.
  OpContext within(Duration time) {
    const Duration share = context_.deadline.remaining() / 4;
    if (share < time) is_hurried_ = true;
    return with_time(context_, std::min(time, share), env_);
  }
  OpContext probe() { return within(kProbeTime); }

  // Remembers what keeps the survey from being what it would be another time.
  template <typename Answer>
  tl::expected<Answer, EndpointFailure> noted(tl::expected<Answer, EndpointFailure> answer) {
    if (answer) {
      has_answer_ = true;
      return answer;
    }
    if (!first_failure_) first_failure_ = answer.error();
    switch (answer.error().cause) {
      case EndpointCause::Busy:
      case EndpointCause::Gateway:
      case EndpointCause::Down:
      case EndpointCause::Cut:
      case EndpointCause::Stopped:
        found_.is_partial = true;
        break;
      case EndpointCause::TooHeavy:
      case EndpointCause::Cold:
        if (is_hurried_) found_.is_partial = true;
        break;
      default:
        break;
    }
    return answer;
  }
  static bool is_heavy(const EndpointFailure& failure) {
    return failure.cause == EndpointCause::TooHeavy || failure.cause == EndpointCause::Cold ||
           failure.cause == EndpointCause::Cut || failure.cause == EndpointCause::Gateway;
  }

  // Of the graphs that are asked, once they are chosen.
  tl::expected<SmallRows, EndpointFailure> select(std::string_view head, std::string_view where,
                                                  std::uint64_t rows_max, const OpContext& op) {
    auto rows =
        noted(ask_rows(client_, fmt::format("SELECT {} {}{}", head, from_, where), rows_max, op));
    if (rows && !rows->is_whole) is_whole_ = false;
    return rows;
  }

  // Only an endpoint that does not answer is an error.
  tl::expected<void, EndpointFailure> count_triples() {
    auto rows = noted(ask_rows(client_, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", 1, probe()));
    if (!rows && !is_heavy(rows.error())) return tl::unexpected(std::move(rows).error());
    if (!rows) return {};
    const std::uint64_t size =
        rows->empty() || rows->front().empty() ? 0 : number_in(rows->front().front());
    found_.schema.triples = std::max(found_.schema.triples, size);
    if (rows->is_whole) {
      own_triples_ = size;
    } else {
      is_whole_ = false;
    }
    return {};
  }

  tl::expected<void, EndpointFailure> see_some() {
    auto rows = noted(ask_rows(client_, "SELECT ?s { ?s ?p ?o } LIMIT 1", 1, probe()));
    if (!rows && !is_heavy(rows.error())) return tl::unexpected(std::move(rows).error());
    return {};
  }

  // Whether a query without FROM sees what is in the largest named graph. Sums do not tell: graphs
  // may share triples, and the unnamed one may be larger than all others.
  bool hides_graphs() {
    const auto& graphs = found_.schema.graphs;
    if (graphs.empty()) return false;
    constexpr std::uint64_t kSome = 10;
    const auto rows =
        noted(ask_rows(client_,
                       fmt::format("SELECT ?s ?p ?o {{ GRAPH <{}> {{ ?s ?p ?o }} }} LIMIT {}",
                                   graphs.front().first, kSome),
                       kSome, probe()));
    std::string triples;
    if (rows) {
      for (const auto& cells : *rows) {
        const bool is_ground =
            cells.size() == 3 && std::all_of(cells.begin(), cells.end(), [](const auto& cell) {
              return cell && !cell->view().is_blank();
            });
        if (!is_ground) continue;
        if (!triples.empty()) triples += " . ";
        triples +=
            fmt::format("{} {} {}", rdf::to_ntriples(cells[0]->view()),
                        rdf::to_ntriples(cells[1]->view()), rdf::to_ntriples(cells[2]->view()));
      }
    }
    if (!triples.empty()) {
      const auto are_seen =
          noted(ask_whether(client_, fmt::format("ASK {{ {} }}", triples), probe()));
      if (are_seen) return !*are_seen;
    }
    std::uint64_t named = 0;
    for (const auto& [iri, statements] : graphs) named += statements;
    return own_triples_ && *own_triples_ < named;
  }

  // The well-known place beside the endpoint, and what the endpoint itself says when it is asked
  // for no query.
  bool read_void() {
    const IriParts parts = split_iri(client_.options().url);
    const std::string root =
        fmt::format("{}://{}", parts.scheme.value_or("http"), parts.authority.value_or(""));
    const std::string& told = client_.options().void_place;
    if (!told.empty() && told.find("://") == std::string::npos) return read_void_file(told);
    std::vector<std::string> places = {root + "/.well-known/void", client_.options().url};
    if (!told.empty()) places = {told};
    for (const std::string& url : places) {
      VoidReader reader;
      auto opened = client_.get(
          url, "text/turtle, application/n-triples;q=0.9, application/rdf+xml;q=0.8", probe());
      if (!opened || !read_document_of(*opened, reader)) continue;
      if (take_void(reader.finish())) return true;
    }
    return false;
  }

  bool read_void_file(const std::string& path) {
    const OpContext op = probe();
    auto document = rdf::open_document(env_, path, {}, op);
    VoidReader reader;
    return document && document->read({}, op, reader) && take_void(reader.finish());
  }

  bool read_document_of(HttpStream& opened, VoidReader& reader) {
    const std::string_view type = opened.head.header("content-type");
    const auto format = rdf::parse_format(ascii_lower(type.substr(0, type.find(';'))));
    if (!format) return false;
    rdf::ReadOptions options;
    options.base_iri = opened.head.url;
    const OpContext op = probe();
    return rdf::read_document(*format, *opened.body, options, op, reader).has_value();
  }

  bool take_void(const VoidDescription& told) {
    if (told.class_instances.empty() && told.properties.empty()) return false;
    GraphSchema& schema = found_.schema;
    schema.triples = std::max(schema.triples, told.triples);
    schema.subjects = told.subjects;
    schema.objects = told.objects;
    for (const auto& [iri, n] : told.class_instances) class_of(iri).instances = n;
    for (const auto& [iri, sizes] : told.properties) {
      PropertyInfo& property = property_of(iri);
      property.triples = sizes.triples;
      property.subjects = sizes.subjects;
      property.objects = sizes.objects;
    }
    for (const auto& [iri, n] : told.graph_triples) graphs_[iri] = n;
    return true;
  }

  // Whether everything could be counted in time.
  bool count_all() {
    const OpContext op = within(kCountTime);
    const auto classes = select("?c (COUNT(DISTINCT ?s) AS ?n)",
                                "{ ?s a ?c FILTER(isIRI(?c)) } GROUP BY ?c", kNamesMax, op);
    const auto properties =
        select("?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?ns) (COUNT(DISTINCT ?o) AS ?no)",
               "{ ?s ?p ?o } GROUP BY ?p", kNamesMax, op);
    if (!classes || !properties) return false;
    for (const auto& row : *classes) {
      if (row.size() == 2 && row[0]) class_of(row[0]->value).instances = number_in(row[1]);
    }
    for (const auto& row : *properties) {
      if (row.size() != 4 || !row[0]) continue;
      PropertyInfo& property = property_of(row[0]->value);
      property.triples = number_in(row[1]);
      property.subjects = number_in(row[2]);
      property.objects = number_in(row[3]);
    }
    count_ends(op);
    return true;
  }

  void count_ends(const OpContext& op) {
    const auto rows =
        select("(COUNT(DISTINCT ?s) AS ?ns) (COUNT(DISTINCT ?o) AS ?no)", "{ ?s ?p ?o }", 1, op);
    if (!rows || rows->size() != 1 || rows->front().size() != 2) return;
    found_.schema.subjects = number_in(rows->front()[0]);
    found_.schema.objects = number_in(rows->front()[1]);
  }

  // What the data shows; what is declared comes behind it and wins.
  void tell_kinds() {
    const auto rows =
        select("?p (COUNT(*) AS ?n)", "{ ?s ?p ?o FILTER(isLiteral(?o)) } GROUP BY ?p", kNamesMax,
               within(kCountTime));
    if (!rows) return;
    std::map<std::string, std::uint64_t> literals;
    for (const auto& row : *rows) {
      if (row.size() == 2 && row[0]) literals[row[0]->value] = number_in(row[1]);
    }
    for (auto& [iri, property] : properties_) {
      if (property.triples == 0) continue;
      const auto found = literals.find(iri);
      const std::uint64_t n = found != literals.end() ? found->second : 0;
      property.kind = n == 0                  ? PropertyKind::Object
                      : n >= property.triples ? PropertyKind::Datatype
                                              : PropertyKind::Mixed;
    }
  }

  void declare_all() {
    const auto classes = select("DISTINCT ?c",
                                fmt::format("{{ {{ ?c a <{0}Class> }} UNION {{ ?c a <{1}Class> }} "
                                            "FILTER(isIRI(?c)) }} LIMIT {2}",
                                            rdf::kOwl, rdf::kRdfs, kNamesMax),
                                kNamesMax, probe());
    if (classes) {
      for (const auto& row : *classes) {
        if (!row.empty() && row[0]) class_of(row[0]->value).is_declared = true;
      }
    }
    const auto properties =
        select("DISTINCT ?p ?t ?domain ?range",
               fmt::format("{{ VALUES ?t {{ "
                           "<{0}ObjectProperty> <{0}DatatypeProperty> <{0}AnnotationProperty> "
                           "<{1}Property> }} ?p a ?t . OPTIONAL {{ ?p <{2}domain> ?domain }} "
                           "OPTIONAL {{ ?p <{2}range> ?range }} FILTER(isIRI(?p)) }} LIMIT {3}",
                           rdf::kOwl, rdf::kRdf, rdf::kRdfs, kNamesMax),
               kNamesMax, probe());
    if (!properties) return;
    for (const auto& row : *properties) {
      if (row.size() == 4 && row[0]) declare_property(row);
    }
  }

  void declare_property(const std::vector<std::optional<rdf::Term>>& row) {
    PropertyInfo& property = property_of(row[0]->value);
    property.is_declared = true;
    const std::string type = row[1] ? row[1]->value : std::string();
    if (type.ends_with("ObjectProperty")) property.kind = PropertyKind::Object;
    if (type.ends_with("DatatypeProperty")) property.kind = PropertyKind::Datatype;
    if (type.ends_with("AnnotationProperty")) property.kind = PropertyKind::Annotation;
    const auto add = [](std::vector<std::string>& iris, const std::optional<rdf::Term>& term) {
      if (!term || !term->view().is_iri()) return;
      if (std::find(iris.begin(), iris.end(), term->value) == iris.end()) {
        iris.push_back(term->value);
      }
    };
    add(property.domains, row[2]);
    add(property.ranges, row[3]);
  }

  void sample_some() {
    const auto rows = select("?s ?p ?o", fmt::format("{{ ?s ?p ?o }} LIMIT {}", kSampledTriples),
                             kSampledTriples, probe());
    origin_ = "what it declares";
    if (!rows || rows->empty()) return;
    origin_ += fmt::format(" and a sample of {} triples", format_count(rows->size()));
    for (const auto& row : *rows) {
      if (row.size() != 3 || !row[1]) continue;
      property_of(row[1]->value);
      if (row[1]->value == rdf::kRdfType && row[2] && row[2]->view().is_iri())
        class_of(row[2]->value);
    }
  }

  // Of the largest: the others can be asked for one by one.
  void add_labels() {
    std::vector<std::string> iris;
    for (const auto& [iri, one] : classes_) iris.push_back(iri);
    for (const auto& [iri, one] : properties_) iris.push_back(iri);
    constexpr std::size_t kLabelledMax = 2'000;
    if (iris.size() > kLabelledMax) iris.resize(kLabelledMax);
    const OpContext op = probe();
    for (std::size_t begin = 0; begin < iris.size(); begin += kLabelsAtOnce) {
      std::string values;
      for (std::size_t i = begin; i < std::min(iris.size(), begin + kLabelsAtOnce); ++i) {
        if (!find_bad_iri_character(iris[i])) values += "<" + iris[i] + "> ";
      }
      const auto rows = select("?x ?l",
                               fmt::format("{{ VALUES ?x {{ {}}} ?x <{}label> ?l FILTER(LANG(?l) = "
                                           "\"\" || LANGMATCHES(LANG(?l), \"en\")) }}",
                                           values, rdf::kRdfs),
                               10 * kLabelsAtOnce, op);
      if (!rows) return;
      for (const auto& row : *rows) {
        if (row.size() == 2 && row[0] && row[1]) add_label(row[0]->value, row[1]->value);
      }
    }
  }

  void add_label(const std::string& iri, const std::string& label) {
    const auto keep = [&label](std::string& into) {
      if (into.empty() || label < into) into = label;
    };
    if (const auto found = classes_.find(iri); found != classes_.end()) keep(found->second.label);
    if (const auto found = properties_.find(iri); found != properties_.end()) {
      keep(found->second.label);
    }
  }

  void list_graphs() {
    if (graphs_.empty()) {
      // Where a query without FROM sees nothing, all of it may be in named graphs.
      const bool is_small = own_triples_ && found_.schema.triples <= kCountedTriplesMax;
      const auto rows =
          is_small
              ? noted(ask_rows(client_,
                               "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
                               kGraphsMax, probe()))
              : tl::expected<SmallRows, EndpointFailure>(SmallRows());
      if (rows) {
        if (!rows->is_whole) is_whole_ = false;
        for (const auto& row : *rows) {
          if (row.size() == 2 && row[0] && row[0]->view().is_iri()) {
            graphs_[row[0]->value] = number_in(row[1]);
          }
        }
      }
    }
    // What is no IRI would break every query that names it.
    std::erase_if(graphs_, [](const auto& graph) {
      return graph.first.empty() || find_bad_iri_character(graph.first).has_value();
    });
    auto& graphs = found_.schema.graphs;
    graphs.assign(graphs_.begin(), graphs_.end());
    std::stable_sort(graphs.begin(), graphs.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
  }

  // Engines differ in what a query without FROM is asked of: all graphs together, as it is here, or
  // the one without a name, or all and those of the engine.
  void choose_graphs() {
    constexpr std::size_t kAskedMax = 100;
    auto& graphs = found_.schema.graphs;
    const bool has_own_graphs = drop_graphs_of_engine();
    std::uint64_t named = 0;
    for (const auto& [iri, statements] : graphs) named += statements;
    const bool sees_less = !has_own_graphs && hides_graphs();
    if ((!has_own_graphs && !sees_less) || graphs.size() > kAskedMax) return;
    std::vector<std::string> iris;
    iris.reserve(graphs.size() + 1);
    for (const auto& [iri, statements] : graphs) iris.push_back(iri);
    std::sort(iris.begin(), iris.end());
    for (const std::string& iri : iris) found_.asked_graphs.push_back({iri, true, {}});
    if (sees_less && own_triples_ && can_name_unnamed()) {
      iris.emplace_back(kUnnamedGraph);
      named += *own_triples_;
    }
    for (const std::string& iri : iris) {
      found_.asked_graphs.push_back({iri, false, {}});
      from_ += fmt::format("FROM <{}> ", iri);
    }
    found_.schema.triples = has_own_graphs ? named : std::max(found_.schema.triples, named);
  }

  // Whether there were any.
  bool drop_graphs_of_engine() {
    auto& graphs = found_.schema.graphs;
    const auto is_named = [](std::string_view name) {
      return [name](const auto& graph) { return graph.first == name; };
    };
    if (std::none_of(graphs.begin(), graphs.end(), is_named(kVirtuosoGraph))) return false;
    for (const std::string_view name : kVirtuosoGraphs) std::erase_if(graphs, is_named(name));
    return true;
  }

  bool can_name_unnamed() {
    if (*own_triples_ == 0) return false;
    const auto size = ask_number(
        client_, fmt::format("SELECT (COUNT(*) AS ?n) FROM <{}> {{ ?s ?p ?o }}", kUnnamedGraph),
        probe());
    return size && *size == *own_triples_;
  }

  // Those that the data declares for its readers, as SHACL has it. Of an IRI the shortest is shown.
  void read_prefixes() {
    constexpr std::string_view kShacl = "http://www.w3.org/ns/shacl#";
    const auto rows = select(
        "DISTINCT ?p ?n",
        fmt::format("{{ ?d <{0}prefix> ?p ; <{0}namespace> ?n }} LIMIT {1}", kShacl, kPrefixesMax),
        kPrefixesMax, probe());
    if (!rows) return;
    for (const auto& row : *rows) {
      if (row.size() != 2 || !row[0] || !row[1]) continue;
      const std::string& name = row[0]->value;
      const std::string& iri = row[1]->value;
      const bool is_good = !name.empty() && name.size() <= kPrefixCharsMax &&
                           rdf::is_pn_prefix(name) && !iri.empty() && !find_bad_iri_character(iri);
      if (!is_good || !declared_names_.insert(name).second) continue;
      found_.prefixes.emplace_back(name, iri);
      std::string& declared = declared_prefixes_[iri];
      if (declared.empty() || name.size() < declared.size()) declared = name;
    }
  }

  void finish_names() {
    GraphSchema& schema = found_.schema;
    for (auto& [iri, one] : classes_) schema.classes.push_back(std::move(one));
    for (auto& [iri, one] : properties_) schema.properties.push_back(std::move(one));
    std::stable_sort(
        schema.classes.begin(), schema.classes.end(),
        [](const ClassInfo& a, const ClassInfo& b) { return a.instances > b.instances; });
    std::stable_sort(
        schema.properties.begin(), schema.properties.end(),
        [](const PropertyInfo& a, const PropertyInfo& b) { return a.triples > b.triples; });
    std::map<std::string, std::uint64_t> spaces;
    for (const ClassInfo& one : schema.classes) ++spaces[space_of(one.iri)];
    for (const PropertyInfo& one : schema.properties) ++spaces[space_of(one.iri)];
    for (const auto& [iri, terms] : spaces) {
      const std::string prefix = prefix_of(iri);
      if (!prefix.empty() && !declared_names_.contains(prefix)) {
        found_.prefixes.emplace_back(prefix, iri);
      }
      schema.namespaces.push_back({prefix, iri, terms});
    }
    std::stable_sort(
        schema.namespaces.begin(), schema.namespaces.end(),
        [](const NamespaceInfo& a, const NamespaceInfo& b) { return a.terms > b.terms; });
  }

  static std::string space_of(const std::string& iri) {
    const std::size_t end = iri.find_last_of("#/");
    return end == std::string::npos ? iri : iri.substr(0, end + 1);
  }
  std::string prefix_of(const std::string& space) const {
    const auto declared = declared_prefixes_.find(space);
    if (declared != declared_prefixes_.end()) return declared->second;
    for (const auto& known : sparql::well_known_prefixes()) {
      std::string name(known.name);
      if (known.iri == space && !declared_names_.contains(name)) return name;
    }
    return {};
  }

  ClassInfo& class_of(const std::string& iri) {
    ClassInfo& one = classes_[iri];
    one.iri = iri;
    return one;
  }
  PropertyInfo& property_of(const std::string& iri) {
    PropertyInfo& one = properties_[iri];
    one.iri = iri;
    return one;
  }

  EndpointClient& client_;
  Env& env_;
  const OpContext& context_;
  EndpointSurvey found_;
  std::string origin_;
  std::string from_;  // FROM of what is asked of; empty: as the endpoint has it
  std::optional<std::uint64_t> own_triples_;  // that a query without FROM sees
  bool is_hurried_ = false;                   // some question had less time than it should have
  bool is_whole_ = true;                      // no answer was cut by the endpoint
  bool has_answer_ = false;                   // to any question
  std::optional<EndpointFailure> first_failure_;
  std::map<std::string, ClassInfo> classes_;
  std::map<std::string, PropertyInfo> properties_;
  std::map<std::string, std::uint64_t> graphs_;
  std::map<std::string, std::string> declared_prefixes_;  // by the IRI
  std::set<std::string> declared_names_;                  // of them; each stands for one IRI
};

}  // namespace

tl::expected<EndpointSurvey, EndpointFailure> survey(EndpointClient& client, Env& env,
                                                     const OpContext& context) {
  return Surveyor(client, env, context).make();
}

}  // namespace helve::remote
