#include "surfaces/http/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <iterator>

#include "base/ascii.h"

namespace helve::http {

namespace beast = boost::beast::http;
namespace asio = boost::asio;

namespace {

constexpr std::size_t kReadBytes = 16 * kKiB;
constexpr std::size_t kAheadBytes = 64 * kKiB;  // read while a request is under way
constexpr std::size_t kDrainBytes = 16 * kMiB;
constexpr auto kDrainTime = std::chrono::seconds(2);

std::chrono::steady_clock::time_point after(Duration duration) {
  return std::chrono::steady_clock::now() + duration;
}

// Shapes in which two readers could see different messages.
bool is_ambiguous(const WebRequest& head) {
  const auto lengths = head.count(beast::field::content_length);
  const auto encodings = head.count(beast::field::transfer_encoding);
  if (lengths > 1 || encodings > 1 || (lengths != 0 && encodings != 0)) return true;
  if (head.count(beast::field::host) > 1) return true;
  if (lengths != 0) {
    const std::string_view length = view(head[beast::field::content_length]);
    return length.empty() || length.find_first_not_of("0123456789") != std::string_view::npos;
  }
  return encodings != 0 &&
         (head.version() < 11 ||
          !is_same_in_any_case(view(head[beast::field::transfer_encoding]), "chunked"));
}

}  // namespace

std::optional<std::string_view> header(const WebFields& fields, std::string_view name) {
  const auto [first, last] = fields.equal_range({name.data(), name.size()});
  if (first == last) return std::nullopt;
  if (std::next(first) != last) return std::string_view{};
  return view(first->value());
}

std::string header_list(const WebFields& fields, std::string_view name) {
  const auto [first, last] = fields.equal_range({name.data(), name.size()});
  std::string list;
  for (auto field = first; field != last; ++field) {
    if (!list.empty()) list += ',';
    list += view(field->value());
  }
  return list;
}

Wire::Wire(asio::ip::tcp::socket socket, const WireOptions& options, WireOwner& owner)
    : socket_(std::move(socket)),
      options_(options),
      owner_(owner),
      chunk_(kReadBytes),
      buffer_(options.header_bytes_max + kAheadBytes + kReadBytes) {}

void Wire::start() {
  ErrorCode ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  read_deadline_ = after(options_.header_timeout);
  read();
}

void Wire::turn_away(Answer answer) { refuse(std::move(answer), "connections"); }

void Wire::read() {
  if (is_reading_ || has_eof_ || is_closed()) return;
  is_reading_ = true;
  socket_.async_read_some(asio::buffer(chunk_),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                            self->has_read(error, bytes);
                          });
}

void Wire::has_read(const ErrorCode& error, std::size_t bytes) {
  is_reading_ = false;
  if (is_closed()) return;
  if (error) return has_ended(error == asio::error::eof);
  // Who sends too far ahead is still read, to see it leave; after its answer it must come again.
  const bool is_ahead = is_busy() && (closes_ || buffer_.size() + bytes > kAheadBytes);
  if (phase_ == Phase::Draining || is_ahead) {
    closes_ = true;
    drained_ += bytes;
    if (drained_ > kDrainBytes) return cut();
  } else {
    asio::buffer_copy(buffer_.prepare(bytes), asio::buffer(chunk_, bytes));
    buffer_.commit(bytes);
    feed();
  }
  read();
}

// A client that has only ended its side may still want its answer: gone_ decides.
void Wire::has_ended(bool is_clean) {
  has_eof_ = true;
  if (!is_clean || is_idle() || phase_ == Phase::Draining) return cut();
  tell_gone();
}

void Wire::tell_gone() {
  if (const auto gone = std::exchange(gone_, nullptr)) gone();
}

void Wire::feed() {
  while (is_idle() && buffer_.size() > 0) {
    if (!feed_once()) return;
  }
}

// False: more bytes are needed, or there is nothing more to read.
bool Wire::feed_once() {
  if (phase_ == Phase::Idle) begin_header();
  ErrorCode error;
  buffer_.consume(parser_->put(buffer_.data(), error));
  if (error == beast::error::need_more) {
    if (phase_ == Phase::Header || buffer_.size() < kAheadBytes) return false;
    refuse(400, "a chunk of the body has a head without end", "body");
    return false;
  }
  if (error) {
    refuse_malformed(error);
    return false;
  }
  if (phase_ == Phase::Header && parser_->is_header_done() && !end_header()) return false;
  if (parser_->is_done()) end_message();
  return true;
}

void Wire::begin_header() {
  phase_ = Phase::Header;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(options_.header_bytes_max));
  parser_->body_limit(options_.body_bytes_max);
  read_deadline_ = after(options_.header_timeout);
}

