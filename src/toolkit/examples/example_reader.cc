#include "toolkit/examples/example_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "sources/rdf/document.h"
#include "sources/sparql/algebra/parser.h"
#include "toolkit/examples/example_document.h"

namespace helve::toolkit {

namespace {

std::string_view folder_of(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : file.substr(0, slash);
}

class FolderReader {
 public:
  FolderReader(const ExampleLimits& limits, Env& env, const OpContext& context)
      : limits_(limits), env_(env), context_(context), memory_(*context.memory, "examples") {
    context_.limits.document_bytes_max = limits.file_bytes_max;
  }

  Result<ExampleFolder> read(const WalkedFiles& walked) {
    folder_.links = walked.links;
    folder_.incomplete = walked.incomplete;
    if (walked.unread > 0 && folder_.incomplete.empty()) {
      folder_.incomplete = fmt::format("{} folders cannot be listed", walked.unread);
    }
    for (const std::string& file : walked.files) {
      HELVE_TRY(context_.check());
      HELVE_ASSIGN(const bool goes_on, read_file(walked.root, file));
      if (!goes_on) break;
    }
    for (ExampleQuery& query : folder_.queries) {
      HELVE_TRY(context_.check());
      query.prefixes = prefixes_of(query.folder());
      parse(query);
    }
    finish_prefixes();
    folder_.fingerprint = digest_hex(DigestKind::Sha256, fingerprints_).substr(0, 32);
    return std::move(folder_);
  }

 private:
  // False: a limit is reached, and no more is read.
  Result<bool> read_file(const std::filesystem::path& root, const std::string& file) {
    const std::string path = (root / file).string();
    auto document = rdf::open_document(env_, path, {}, context_);
    if (document && !document->is_mapped()) {
      document = Error{ErrorCode::InvalidInput, "compressed files are not read"};
    }
    if (!document) {
      add_broken(root, file, document.error());
      return true;
    }
    bytes_ += document->text().size();
    if (bytes_ > limits_.bytes_max) {
      folder_.incomplete =
          fmt::format("its files have more than {}", format_bytes(limits_.bytes_max));
      return false;
    }
    ExampleDocument content(memory_);
    rdf::ReadOptions options;
    options.base_iri = rdf::file_iri("/" + file);  // tells nothing of where the folder is
    auto report = document->read(options, context_, content);
    if (!report) {
      HELVE_TRY(context_.check());
      if (content.is_out_of_memory()) return std::move(report).error();
      add_broken(root, file, report.error());
      return true;
    }
    ++folder_.files;
    fingerprints_ += fmt::format("{}:{}{}\n", file.size(), file,
                                 digest_hex(DigestKind::Sha256, document->text()));
    return take(content.take(), file);
  }

  bool take(ExampleDocument::Content content, const std::string& file) {
    folder_.others += content.others;
    PrefixList& declared = declared_[std::string(folder_of(file))];
    declared.insert(declared.end(), content.prefixes.begin(), content.prefixes.end());
    for (ExampleQuery& query : content.queries) {
      if (folder_.queries.size() == limits_.queries_max) {
        folder_.incomplete =
            fmt::format("it has more than {} queries", format_count(limits_.queries_max));
        return false;
      }
      query.file = file;
      folder_.queries.push_back(std::move(query));
    }
    return true;
  }

  void add_broken(const std::filesystem::path& root, const std::string& file, Error error) {
    ++folder_.broken_files;
    fingerprints_ += fmt::format("{}:{} broken\n", file.size(), file);
    // The file is named already, and as it is in the folder.
    const std::string path = (root / file).string();
    for (std::size_t at = 0; (at = error.message.find(path, at)) != std::string::npos;) {
      error.message.replace(at, path.size(), file);
      at += file.size();
    }
    add_problem(file, std::move(error));
  }

  // On one line, and short: errors may quote what they met.
  void add_problem(const std::string& file, Error error) {
    constexpr std::size_t kMessageMax = 300;
    if (folder_.problems.size() == limits_.problems_kept) return;
    error.hint.clear();
    error.document.clear();
    folder_.problems.push_back(
        {file, elide_end(escape_for_terminal(error.to_string()), kMessageMax)});
  }

  // Of the folder first: the parser takes the first that has the name.
  std::shared_ptr<const PrefixList> prefixes_of(std::string_view folder) {
    auto& made = in_scope_[std::string(folder)];
    if (made != nullptr) return made;
    auto list = std::make_shared<PrefixList>();
    std::set<std::string> names;
    for (std::string_view at = folder;; at = folder_of(at)) {
      if (const auto found = declared_.find(std::string(at)); found != declared_.end()) {
        for (const auto& one : found->second) {
          if (names.insert(one.first).second) list->push_back(one);
        }
      }
      if (at.empty()) break;
    }
    made = std::move(list);
    return made;
  }

  void parse(ExampleQuery& query) {
    sparql::ParseOptions options;
    options.known_prefixes = *query.prefixes;
    options.limits = context_.limits;
    auto parsed = sparql::parse_query(query.text, options);
    if (parsed) {
      query.reach = reach_of(parsed->query);
      query.shape = shape_of(parsed->query);
      query.used_prefixes = std::move(parsed->query.prefixes);
      return;
    }
    ++folder_.unparsed;
    query.parse_error = parsed.error().to_string();
    add_problem(query.file, parsed.error());
  }

  void finish_prefixes() {
    for (const auto& [folder, declared] : declared_) {
      folder_.prefixes.insert(folder_.prefixes.end(), declared.begin(), declared.end());
    }
    std::sort(folder_.prefixes.begin(), folder_.prefixes.end());
    folder_.prefixes.erase(std::unique(folder_.prefixes.begin(), folder_.prefixes.end()),
                           folder_.prefixes.end());
  }

  const ExampleLimits& limits_;
  Env& env_;
  OpContext context_;
  MemoryCharge memory_;  // of what is kept of the documents, while they are read
  ExampleFolder folder_;
  std::map<std::string, PrefixList> declared_;  // by folder
  std::map<std::string, std::shared_ptr<const PrefixList>> in_scope_;
  std::string fingerprints_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string_view name_of(ExampleForm form) {
  switch (form) {
    case ExampleForm::Select:
      return "select";
    case ExampleForm::Ask:
      return "ask";
    case ExampleForm::Construct:
      return "construct";
    case ExampleForm::Describe:
      return "describe";
  }
  return "";
}

std::string_view ExampleQuery::folder() const { return folder_of(file); }

Result<ExampleFolder> read_examples(const std::filesystem::path& path, const ExampleLimits& limits,
                                    Env& env, const OpContext& context) {
  HELVE_ASSIGN(const WalkedFiles walked, walk_rdf_files(path, limits.walk, context));
  HELVE_ASSIGN(ExampleFolder folder, FolderReader(limits, env, context).read(walked));
  folder.name = walked.root.filename().string();
  return folder;
}

}  // namespace helve::toolkit
