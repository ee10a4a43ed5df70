#include "core/formats/page_document.hpp"

#include <utility>

#include <fmt/format.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "core/formats/packed_text.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr std::string_view slot_begins = "<script type=\"application/json\" id=\"headlight-document\">";
constexpr std::string_view slot_ends = "</script>";
constexpr std::string_view title_begins = "<title>";
constexpr std::string_view title_ends = "</title>";

std::string with_title(std::string page, std::string_view title) {
  const auto found = page.find(title_begins);
  const auto begin = found + title_begins.size();
  const auto end = found == std::string::npos ? found : page.find(title_ends, begin);
  if (title.empty() || end == std::string::npos) return page;
  const std::string escaped = replaced(replaced(title, "&", "&amp;"), "<", "&lt;");
  return page.replace(begin, end - begin, escaped + " · Headlight");
}

/// The check sum of texts, a line feed behind each.
class CheckSum {
 public:
  void add(std::string_view text) {
    for (const std::string_view part : {text, std::string_view("\n")})
      sum_ = ::crc32_z(sum_, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  std::string hexadecimal() const { return fmt::format("{:08x}", sum_); }

 private:
  uLong sum_ = ::crc32_z(0, nullptr, 0);
};

std::string to_json(const PageDocument& document) {
  nlohmann::ordered_json json{{"version", 1}, {"arguments", document.arguments}};
  json["files"] = nlohmann::ordered_json::object();
  CheckSum sum;
  for (const std::string& argument : document.arguments) sum.add(argument);
  for (const auto& [name, bytes] : document.files) {
    std::string packed = packed_text(bytes);
    sum.add(name);
    sum.add(packed);
    json["files"][name] = std::move(packed);
  }
  json["crc32"] = sum.hexadecimal();
  return replaced(json.dump(), "<", "\\u003c");
}

}  // namespace

std::string with_document(std::string page, const PageDocument& document, const std::string& source) {
  const auto found = page.find(slot_begins);
  const auto begin = found + slot_begins.size();
  const auto end = found == std::string::npos ? found : page.find(slot_ends, begin);
  if (end == std::string::npos || page.find(slot_begins, begin) != std::string::npos)
    throw InputError({source, "", "a page without one place for a document",
                      "the headlight.html that ./web builds, in the version of this program"});
  page.replace(begin, end - begin, to_json(document));
  return with_title(std::move(page), document.title);
}

}  // namespace headlight