bool Wire::end_header() {
  const WebRequest& head = parser_->get();
  is_http_11_ = head.version() >= 11;
  is_head_ = head.method() == beast::verb::head;
  if (is_ambiguous(head)) {
    refuse(400, "the length of the body is said twice, or in a way not known here", "header");
    return false;
  }
  if (auto refusal = owner_.check(head)) {
    refuse(*std::move(refusal), {});
    return false;
  }
  const std::size_t bytes_max = std::min(options_.body_bytes_max, owner_.body_bytes_max(head));
  if (parser_->content_length().value_or(0) > bytes_max) {
    refuse_length(bytes_max);
    return false;
  }
  parser_->body_limit(bytes_max);
  phase_ = Phase::Body;
  header_count_ = static_cast<std::size_t>(std::distance(head.begin(), head.end()));
  parser_->eager(true);
  read_deadline_ = after(options_.body_timeout);
  const std::string_view expected = view(head[beast::field::expect]);
  if (expected.empty() || !is_http_11_) return true;
  if (!is_same_in_any_case(expected, "100-continue")) {
    refuse(417, "the only expectation that is met is 100-continue", "header");
    return false;
  }
  if (!parser_->is_done() && buffer_.size() == 0) write_out("HTTP/1.1 100 Continue\r\n\r\n");
  return true;
}

void Wire::end_message() {
  const bool keeps_alive = parser_->keep_alive();
  WebRequest request = parser_->release();
  parser_.reset();
  // Trailers would pass as headers that nobody has checked.
  if (static_cast<std::size_t>(std::distance(request.begin(), request.end())) != header_count_) {
    return refuse(400, "headers behind the body are not taken", "header");
  }
  phase_ = Phase::Busy;
  read_deadline_.reset();
  closes_ |= !keeps_alive;
  owner_.handle(shared_from_this(), std::move(request));
}

void Wire::refuse(Answer answer, std::string_view why) {
  if (!why.empty()) owner_.refused(why);
  phase_ = Phase::Busy;
  read_deadline_.reset();
  answer.closes = true;
  respond(std::move(answer));
}

void Wire::refuse(int status, std::string message, std::string_view why) {
  refuse(owner_.refusal(status, std::move(message)), why);
}

void Wire::refuse_malformed(const ErrorCode& error) {
  if (error == beast::error::header_limit) {
    return refuse(431, fmt::format("the header is longer than {} bytes", options_.header_bytes_max),
                  "header");
  }
  if (error == beast::error::body_limit) {
    // Where the length alone was too much the header has not been looked at yet.
    if (phase_ == Phase::Header) {
      is_head_ = parser_->get().method() == beast::verb::head;
      if (auto refusal = owner_.check(parser_->get())) return refuse(*std::move(refusal), {});
    }
    return refuse_length(std::min(options_.body_bytes_max, owner_.body_bytes_max(parser_->get())));
  }
  refuse(400, "not a request of HTTP/1.1: " + error.message(), "header");
}

void Wire::refuse_length(std::size_t bytes_max) {
  refuse(413,
         fmt::format("the body is longer than {} bytes; send less, or raise the server's limit",
                     bytes_max),
         "body");
}

bool Wire::keeps_alive() const { return !closes_ && !has_eof_; }

namespace {

// A line break in a header would begin another header, or another answer.
bool is_sound(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}
bool is_sound(const AnswerHeaders& headers) {
  return std::all_of(headers.begin(), headers.end(), [](const auto& header) {
    return is_sound(header.first) && is_sound(header.second);
  });
}

}  // namespace

std::string Wire::head_of(int status, const AnswerHeaders& headers) const {
  const auto reason = beast::obsolete_reason(static_cast<beast::status>(status));
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", status, view(reason));
  for (const auto& [name, value] : headers)
    fmt::format_to(std::back_inserter(out), "{}: {}\r\n", name, value);
  if (!keeps_alive()) {
    out += "Connection: close\r\n";
  } else if (!is_http_11_) {
    out += "Connection: keep-alive\r\n";
  }
  return out;
}

void Wire::respond(Answer answer) {
  if (phase_ != Phase::Busy) return;
  if (!is_sound(answer.headers) || !is_sound(answer.content_type)) {
    answer = {500, "text/plain", "a header of the answer has a line break: it is not sent\n"};
  }
  closes_ |= answer.closes;
  std::string out = head_of(answer.status, answer.headers);
  if (!answer.body.empty()) {
    fmt::format_to(std::back_inserter(out), "Content-Type: {}\r\n", answer.content_type);
  }
  if (answer.status != 204 && answer.status != 304) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", answer.body.size());
  }
  out += "\r\n";
  if (!is_head_) out += answer.body;
  is_ending_ = true;
  gone_ = nullptr;
  write_out(out);
}

