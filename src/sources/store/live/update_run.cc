#include "sources/store/live/update_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "sources/sparql/engine/query_run.h"
#include "sources/store/live/graph_operations.h"

namespace helve::store {

namespace {

using sparql::GraphTarget;
using sparql::QuadTemplate;

Error no_such_graph(const std::string& iri) {
  return {ErrorCode::NotFound, fmt::format("there is no graph <{}>", iri),
          "SILENT makes it no error"};
}

// Variables of templates, each once.
class TemplateVariables {
 public:
  void add(const std::vector<QuadTemplate>& quads) {
    for (const QuadTemplate& quad : quads) {
      add_of(quad.triple.subject);
      add_of(quad.triple.predicate);
      add_of(quad.triple.object);
      if (quad.graph) add_of(*quad.graph);
    }
  }
  const std::vector<sparql::Variable>& all() const { return all_; }

 private:
  template <typename Variant>
  void add_of(const Variant& term) {
    const auto* const variable = std::get_if<sparql::Variable>(&term);
    if (variable != nullptr && names_.insert(variable->name).second) all_.push_back(*variable);
  }

  std::set<std::string> names_;
  std::vector<sparql::Variable> all_;
};

bool is_iri_or_blank(Id id) { return id.tag() == Tag::Iri || id.tag() == Tag::Blank; }

class UpdateRun {
 public:
  UpdateRun(const sparql::Update& update, const UpdateOptions& options, Transaction& to)
      : update_(update), options_(options), to_(to) {}

  Result<void> run() {
    for (const sparql::UpdateOperation& operation : update_.operations) {
      HELVE_TRY(to_.context().check());
      HELVE_TRY(std::visit([this](const auto& node) { return run(node); }, operation.node));
    }
    return {};
  }

 private:
  // One solution: what stands for variables and, in templates, for blank nodes.
  struct Bindings {
    std::unordered_map<std::string, Id> variables;
    std::unordered_map<std::string, Id> blanks;
  };

  Result<void> run(const sparql::InsertData& data) {
    Bindings none;
    return instantiate(data.quads, std::nullopt, none, true);
  }
  Result<void> run(const sparql::DeleteData& data) {
    Bindings none;
    return instantiate(data.quads, std::nullopt, none, false);
  }

  Result<void> run(const sparql::DeleteWhere& node) {
    sparql::Modify modify;
    modify.deletes = node.quads;
    modify.where = pattern_of(node.quads);
    return run(modify);
  }

  static sparql::Pattern pattern_of(const std::vector<QuadTemplate>& quads) {
    std::vector<sparql::Pattern> parts;
    for (std::size_t i = 0; i < quads.size();) {
      sparql::BasicGraphPattern triples;
      const auto& graph = quads[i].graph;
      for (; i < quads.size() && quads[i].graph == graph; ++i) {
        triples.triples.push_back(quads[i].triple);
      }
      sparql::Pattern part;
      part.node = std::move(triples);
      if (graph) {
        sparql::Graph around;
        around.name = *graph;
        around.inner = std::move(part);
        part = {};
        part.node = std::move(around);
      }
      parts.push_back(std::move(part));
    }
    if (parts.size() == 1) return std::move(parts.front());
    sparql::Pattern whole;
    if (parts.empty()) return whole;
    whole.node = sparql::Join{std::move(parts)};
    return whole;
  }

