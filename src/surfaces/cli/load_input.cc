#include "surfaces/cli/load_input.h"

#include <fmt/core.h>

#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/cli/progress_bar.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

std::string stage_name(store::LoadStage stage) {
  switch (stage) {
    case store::LoadStage::Reading:
      return "reading";
    case store::LoadStage::Terms:
      return "sorting terms";
    case store::LoadStage::Sorting:
      return "indexing";
    case store::LoadStage::Counting:
      return "counting";
  }
  return "";
}

// What the bar shows: bytes while documents are read, and then the work of each stage.
class StageView {
 public:
  explicit StageView(const store::LoadProgress& progress) : progress_(progress) {}

  ProgressState state() {
    const store::LoadStage stage = progress_.stage.load();
    const MonotonicTime now = real_clock().now();
    if (stage != stage_) since_ = now;
    stage_ = stage;
    ProgressState state{progress_.bytes_total.load(), progress_.bytes_read.load(),
                        progress_.statements.load(), stage_name(stage)};
    if (stage == store::LoadStage::Reading || progress_.work.total.load() == 0) return state;
    state.bytes_total = progress_.work.total.load();
    state.bytes_read = progress_.work.done.load();
    state.stage_elapsed = now - since_;
    return state;
  }

 private:
  const store::LoadProgress& progress_;
  store::LoadStage stage_ = store::LoadStage::Reading;
  MonotonicTime since_ = real_clock().now();
};

Result<store::Loaded> load_with_bar(std::vector<rdf::Document> documents,
                                    const store::LoadOptions& options, CommandContext& context) {
  store::LoadProgress progress;
  StageView view(progress);
  const ProgressBar bar(context.progress_terminal(), [&view] { return view.state(); });
  return store::load_documents(std::move(documents), options, context.op, &progress);
}

}  // namespace

Result<std::vector<rdf::Document>> open_inputs(const InputOptions& options,
                                               CommandContext& context) {
  return opening::open_documents(options, context.env, context.op);
}

Result<store::Loaded> load_inputs(std::vector<rdf::Document> documents, const InputOptions& options,
                                  CommandContext& context, std::vector<std::string> graphs,
                                  std::filesystem::path scratch) {
  return load_with_bar(std::move(documents),
                       {.base_iri = options.base_iri,
                        .lenient = options.is_lenient,
                        .graphs = std::move(graphs),
                        .scratch = std::move(scratch)},
                       context);
}

opening::OpenTools open_tools(CommandContext& context) {
  return {context.env,
          context.op,
          context.cache,
          [&context](std::vector<rdf::Document> documents, const store::LoadOptions& options) {
            return load_with_bar(std::move(documents), options, context);
          },
          fmt::format("helve {}", kVersion),
          [](const char* name) { return std::getenv(name); }};
}

void report_skipped(std::uint64_t skipped, const std::vector<Error>& problems,
                    const CommandContext& context) {
  if (skipped == 0) return;
  context.warn(count_of(skipped, "bad statement") + " skipped");
  for (const Error& problem : problems) context.warn("  " + problem.to_string());
  if (skipped > problems.size()) {
    context.warn(fmt::format("  … and {} more", format_count(skipped - problems.size())));
  }
}

}  // namespace helve::cli
