// A handle as the bytes of one file: a note of what it is and where it came from, then its content.
// The folder (handle_folder.h) names the files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "toolkit/handles/handle_store.h"

namespace helve::toolkit {

enum class HandleContent : std::uint8_t { Rows, Text, Graph };

// What is known of a handle without its content.
struct HandleRecord {
  Ref ref;  // without expires_at
  HandleOrigin origin;
  HandleContent content = HandleContent::Rows;
};

// True for "<dtype>_<n>" and "<dtype>_<32 hexadecimal digits>". The number, where it is one.
bool is_handle_key(std::string_view key, HandleType type);
std::optional<std::uint64_t> number_of_key(std::string_view key, HandleType type);

// The content of a graph is empty: it lies in a folder of its own.
std::string encode_handle(const HandleRecord& record, std::string_view content);

struct HandleFile {
  HandleRecord record;
  std::string_view content;
  std::uint64_t content_checksum = 0;
};
// Unavailable where anything but the content is damaged; nothing is trusted.
Result<HandleFile> decode_handle(std::string_view bytes);
// Reads all of the content. Rows have a checksum of their own.
bool is_content_sound(const HandleFile& file);

// Of short texts.
std::uint64_t text_checksum(std::string_view text);

}  // namespace helve::toolkit
