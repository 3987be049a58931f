// A task is a document, or a piece of a mapped line-based one. Each running task borrows a sink, so
// there are as many sinks, and dictionaries to merge, as threads that really worked. Where what the
// sinks hold passes the memory budget, and there is scratch space, it is put aside and merged
// there.
#include "sources/store/loader.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/env.h"
#include "base/executor.h"
#include "base/log.h"
#include "sources/store/external_build.h"
#include "sources/store/loading_sink.h"
#include "sources/store/snapshot_assembly.h"

namespace helve::store {

namespace {

struct ReadTask {
  std::size_t document = 0;
  std::string_view piece;  // of a document that is read in pieces
  bool is_piece = false;
};

struct Outcome {
  rdf::ReadReport report;
  std::optional<Error> error;
};

class Loader {
 public:
  Loader(std::vector<rdf::Document> documents, const LoadOptions& options, const OpContext& context,
         LoadProgress& progress)
      : documents_(std::move(documents)),
        options_(options),
        context_(context),
        progress_(progress) {
    if (options.scratch.empty()) return;
    external_.emplace(options.scratch, options.env != nullptr ? *options.env : real_env(), context);
  }

  Result<Loaded> run() {
    Duration mark = now();
    const auto stage_ends = [&](LoadStage next) {
      progress_.stage.store(next, std::memory_order_relaxed);
      const Duration before = std::exchange(mark, now());
      return mark - before;
    };
    plan();
    HELVE_TRY(read());
    HELVE_TRY(put_rest_aside());
    loaded_.report.reading = stage_ends(LoadStage::Terms);
    HELVE_TRY(loaded_.report.is_external ? build_externally(stage_ends) : build(stage_ends));
    log_stages();
    return std::move(loaded_);
  }

 private:
  // Once one thread had to put something aside, all do so with what they hold.
  Result<void> put_rest_aside() {
    bool& is_external = loaded_.report.is_external;
    is_external = external_ && (external_->has_batches() || !fits_in_memory(idle_, context_));
    if (!is_external) return {};
    return parallel_for(idle_.size(), context_, [this](std::size_t i) -> Result<void> {
      return idle_[i]->quads() > 0 ? external_->add_batch(*idle_[i]) : Result<void>();
    });
  }

  template <typename StageEnds>
  Result<void> build(const StageEnds& stage_ends) {
    SnapshotAssembly assembly(std::move(idle_), context_);
    HELVE_TRY(assembly.number_terms());
    loaded_.report.terms = stage_ends(LoadStage::Sorting);
    HELVE_TRY(assembly.sort());
    loaded_.report.sorting = stage_ends(LoadStage::Counting);
    HELVE_ASSIGN(loaded_.snapshot, assembly.count());
    loaded_.report.counting = stage_ends(LoadStage::Counting);
    return {};
  }

  template <typename StageEnds>
  Result<void> build_externally(const StageEnds& stage_ends) {
    Prefixes prefixes = gather_prefixes(idle_);
    idle_.clear();
    HELVE_TRY(external_->number_terms(progress_.work));
    loaded_.report.terms = stage_ends(LoadStage::Sorting);
    HELVE_TRY(external_->sort(progress_.work));
    loaded_.report.sorting = stage_ends(LoadStage::Counting);
    progress_.work.start(0);
    HELVE_ASSIGN(loaded_.snapshot, external_->count(std::move(prefixes)));
    loaded_.report.counting = stage_ends(LoadStage::Counting);
    return {};
  }

  static Duration now() { return real_clock().now().time_since_epoch(); }

  void log_stages() const {
    const LoadReport& report = loaded_.report;
    const auto ms = [](Duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    log_info("loaded", {{"documents", documents_.size()},
                        {"statements", report.statements_read},
                        {"skipped", report.skipped},
                        {"external", report.is_external ? 1 : 0},
                        {"terms", loaded_.snapshot->dictionary().size()},
                        {"bytes", loaded_.snapshot->memory_bytes()},
                        {"reading_ms", ms(report.reading)},
                        {"terms_ms", ms(report.terms)},
                        {"sorting_ms", ms(report.sorting)},
                        {"counting_ms", ms(report.counting)}});
  }

  void plan() {
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      const rdf::Document& document = documents_[i];
      progress_.bytes_total.fetch_add(document.bytes_total(), std::memory_order_relaxed);
      const bool by_lines =
          document.format() == rdf::Format::NTriples || document.format() == rdf::Format::NQuads;
      if (by_lines && document.is_mapped()) {
        cut_at_lines(i, document.text());
      } else {
        tasks_.push_back({i, {}, false});
      }
    }
    outcomes_.resize(tasks_.size());
  }

