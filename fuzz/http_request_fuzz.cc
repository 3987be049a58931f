// Requests over HTTP: however the bytes are cut, the same requests are seen; an answer never has a
// header that a client wrote into it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "surfaces/http/wire_testing.h"

namespace {

constexpr std::size_t kRequestsMax = std::size_t{16} * 1024;  // bytes

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::vector<std::string> requests_of(std::string_view bytes, std::size_t piece) {
  helve::http::EchoOwner owner;
  helve::http::WireOptions options;
  options.header_bytes_max = 2'048;
  options.body_bytes_max = 4'096;
  helve::http::WireTester tester(owner, options);
  tester.send(bytes, piece);
  tester.end_sending();
  HELVE_CHECK(tester.answers().empty() || tester.answers().starts_with("HTTP/1.1 "));
  HELVE_CHECK(count_of(tester.answers(), "\r\nX-Target: ") <= owner.requests.size());
  return owner.requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kRequestsMax) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto at_once = requests_of(bytes, kRequestsMax);
  HELVE_CHECK(requests_of(bytes, std::size_t{1} + data[0] % 64) == at_once);
  return 0;
}
