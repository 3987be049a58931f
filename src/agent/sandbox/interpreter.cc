#include "agent/sandbox/interpreter.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/fd.h"

namespace helve::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadersMax = 64;
constexpr std::size_t kLoaderBytesMax = 4'096;

bool read_at(int fd, void* into, std::size_t size, std::uint64_t at) {
  return ::pread(fd, into, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
}

// The loader of an ELF file of this machine; empty where it is linked statically, nullopt where it
// is none.
std::optional<fs::path> loader_of(const fs::path& program) {
  const UniqueFd file(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_Ehdr head{};
  if (!file.is_open() || !read_at(file.get(), &head, sizeof head, 0)) return std::nullopt;
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum > kHeadersMax) {
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file.get(), &part, sizeof part, head.e_phoff + i * sizeof part)) break;
    if (part.p_type != PT_INTERP || part.p_filesz < 2 || part.p_filesz > kLoaderBytesMax) continue;
    std::string name(part.p_filesz - 1, '\0');  // it ends with a NUL
    if (!read_at(file.get(), name.data(), name.size(), part.p_offset)) break;
    return fs::path(name);
  }
  return fs::path();
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// lib/python3.11 of the prefix that the program is in, by the program's own name.
fs::path library_of(const fs::path& program) {
  const std::string name = program.filename().string();
  if (!name.starts_with("python3.")) return {};
  const fs::path prefix = program.parent_path().parent_path();
  for (const char* folder : {"lib", "lib64"}) {
    fs::path library = prefix / folder / name;
    if (is_file(library / "os.py")) return library;
  }
  return {};
}

std::vector<fs::path> shared_of(const fs::path& program) {
#if defined(__x86_64__)
  const std::string machine = "x86_64-linux-gnu";
#else
  const std::string machine = "aarch64-linux-gnu";
#endif
  std::vector<fs::path> shared = {"/etc/ld.so.cache", "/lib/" + machine, "/usr/lib/" + machine,
                                  "/lib64", "/usr/lib64"};
  std::error_code error;
  const fs::path beside = program.parent_path().parent_path() / "lib";
  for (fs::directory_iterator at(beside, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with("libpython3")) shared.push_back(at->path());
  }
  return shared;
}

Result<Interpreter> look_at(const fs::path& candidate) {
  std::error_code error;
  const fs::path program = fs::canonical(candidate, error);
  if (error) {
    return Error{ErrorCode::NotFound, fmt::format("there is no '{}'", candidate.string()),
                 "name an installed interpreter, e.g. /usr/bin/python3"};
  }
  const auto loader = loader_of(program);
  if (!loader) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("'{}' is no program of this machine but perhaps a script", program.string()),
        "name the interpreter itself, e.g. /usr/bin/python3"};
  }
  const fs::path library = library_of(program);
  if (library.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("'{}' is no CPython with its standard library beside it in "
                             "lib/python3.N",
                             program.string()),
                 "name an installed interpreter, e.g. /usr/bin/python3"};
  }
  return Interpreter{program, *loader, library, shared_of(program)};
}

std::vector<fs::path> candidates() {
  std::vector<fs::path> found = {"/usr/bin/python3", "/usr/local/bin/python3"};
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0 && rest.front() == '/')
      found.push_back(fs::path(rest.substr(0, colon)) / "python3");
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return found;
}

Result<void> check_path(const fs::path& path, fs::perms of_last) {
  for (fs::path at = path; !at.empty(); at = at.parent_path()) {
    std::error_code error;
    const fs::perms needed = at == path ? of_last : fs::perms::others_exec;
    if ((fs::status(at, error).permissions() & needed) != needed) {
      return Error{ErrorCode::Denied,
                   fmt::format("the user of the sandbox cannot use '{}': '{}' is closed to others",
                               path.string(), at.string()),
                   "root's sandboxes run as another user; name an interpreter that all can read, "
                   "e.g. /usr/bin/python3"};
    }
    if (at == at.root_path()) break;
  }
  return {};
}

}  // namespace

Result<void> check_open_to_all(const Interpreter& interpreter) {
  constexpr fs::perms kReadAndRun = fs::perms::others_read | fs::perms::others_exec;
  HELVE_TRY(check_path(interpreter.program, kReadAndRun));
  return check_path(interpreter.library, kReadAndRun);
}

Result<Interpreter> find_interpreter(const fs::path& wished) {
  if (!wished.empty()) return look_at(wished);
  for (const fs::path& candidate : candidates()) {
    if (auto found = look_at(candidate)) return found;
  }
  return Error{ErrorCode::NotFound, "there is no Python 3 to run code with",
               "install it ('apt-get install python3') or name one with --python"};
}

}  // namespace helve::sandbox
