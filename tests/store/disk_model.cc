#include "tests/store/disk_model.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "base/check.h"

namespace helve {

namespace {

using Path = std::filesystem::path;

struct JournalHeader {
  std::uint32_t kind = 0;
  std::uint32_t handle = 0;
  std::uint64_t until = 0;
  std::uint64_t first_bytes = 0;
  std::uint64_t second_bytes = 0;
};

std::string read_file(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_heads(std::mt19937_64& random) { return random() % 2 == 0; }

}  // namespace

std::string encode(const DiskOperation& operation) {
  const JournalHeader header{static_cast<std::uint32_t>(operation.kind), operation.handle,
                             operation.until, operation.first.size(), operation.second.size()};
  std::string line(reinterpret_cast<const char*>(&header), sizeof(header));
  line += operation.first;
  line += operation.second;
  return line;
}

std::string DiskModel::Node::content() const {
  std::string content = durable;
  for (const PendingWrite& write : pending) content += write.bytes;
  return content;
}

void DiskModel::adopt() {
  durable_.clear();
  pending_.clear();
  handles_.clear();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
    auto node = std::make_shared<Node>();
    node->is_folder = entry.is_directory();
    if (!node->is_folder) node->durable = read_file(entry.path());
    durable_[entry.path().lexically_relative(root_)] = std::move(node);
  }
  seen_ = durable_;
}

void DiskModel::replay(const Path& journal) {
  const std::string text = read_file(journal);
  const std::string_view rest = text;
  const std::uint64_t before = operations_;
  std::size_t at = 0;
  JournalHeader header;
  while (rest.size() - at >= sizeof(header)) {
    std::memcpy(&header, rest.data() + at, sizeof(header));
    const std::uint64_t bytes = sizeof(header) + header.first_bytes + header.second_bytes;
    if (rest.size() - at < bytes) break;
    DiskOperation operation;
    operation.kind = static_cast<DiskOperation::Kind>(header.kind);
    operation.handle = header.handle;
    operation.until = before + header.until;
    operation.first = rest.substr(at + sizeof(header), header.first_bytes);
    operation.second = rest.substr(at + sizeof(header) + header.first_bytes, header.second_bytes);
    apply(operation, operations_++);
    at += bytes;
  }
  handles_.clear();
}

void DiskModel::apply(const DiskOperation& operation, std::uint64_t number) {
  using Kind = DiskOperation::Kind;
  const Path first = operation.kind == Kind::Write ? Path() : Path(operation.first);
  switch (operation.kind) {
    case Kind::Open:
      if (seen_.count(first) == 0) change(number, {{first, std::make_shared<Node>()}});
      handles_[operation.handle] = seen_.at(first);
      return;
    case Kind::Write: {
      Node& node = *handles_.at(operation.handle);
      node.pending.push_back({number, node.size(), std::string(operation.first)});
      return;
    }
    case Kind::Sync:
      return sync(*handles_.at(operation.handle), operation.until);
    case Kind::Rename:
      return change(number, {{operation.second, seen_.at(first)}, {first, nullptr}});
    case Kind::Link:
      return change(number, {{operation.second, seen_.at(first)}});
    case Kind::Remove:
      return change(number, {{first, nullptr}});
    case Kind::MakeDirectory: {
      auto node = std::make_shared<Node>();
      node->is_folder = true;
      return change(number, {{first, std::move(node)}});
    }
    case Kind::SyncDirectory:
      return sync_folder(first, operation.until);
  }
  HELVE_CHECK(false);
}

void DiskModel::put(Names& names, const std::vector<std::pair<Path, NodePointer>>& entries) {
  for (const auto& [path, node] : entries) {
    if (node) {
      names[path] = node;
    } else {
      names.erase(path);
    }
  }
}

void DiskModel::change(std::uint64_t number, std::vector<std::pair<Path, NodePointer>> entries) {
  put(seen_, entries);
  pending_.push_back({number, std::move(entries)});
}

void DiskModel::sync(Node& node, std::uint64_t until) {
  const auto end = std::find_if(node.pending.begin(), node.pending.end(),
                                [&](const PendingWrite& write) { return write.number >= until; });
  for (auto at = node.pending.begin(); at != end; ++at) node.durable += at->bytes;
  node.pending.erase(node.pending.begin(), end);
}

void DiskModel::sync_folder(const Path& folder, std::uint64_t until) {
  const auto is_of_folder = [&](const PendingNames& names) {
    return names.number < until && names.entries.front().first.parent_path() == folder;
  };
  for (const PendingNames& names : pending_) {
    if (is_of_folder(names)) put(durable_, names.entries);
  }
  std::erase_if(pending_, is_of_folder);
}

// What stands in blocks that a file got but that were never written: nothing, anything, or what
// another file had there.
std::string DiskModel::filler(std::mt19937_64& random, std::size_t bytes) const {
  std::string out(bytes, '\0');
  const auto kind = random() % 3;
  if (kind == 1) {
    for (char& byte : out) byte = static_cast<char>(random());
  } else if (kind == 2 && !seen_.empty()) {
    const auto at = std::next(seen_.begin(), static_cast<long>(random() % seen_.size()));
    const std::string stale = at->second->content();
    for (std::size_t i = 0; i < bytes && !stale.empty(); ++i) out[i] = stale[i % stale.size()];
  }
  return out;
}

void DiskModel::lose_data(Node& node, std::mt19937_64& random) const {
  const std::uint64_t size = node.size();
  std::string content = node.durable;
  if (is_heads(random)) content += filler(random, random() % (size - content.size() + 1));
  const std::size_t sector = is_heads(random) ? 512 : 4'096;
  const bool is_torn = is_heads(random);
  for (const PendingWrite& write : node.pending) {
    bool survives = is_heads(random);
    std::size_t next = 0;
    for (std::size_t at = 0; at < write.bytes.size(); at = next) {
      next = std::min(write.bytes.size(), at + sector - (write.offset + at) % sector);
      if (is_torn) survives = is_heads(random);
      if (!survives) continue;
      const std::size_t end = write.offset + next;
      if (content.size() < end) content += filler(random, end - content.size());
      content.replace(write.offset + at, next - at, write.bytes, at, next - at);
    }
  }
  node.durable = std::move(content);
  node.pending.clear();
}

void DiskModel::lose_power(std::mt19937_64& random) {
  const auto mood = random() % 4;  // all names go, all stay, or each as it comes
  for (const PendingNames& names : pending_) {
    if (mood == 1 || (mood > 1 && is_heads(random))) put(durable_, names.entries);
  }
  const bool keeps_no_data = random() % 4 == 0;
  std::set<Node*> nodes;
  for (const auto& [path, node] : durable_) nodes.insert(node.get());
  for (const auto& [path, node] : durable_) {
    if (node->pending.empty() || nodes.erase(node.get()) == 0) continue;
    if (keeps_no_data) {
      node->pending.clear();
    } else {
      lose_data(*node, random);
    }
  }
  // Nothing is found in a folder that is not.
  std::erase_if(durable_, [&](const auto& entry) {
    const Path parent = entry.first.parent_path();
    return !parent.empty() && durable_.count(parent) == 0;
  });
  pending_.clear();
  seen_ = durable_;
}

void DiskModel::write_out() const {
  for (const auto& entry : std::filesystem::directory_iterator(root_)) {
    std::filesystem::remove_all(entry.path());
  }
  // Folders come before what is in them.
  for (const auto& [path, node] : seen_) {
    if (node->is_folder) {
      std::filesystem::create_directories(root_ / path);
    } else {
      std::ofstream(root_ / path, std::ios::binary) << node->content();
    }
  }
}

}  // namespace helve
