// ContentType: the header of this name, taken apart.
// https://www.rfc-editor.org/rfc/rfc9110#section-8.3
#pragma once

#include <string>
#include <string_view>

namespace helve::serve {

struct ContentType {
  std::string media_type;  // in lower case
  std::string charset;     // the same; empty: none is named
  std::string boundary;    // of multipart/form-data

  bool is_utf8() const { return charset.empty() || charset == "utf-8" || charset == "us-ascii"; }
};

ContentType read_content_type(std::string_view text);

}  // namespace helve::serve
