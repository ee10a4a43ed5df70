#include "core/formats/json.hpp"

#include <cstddef>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// Reads a text without making anything of it, and refuses what a file must not choose. The library's own parser can
/// watch too, but then goes through all elements of a list behind each of them.
class Watch : public nlohmann::json_sax<nlohmann::json> {
 public:
  Watch(const std::string& source, const char* allowed, RepeatedKeys repeated)
      : source_(source), allowed_(allowed), repeated_(repeated) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return begin(); }
  bool start_array(std::size_t) override { return begin(); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    if (repeated_ == RepeatedKeys::refused && depth_ == 1 && !keys_.insert(name).second)
      throw InputError({source_, std::string(first_bytes(name, 200)), "the name twice", "each name once"});
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  bool begin() {
    // The library copies and writes values by recursion, so a file must not choose how deep that is.
    constexpr int deepest = 100;
    if (depth_++ < deepest) return true;
    throw InputError({source_, "", fmt::format("lists or objects nested more than {} deep", deepest), allowed_});
  }
  bool end() {
    --depth_;
    return true;
  }

  const std::string& source_;
  const char* allowed_;
  RepeatedKeys repeated_;
  int depth_ = 0;
  std::set<std::string> keys_;
};

}  // namespace

nlohmann::json parse_json_object(std::string_view text, const std::string& source, const char* allowed,
                                 RepeatedKeys repeated) {
  require_text(text, source);
  Watch watch(source, allowed, repeated);
  nlohmann::json document;
  if (nlohmann::json::sax_parse(text, &watch)) document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) throw InputError({source, "", "no JSON object", allowed});
  return document;
}

}  // namespace headlight
