#include "surfaces/cli/index_names.h"

#include <fmt/core.h>

#include "sources/store/text_index_builder.h"
#include "sources/store/text_index_file.h"

namespace helve::cli {

void write_names(const store::Snapshot& snapshot, const std::string& folder,
                 CommandContext& context) {
  const auto names = store::build_text_index(snapshot, context.op);
  const Result<void> written =
      names ? store::write_text_index(**names, snapshot, folder, context.op, context.env)
            : Result<void>(names.error());
  if (written || !context.op.check()) return;
  context.warn(fmt::format("the index of names was not made: {}", written.error().full_message()));
}

}  // namespace helve::cli