  Result<void> run(const sparql::Modify& modify) {
    std::optional<Id> with;
    if (modify.with) {
      HELVE_ASSIGN(with, to_.intern(rdf::TermView::iri(*modify.with)));
    }
    TemplateVariables variables;
    if (modify.deletes) variables.add(*modify.deletes);
    if (modify.inserts) variables.add(*modify.inserts);
    HELVE_ASSIGN(const auto snapshot, to_.snapshot());
    const sparql::Query query = query_of(modify, variables.all(), *snapshot);
    sparql::RunOptions run_options;
    run_options.is_union_default = options_.is_union_default;
    run_options.has_empty_graphs = true;
    run_options.services = options_.services;
    HELVE_ASSIGN(auto solutions,
                 sparql::QueryRun::start(query, snapshot, run_options, to_.context()));
    // Everything is found before anything is changed, and deleted before anything is inserted.
    inserted_.clear();
    sparql::Batch batch;
    while (true) {
      HELVE_ASSIGN(const bool has_rows, solutions.next(batch));
      if (!has_rows) break;
      HELVE_TRY(take(modify, with, solutions, variables.all(), batch));
    }
    for (const Quad& quad : inserted_) HELVE_TRY(to_.add(quad));
    inserted_ = {};
    return {};
  }

  Result<void> take(const sparql::Modify& modify, std::optional<Id> with,
                    const sparql::QueryRun& solutions,
                    const std::vector<sparql::Variable>& variables, const sparql::Batch& batch) {
    std::string scratch;
    for (std::size_t row = 0; row < batch.rows; ++row) {
      Bindings bindings;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        Id id = batch.columns[i][row];
        if (!id.is_defined()) continue;
        if (id.tag() == Tag::Local) {
          HELVE_ASSIGN(id, to_.intern(solutions.term(id, scratch)));
        }
        bindings.variables.emplace(variables[i].name, id);
      }
      if (modify.deletes) HELVE_TRY(instantiate(*modify.deletes, with, bindings, false));
      if (modify.inserts) HELVE_TRY(collect(*modify.inserts, with, bindings));
    }
    return {};
  }

  sparql::Query query_of(const sparql::Modify& modify,
                         const std::vector<sparql::Variable>& variables,
                         const LiveSnapshot& snapshot) const {
    sparql::Query query;
    query.version = update_.version;
    query.base_iri = update_.base_iri;
    query.prefixes = update_.prefixes;
    sparql::Select select;
    select.is_star = variables.empty();
    for (const sparql::Variable& variable : variables) select.items.push_back({variable, {}});
    select.body.where = modify.where;
    query.form = std::move(select);
    query.dataset = modify.using_graphs.empty() ? options_.using_graphs : modify.using_graphs;
    if (!query.dataset.empty() || !modify.with) return query;
    query.dataset.push_back({*modify.with, false, {}});
    std::string scratch;
    for (const Id graph : snapshot.named_graphs()) {
      const rdf::TermView name = snapshot.term(graph, scratch);
      if (name.is_iri()) query.dataset.push_back({std::string(name.value), true, {}});
    }
    return query;
  }

  // nullopt: unbound.
  Result<std::optional<Id>> resolve(const sparql::Variable& variable, Bindings& bindings) const {
    const auto found = bindings.variables.find(variable.name);
    return found != bindings.variables.end() ? std::optional<Id>(found->second) : std::nullopt;
  }
  Result<std::optional<Id>> resolve(const sparql::Constant& constant, Bindings& /*bindings*/) {
    HELVE_ASSIGN(const Id id, to_.intern(constant.term.view()));
    return std::optional<Id>(id);
  }
  Result<std::optional<Id>> resolve(const sparql::BlankNode& blank, Bindings& bindings) {
    const auto [at, is_new] = bindings.blanks.try_emplace(blank.label);
    if (is_new) {
      HELVE_ASSIGN(at->second, to_.new_blank());
    }
    return std::optional<Id>(at->second);
  }
  Result<std::optional<Id>> resolve(const sparql::Path& /*path*/, Bindings& /*bindings*/) const {
    return std::optional<Id>();
  }

  template <typename Variant>
  Result<std::optional<Id>> resolve_any(const Variant& term, Bindings& bindings) {
    return std::visit([&](const auto& node) { return resolve(node, bindings); }, term);
  }

