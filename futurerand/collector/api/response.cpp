#include "futurerand/collector/api/response.hpp"

#include "futurerand/wire/error_answer.hpp"

namespace futurerand {

ApiResponse json_response(std::string document) {
  ApiResponse response;
  response.body = std::move(document);
  response.body += '\n';
  return response;
}

ApiResponse error_response(int status, std::string_view code, std::string_view message) {
  ApiResponse response =
      json_response(to_json(ErrorAnswer{std::string(code), std::string(message)}));
  response.status = status;
  return response;
}

ApiResponse retry_response(int status, std::string_view code, std::string_view message,
                           int retry_after_seconds) {
  ApiResponse response = error_response(status, code, message);
  response.headers.emplace_back("Retry-After", std::to_string(retry_after_seconds));
  return response;
}

}  // namespace futurerand
