#include "core/model/task_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {

struct TaskText::Data {
  std::string path;
  std::string text;
  std::string digest;
  std::vector<std::string> characters;  ///< of each symbol
  std::map<char32_t, std::int64_t> symbol_of;
  std::vector<std::int64_t> all;
  std::vector<std::size_t> ends;  ///< of each line, in `all`
  double surprise_in_lines = 0, surprise_in_stream = 0;
};

namespace {

std::string with_plain_breaks(std::string_view text) {
  std::string plain = replaced(replaced(text, "\r\n", "\n"), "\r", "\n");
  if (plain.ends_with('\n')) plain.pop_back();
  return plain;
}

/// FNV-1a, of 64 bits.
std::string digest_of(std::string_view text) {
  std::uint64_t state = 0xCBF2'9CE4'8422'2325U;
  for (const char byte : text) state = (state ^ static_cast<unsigned char>(byte)) * 0x100'0000'01B3U;
  return fmt::format("{:016x}", state);
}

/// Of shares in proportion to the counts.
double surprise_of(const std::vector<double>& counts) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double sum = 0;
  for (const double count : counts)
    if (count > 0) sum -= count / all * std::log(count / all);
  return sum;
}

void require_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = utf8_sequence(text.substr(at));
    if (bytes == 0) throw InputError({"", "", fmt::format("a byte that is not UTF-8 at {}", at), "text in UTF-8"});
    at += bytes;
  }
}

}  // namespace

TaskText::TaskText(std::string_view text, std::string path) {
  require_utf8(text);
  auto data = std::make_shared<Data>();
  data->path = std::move(path);
  data->text = with_plain_breaks(text);
  data->digest = digest_of(data->text);
  const std::vector<char32_t> characters = characters_of(data->text);
  for (const char32_t character : characters) data->symbol_of[character] = 0;
  data->symbol_of.erase(U'\n');
  data->characters.emplace_back("\n");
  for (auto& [character, symbol] : data->symbol_of) {
    symbol = std::ssize(data->characters);
    data->characters.push_back(utf8_of(character));
  }
  data->symbol_of[U'\n'] = 0;
  data->all.reserve(characters.size());
  for (const char32_t character : characters) {
    if (character == U'\n') data->ends.push_back(data->all.size());
    data->all.push_back(data->symbol_of.at(character));
  }
  data->ends.push_back(data->all.size());
  std::vector<double> counts(data->characters.size());
  for (const std::int64_t symbol : data->all) ++counts[static_cast<std::size_t>(symbol)];
  data->surprise_in_stream = surprise_of(counts);
  counts[0] = static_cast<double>(data->ends.size());  // the last line has an end too
  data->surprise_in_lines = surprise_of(counts);
  data_ = std::move(data);
}

namespace {
const std::string no_text;
}

const std::string& TaskText::path() const { return data_ ? data_->path : no_text; }
const std::string& TaskText::text() const { return data_ ? data_->text : no_text; }
const std::string& TaskText::digest() const { return data_ ? data_->digest : no_text; }
Index TaskText::symbols() const { return data_ ? std::ssize(data_->characters) : 0; }
const std::string& TaskText::character(std::int64_t symbol) const {
  return data_->characters.at(static_cast<std::size_t>(symbol));
}
std::span<const std::int64_t> TaskText::all() const {
  if (data_ == nullptr) return {};
  return data_->all;
}
Index TaskText::lines() const { return data_ ? std::ssize(data_->ends) : 0; }

double TaskText::surprise_of_frequencies(TextSplit split) const {
  if (data_ == nullptr) return 0;
  return split == TextSplit::lines ? data_->surprise_in_lines : data_->surprise_in_stream;
}

std::span<const std::int64_t> TaskText::line(Index index) const {
  const auto at = static_cast<std::size_t>(index);
  const std::size_t first = at == 0 ? 0 : data_->ends[at - 1] + 1;
  return all().subspan(first, data_->ends[at] - first);
}

TaskText::Spelled TaskText::spelled(std::string_view text) const {
  Spelled spelled;
  for (const char32_t character : characters_of(text)) {
    const auto found = data_->symbol_of.find(character);
    if (found == data_->symbol_of.end()) return {{}, utf8_of(character)};
    spelled.symbols.push_back(found->second);
  }
  return spelled;
}

bool operator==(const TaskText& a, const TaskText& b) {
  if (a.data_ == b.data_) return true;
  return a.data_ && b.data_ && a.data_->path == b.data_->path && a.data_->text == b.data_->text;
}

}  // namespace headlight