  // nullopt where a part is unbound, or where it would be no statement.
  Result<std::optional<Quad>> quad_of_template(const QuadTemplate& quad, std::optional<Id> with,
                                               Bindings& bindings) {
    std::optional<Quad> nothing;
    HELVE_ASSIGN(const auto subject, resolve_any(quad.triple.subject, bindings));
    HELVE_ASSIGN(const auto predicate, resolve_any(quad.triple.predicate, bindings));
    HELVE_ASSIGN(const auto object, resolve_any(quad.triple.object, bindings));
    std::optional<Id> graph = with.value_or(Id());
    if (quad.graph) {
      HELVE_ASSIGN(graph, resolve_any(*quad.graph, bindings));
      if (graph && graph->tag() != Tag::Iri) return nothing;
    }
    if (!subject || !predicate || !object || !graph) return nothing;
    if (!is_iri_or_blank(*subject) || predicate->tag() != Tag::Iri) return nothing;
    return std::optional<Quad>(Quad{*subject, *predicate, *object, *graph});
  }

  Result<void> instantiate(const std::vector<QuadTemplate>& quads, std::optional<Id> with,
                           Bindings& bindings, bool is_added) {
    for (const QuadTemplate& one : quads) {
      HELVE_ASSIGN(const auto quad, quad_of_template(one, with, bindings));
      if (quad) HELVE_TRY(is_added ? to_.add(*quad) : to_.remove(*quad));
    }
    return {};
  }

  Result<void> collect(const std::vector<QuadTemplate>& quads, std::optional<Id> with,
                       Bindings& bindings) {
    for (const QuadTemplate& one : quads) {
      HELVE_ASSIGN(const auto quad, quad_of_template(one, with, bindings));
      if (!quad) continue;
      if (inserted_.size() == inserted_.capacity()) {
        const std::size_t capacity = std::max<std::size_t>(256, inserted_.capacity() * 2);
        HELVE_TRY(charge_.resize(capacity * sizeof(Quad)));
        inserted_.reserve(capacity);
      }
      inserted_.push_back(*quad);
    }
    return {};
  }

  Result<Id> graph_of(const GraphTarget& target) {
    if (target.kind != GraphTarget::Kind::One) return Id();
    return to_.intern(rdf::TermView::iri(target.iri));
  }

  Result<void> run(const sparql::Load& load) {
    HELVE_ASSIGN(const Id graph, graph_of(load.into));
    const auto read = read_document(load.from, graph);
    // Not what goes wrong from here on: a part of what came before would be missing.
    if (read) return add_statements(*read, to_);
    // What the policy refuses and what was cancelled is told in any case.
    const bool is_told =
        read.error().code == ErrorCode::Denied || read.error().code == ErrorCode::Cancelled;
    if (load.is_silent && !is_told) return {};
    return read.error();
  }

  Result<ReadStatements> read_document(const std::string& iri, Id graph) {
    HELVE_ASSIGN(auto document, options_.load(iri, to_.context()));
    return read_for_graph(document, iri, graph, to_);
  }

  Result<void> run(const sparql::ManageGraph& manage) {
    using Verb = sparql::ManageGraph::Verb;
    if (manage.target.kind == GraphTarget::Kind::One) {
      HELVE_ASSIGN(const Id graph, graph_of(manage.target));
      HELVE_ASSIGN(const bool is_there, has_graph(graph, to_));
      if (manage.verb == Verb::Create) return create(manage, graph, is_there);
      if (!is_there) {
        return manage.is_silent ? Result<void>() : no_such_graph(manage.target.iri);
      }
      return empty(graph, manage.verb == Verb::Drop);
    }
    if (manage.target.kind != GraphTarget::Kind::Named) HELVE_TRY(clear_graph(Id(), to_));
    if (manage.target.kind == GraphTarget::Kind::Default) return {};
    HELVE_ASSIGN(const auto snapshot, to_.snapshot());
    for (const Id graph : snapshot->named_graphs()) {
      HELVE_TRY(empty(graph, manage.verb == Verb::Drop));
    }
    return {};
  }

