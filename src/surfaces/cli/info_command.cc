// helve info: what is in these files?
#include <fmt/core.h>

#include "base/text.h"
#include "sources/store/summary.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/info_report.h"
#include "surfaces/cli/load_input.h"

namespace helve::cli {

Result<void> run_info(const InfoOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  HELVE_ASSIGN(auto documents, open_inputs(options.input, context));
  std::vector<InfoFile> files;
  files.reserve(documents.size());
  for (const auto& document : documents) {
    files.push_back({document.name(), std::string(rdf::format_name(document.format())),
                     document.bytes_total()});
  }
  HELVE_ASSIGN(const store::Loaded loaded,
               load_inputs(std::move(documents), options.input, context));
  HELVE_ASSIGN(const store::Summary summary, store::summarize(*loaded.snapshot, context.op));
  const InfoReport report{std::move(files), loaded, summary, context.env.clock().now() - start,
                          options.top};
  HELVE_TRY(context.out.write(options.is_json ? render_info_json(report)
                                              : render_info_text(report, context.out_terminal)));
  HELVE_TRY(context.out.flush());
  report_skipped(loaded.report.skipped, loaded.report.problems, context);
  if (!options.is_json) {
    const double seconds = std::chrono::duration<double>(report.elapsed).count();
    context.note(fmt::format("{} in {} ({}/s)",
                             count_of(loaded.report.statements_read, "statement"),
                             format_duration(report.elapsed),
                             format_count(static_cast<std::uint64_t>(
                                 static_cast<double>(loaded.report.statements_read) / seconds))));
  }
  return {};
}

}  // namespace helve::cli