  void cut_at_lines(std::size_t document, std::string_view text) {
    do {
      std::size_t end = std::min(options_.piece_bytes, text.size());
      const std::size_t line_end = text.find('\n', end);
      end = line_end == std::string_view::npos ? text.size() : line_end + 1;
      tasks_.push_back({document, text.substr(0, end), true});
      text.remove_prefix(end);
    } while (!text.empty());
  }

  Result<void> read() {
    auto done =
        parallel_for(tasks_.size(), context_, [this](std::size_t i) { return read_task(i); });
    // Tasks are handed out in order, so the first error in the documents is among the outcomes even
    // when another thread failed earlier in time.
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      HELVE_TRY(collect(i));
    }
    return done;
  }

  Result<void> read_task(std::size_t index) {
    const ReadTask& task = tasks_[index];
    rdf::Document& document = documents_[task.document];
    rdf::ReadOptions read_options;
    read_options.base_iri = options_.base_iri;
    read_options.document_name = document.name();
    read_options.lenient = options_.lenient;
    if (documents_.size() > 1)
      read_options.blank_prefix = "d" + std::to_string(task.document) + "_";
    std::unique_ptr<LoadingSink> sink = borrow();
    sink->set_stable_text(document.is_mapped() ? document.text() : std::string_view());
    sink->set_default_graph(task.document < options_.graphs.size() ? options_.graphs[task.document]
                                                                   : std::string_view());
    std::uint64_t bytes_told = 0;
    sink->set_on_progress([&](std::uint64_t statements) {
      progress_.statements.fetch_add(statements, std::memory_order_relaxed);
      if (!task.is_piece) progress_.advance(bytes_told, document.bytes_read());
    });
    auto report = task.is_piece ? rdf::read_document(document.format(), task.piece, read_options,
                                                     context_, *sink)
                                : document.read(read_options, context_, *sink);
    sink->flush_progress();
    sink->set_on_progress({});
    give_back(std::move(sink));
    progress_.advance(bytes_told, task.is_piece ? task.piece.size() : document.bytes_total());
    if (report) {
      outcomes_[index].report = std::move(*report);
      return {};
    }
    outcomes_[index].error = std::move(report).error();
    return *outcomes_[index].error;
  }

  std::unique_ptr<LoadingSink> borrow() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return new_sink();
    auto sink = std::move(idle_.back());
    idle_.pop_back();
    return sink;
  }

  std::unique_ptr<LoadingSink> new_sink() {
    auto sink = std::make_unique<LoadingSink>(*context_.memory, hash_seed_);
    if (!external_) return sink;
    sink->set_on_full(options_.batch_bytes > 0 ? options_.batch_bytes : external_->batch_bytes(),
                      [this](LoadingSink& full) { return external_->add_batch(full); });
    return sink;
  }

  void give_back(std::unique_ptr<LoadingSink> sink) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(sink));
  }

  Result<void> collect(std::size_t index) {
    Outcome& outcome = outcomes_[index];
    const auto shift = [&](Error& error) {
      if (!tasks_[index].is_piece || !error.position) return;
      const char* const text = documents_[tasks_[index].document].text().data();
      error.position->line +=
          static_cast<std::uint64_t>(std::count(text, tasks_[index].piece.data(), '\n'));
    };
    if (outcome.error) {
      shift(*outcome.error);
      return std::move(*outcome.error);
    }
    LoadReport& total = loaded_.report;
    total.statements_read += outcome.report.statements;
    total.skipped += outcome.report.skipped;
    for (Error& problem : outcome.report.problems) {
      if (total.problems.size() == context_.limits.problems_kept) break;
      shift(problem);
      total.problems.push_back(std::move(problem));
    }
    return {};
  }

  std::vector<rdf::Document> documents_;
  const LoadOptions& options_;
  const OpContext& context_;
  LoadProgress& progress_;
  const std::uint64_t hash_seed_ = real_env().random().next_u64();  // no result depends on it
  std::vector<ReadTask> tasks_;
  std::vector<Outcome> outcomes_;
  std::optional<ExternalBuild> external_;  // where there is scratch space
  std::mutex mutex_;
  std::vector<std::unique_ptr<LoadingSink>> idle_;
  Loaded loaded_;
};

}  // namespace

Result<Loaded> load_documents(std::vector<rdf::Document> documents, const LoadOptions& options,
                              const OpContext& context, LoadProgress* progress) {
  LoadProgress unwatched;
  return Loader(std::move(documents), options, context, progress != nullptr ? *progress : unwatched)
      .run();
}

}  // namespace helve::store
