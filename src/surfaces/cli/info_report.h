// What helve info shows, as a text for people and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/summary.h"
#include "sources/store/loader.h"
#include "surfaces/cli/terminal.h"
#include "surfaces/opening/open_graph.h"

namespace helve::cli {

using InfoFile = opening::OpenedFile;

struct InfoReport {
  std::vector<InfoFile> files;
  const store::LiveSnapshot& data;
  const store::LoadReport& load;
  const store::Summary& summary;
  Duration elapsed{};
  std::size_t top = 10;  // rows of each list
};

std::string render_info_text(const InfoReport& report, const Terminal& terminal);
std::string render_info_json(const InfoReport& report);

}  // namespace helve::cli