  Result<void> create(const sparql::ManageGraph& manage, Id graph, bool is_there) {
    if (is_there && !manage.is_silent) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("there is a graph <{}> already", manage.target.iri),
                   "CREATE SILENT makes it no error"};
    }
    to_.keep_graph(graph);
    return {};
  }

  Result<void> empty(Id graph, bool is_dropped) {
    HELVE_TRY(clear_graph(graph, to_));
    HELVE_TRY(to_.snapshot());
    if (is_dropped) {
      to_.forget_graph(graph);
    } else {
      to_.keep_graph(graph);
    }
    return {};
  }

  Result<void> run(const sparql::TransferGraph& transfer) {
    using Verb = sparql::TransferGraph::Verb;
    HELVE_ASSIGN(const Id from, graph_of(transfer.from));
    HELVE_ASSIGN(const Id into, graph_of(transfer.to));
    HELVE_ASSIGN(const bool is_there, has_graph(from, to_));
    if (!is_there) return transfer.is_silent ? Result<void>() : no_such_graph(transfer.from.iri);
    if (from == into) return {};
    if (transfer.verb != Verb::Add) HELVE_TRY(clear_graph(into, to_));
    HELVE_TRY(copy_graph(from, into, to_));
    HELVE_TRY(to_.snapshot());
    HELVE_ASSIGN(const bool is_made, has_graph(into, to_));
    if (!is_made) to_.keep_graph(into);
    if (transfer.verb != Verb::Move) return {};
    return from.is_defined() ? empty(from, true) : clear_graph(from, to_);
  }

  const sparql::Update& update_;
  const UpdateOptions& options_;
  Transaction& to_;
  std::vector<Quad> inserted_;  // by the operation that is run
  MemoryCharge charge_{*to_.context().memory, "the statements of an update"};
};

}  // namespace

Result<void> check_update(const sparql::Update& update, const UpdateOptions& options) {
  for (const sparql::UpdateOperation& operation : update.operations) {
    if (std::holds_alternative<sparql::Load>(operation.node) && !options.load) {
      return Error{ErrorCode::Denied, "LOAD is not allowed here",
                   "--allow-load FOLDER names a place to load from"};
    }
    const auto* const modify = std::get_if<sparql::Modify>(&operation.node);
    if (modify == nullptr || options.using_graphs.empty()) continue;
    if (modify->with || !modify->using_graphs.empty()) {
      return Error{ErrorCode::InvalidInput,
                   "the request names graphs to use, and so does the update with USING or WITH",
                   "name them in one place"};
    }
  }
  return {};
}

Result<void> run_update(const sparql::Update& update, const UpdateOptions& options,
                        Transaction& to) {
  return UpdateRun(update, options, to).run();
}

Result<void> put_graph(const std::string& graph, bool replaces, rdf::Document& document,
                       const std::string& base_iri, Transaction& to, bool& was_there) {
  Id id;
  if (!graph.empty()) {
    HELVE_ASSIGN(id, to.intern(rdf::TermView::iri(graph)));
  }
  HELVE_ASSIGN(was_there, has_graph(id, to));
  if (replaces) HELVE_TRY(clear_graph(id, to));
  HELVE_TRY(load_into_graph(document, base_iri, id, to));
  HELVE_ASSIGN(const auto after, to.snapshot());
  // Every transaction notes all graphs that are kept: those with statements need no note.
  if (id.is_defined() && after->statements_of(id) == 0) to.keep_graph(id);
  return {};
}

Result<void> remove_graph(const std::string& graph, Transaction& to) {
  if (graph.empty()) return clear_graph(Id(), to);
  HELVE_ASSIGN(const Id id, to.intern(rdf::TermView::iri(graph)));
  HELVE_ASSIGN(const bool is_there, has_graph(id, to));
  if (!is_there) {
    return Error{ErrorCode::NotFound, fmt::format("there is no graph <{}>", graph)};
  }
  HELVE_TRY(clear_graph(id, to));
  HELVE_TRY(to.snapshot());
  to.forget_graph(id);
  return {};
}

}  // namespace helve::store