void Wire::begin_stream(const StreamHead& head) {
  if (phase_ != Phase::Busy) return;
  if (!is_sound(head.headers)) {
    return respond(
        {500, "text/plain", "a header of the answer has a line break: it is not sent\n"});
  }
  phase_ = Phase::Streaming;
  is_chunked_ = is_http_11_;
  closes_ |= !is_chunked_;
  comment_ = head.comment;
  std::string out = head_of(200, head.headers);
  if (is_chunked_) out += "Transfer-Encoding: chunked\r\n";
  out += "\r\n";
  write_out(out);
}

void Wire::send(std::string_view event) {
  if (phase_ != Phase::Streaming || is_ending_ || event.empty()) return;
  if (is_head_) return;
  if (unsent() > options_.stream_buffer_max) {
    owner_.refused("slow");
    return cut();
  }
  write_out(is_chunked_ ? fmt::format("{:x}\r\n{}\r\n", event.size(), event) : std::string(event));
}

void Wire::end_stream(const AnswerHeaders& trailers) {
  if (phase_ != Phase::Streaming || is_ending_) return;
  is_ending_ = true;
  gone_ = nullptr;
  if (is_chunked_ && !is_head_) {
    std::string end = "0\r\n";
    for (const auto& [name, value] : trailers) {
      if (!is_sound(name) || !is_sound(value)) continue;
      fmt::format_to(std::back_inserter(end), "{}: {}\r\n", name, value);
    }
    write_out(end + "\r\n");
  } else if (!is_writing_) {
    end_answer();
  }
}

void Wire::write_out(std::string_view bytes) {
  if (is_closed()) return;
  pending_ += bytes;
  write();
}

void Wire::write() {
  if (is_writing_) return;
  if (flown_ == flight_.size()) {
    flight_.clear();
    flown_ = 0;
    flight_.swap(pending_);
  }
  is_writing_ = true;
  write_deadline_ = after(options_.write_timeout);
  socket_.async_write_some(asio::buffer(flight_.data() + flown_, flight_.size() - flown_),
                           [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                             self->has_written(error, bytes);
                           });
}

void Wire::has_written(const ErrorCode& error, std::size_t bytes) {
  is_writing_ = false;
  if (is_closed()) return;
  if (error) return cut();
  flown_ += bytes;
  if (flown_ < flight_.size() || !pending_.empty()) return write();
  write_deadline_.reset();
  last_written_ = std::chrono::steady_clock::now();
  if (flight_.capacity() > kAheadBytes) flight_ = {};
  flight_.clear();
  flown_ = 0;
  if (is_ending_) return end_answer();
  if (const auto sent = sent_) sent();
}

void Wire::end_answer() {
  is_ending_ = false;
  gone_ = nullptr;
  sent_ = nullptr;
  if (!keeps_alive()) return drain();
  phase_ = Phase::Idle;
  read_deadline_ = after(options_.idle_timeout);
  feed();
  read();
}

// Closing while the client still sends would take the answer away from it.
void Wire::drain() {
  if (has_eof_) return cut();
  phase_ = Phase::Draining;
  buffer_.clear();
  ErrorCode ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  read_deadline_ = after(kDrainTime);
  read();
}

void Wire::cut() {
  if (is_closed()) return;
  phase_ = Phase::Closed;
  read_deadline_.reset();
  write_deadline_.reset();
  ErrorCode ignored;
  socket_.close(ignored);
  const auto self = shared_from_this();
  sent_ = nullptr;
  tell_gone();
  owner_.closed(self);
}

void Wire::abort() {
  if (is_closed()) return;
  ErrorCode ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  gone_ = nullptr;
  cut();
}

void Wire::close_soon() {
  closes_ = true;
  if (phase_ == Phase::Idle) cut();
}

void Wire::tick(Time now) {
  if (write_deadline_ && now >= *write_deadline_) {
    owner_.refused("slow");
    return cut();
  }
  if (read_deadline_ && now >= *read_deadline_) {
    if (phase_ != Phase::Header && phase_ != Phase::Body) return cut();
    return refuse(408, "the request took too long to arrive", "slow");
  }
  const bool is_quiet = phase_ == Phase::Streaming && !is_writing_ &&
                        now - last_written_ >= options_.keep_alive_interval;
  if (is_quiet) send(comment_);
}

}  // namespace helve::http
