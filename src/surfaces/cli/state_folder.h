// Where the program keeps what it remembers for a user.
#pragma once

#include <filesystem>

namespace helve::cli {

// "helve" in XDG_STATE_HOME or in ~/.local/state; empty where neither is known. Makes nothing.
std::filesystem::path user_state_folder();

}  // namespace helve::cli
