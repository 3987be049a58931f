// What helve info shows, as a text for people and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sources/store/loader.h"
#include "sources/store/summary.h"
#include "surfaces/cli/terminal.h"

namespace helve::cli {

struct InfoFile {
  std::string name;
  std::string format;
  std::uint64_t bytes = 0;
};

struct InfoReport {
  std::vector<InfoFile> files;
  const store::Loaded& loaded;
  const store::Summary& summary;
  Duration elapsed{};
  std::size_t top = 10;  // rows of each list

  const store::Statistics& statistics() const { return loaded.snapshot->statistics(); }
};

std::string render_info_text(const InfoReport& report, const Terminal& terminal);
std::string render_info_json(const InfoReport& report);

}  // namespace helve::cli
