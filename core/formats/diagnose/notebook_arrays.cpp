#include "core/formats/diagnose/notebook_arrays.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/formats/diagnose/printed_arrays.hpp"
#include "core/formats/json.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

using nlohmann::json;

/// Jupyter writes a text as one string or as a list of lines.
std::string joined_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (value.is_array())
    for (const json& line : value)
      if (line.is_string()) text += line.get<std::string>();
  return text;
}

const json& member(const json& object, const char* key) {
  static const json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

bool is_variable(std::string_view text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, fits);
}

/// The variables that a cell shows by themselves, in their order: "print(scores)", and the last line where it is a
/// name.
std::vector<std::string> shown_variables(std::string_view code) {
  constexpr std::string_view blank = " \t\r;";
  constexpr std::string_view call = "print(";
  std::vector<std::string> names;
  const std::vector<std::string_view> lines = split_at(trimmed(code, " \t\r\n"), '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = trimmed(lines[i], blank);
    const bool is_call = line.starts_with(call) && line.ends_with(')');
    if (is_call) line = trimmed(line.substr(call.size(), line.size() - call.size() - 1), blank);
    if ((is_call || i + 1 == lines.size()) && is_variable(line)) names.emplace_back(line);
  }
  return names;
}

std::vector<GivenArray> arrays_in_output(const json& output) {
  const json& data = member(member(output, "data"), "text/plain");
  const std::string text = joined_text(data.is_null() ? member(output, "text") : data);
  if (joined_text(member(output, "name")) == "stderr" || text.find('[') == std::string::npos) return {};
  try {
    return parse_printed_arrays(text);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

/// Those of one cell, with the names that its code says.
std::vector<GivenArray> arrays_in_cell(const json& cell) {
  std::vector<GivenArray> arrays;
  const json& outputs = member(cell, "outputs");
  if (outputs.is_array())
    for (const json& output : outputs) std::ranges::move(arrays_in_output(output), std::back_inserter(arrays));
  std::vector<GivenArray*> nameless;
  for (GivenArray& array : arrays)
    if (array.name.empty()) nameless.push_back(&array);
  const std::vector<std::string> names = shown_variables(joined_text(member(cell, "source")));
  if (names.size() == nameless.size())
    for (std::size_t i = 0; i < names.size(); ++i) nameless[i]->name = names[i];
  return arrays;
}

}  // namespace

std::vector<GivenArray> parse_notebook(std::string_view text, const std::string& source) {
  const json notebook = parse_json_object(text, source, "a Jupyter notebook");
  const json& cells = member(notebook, "cells");
  if (!cells.is_array()) throw InputError({source, "cells", "none", "a Jupyter notebook of version 4"});
  std::vector<GivenArray> all;
  std::unordered_map<std::string, std::size_t> last;  // place of the last array of each name
  for (const json& cell : cells) {
    for (GivenArray& array : arrays_in_cell(cell)) {
      if (!array.name.empty()) last[array.name] = all.size();
      all.push_back(std::move(array));
    }
  }
  std::size_t place = 0;
  std::erase_if(all, [&](const GivenArray& array) {
    const std::size_t own = place++;
    return !array.name.empty() && last.at(array.name) != own;
  });
  if (all.empty())
    throw InputError({source, "", "no array in what the notebook's cells have printed",
                      "a notebook that was saved after it had run, and prints whole arrays; or np.savez(\"mine.npz\", "
                      "scores=scores, ...) in it, and that file"});
  return all;
}

}  // namespace headlight
