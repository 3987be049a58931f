// A task is a document, or a piece of a mapped line-based one. Each running task borrows a sink, so
// there are as many sinks, and dictionaries to merge, as threads that really worked.
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
#include "sources/store/loading_sink.h"
#include "sources/store/snapshot_assembly.h"

namespace helve::store {

namespace {

struct Task {
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
        progress_(progress) {}

  Result<Loaded> run() {
    Duration mark = now();
    const auto stage_ends = [&](LoadStage next) {
      progress_.stage.store(next, std::memory_order_relaxed);
      const Duration before = std::exchange(mark, now());
      return mark - before;
    };
    plan();
    HELVE_TRY(read());
    loaded_.report.reading = stage_ends(LoadStage::Terms);
    SnapshotAssembly assembly(std::move(idle_), context_);
    HELVE_TRY(assembly.number_terms());
    loaded_.report.terms = stage_ends(LoadStage::Sorting);
    HELVE_TRY(assembly.sort());
    loaded_.report.sorting = stage_ends(LoadStage::Counting);
    HELVE_ASSIGN(loaded_.snapshot, assembly.count());
    loaded_.report.counting = stage_ends(LoadStage::Counting);
    log_stages();
    return std::move(loaded_);
  }

 private:
  static Duration now() { return real_clock().now().time_since_epoch(); }

  void log_stages() const {
    const LoadReport& report = loaded_.report;
    const auto ms = [](Duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    log_info("loaded", {{"documents", documents_.size()},
                        {"statements", report.statements_read},
                        {"skipped", report.skipped},
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
    const Task& task = tasks_[index];
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
    if (idle_.empty()) return std::make_unique<LoadingSink>(*context_.memory, hash_seed_);
    auto sink = std::move(idle_.back());
    idle_.pop_back();
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
  std::vector<Task> tasks_;
  std::vector<Outcome> outcomes_;
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
