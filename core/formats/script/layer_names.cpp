#include "core/formats/script/layer_names.hpp"

#include <cctype>

#include <fmt/format.h>

#include "core/model/cell.hpp"
#include "core/model/names.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view word_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_of_word(text[end])) ++end;
  return text.substr(0, end);
}

bool is_of_layer(std::string_view word) {
  const auto tensor = tensor_named(word);
  return tensor && !info(*tensor).is_of_model();
}

std::string with_layer(std::string_view word, const Setup& setup) { return fmt::format("{}_L{}", word, setup.layer); }

}  // namespace

std::string variable(TensorId tensor, const Setup& setup) {
  const bool is_numbered = setup.sizes.layers > 1 && !info(tensor).is_of_model();
  return is_numbered ? with_layer(name(tensor), setup) : std::string(name(tensor));
}

std::string in_layer(std::string_view line, const Setup& setup, const std::set<std::string>& others) {
  if (setup.sizes.layers == 1) return std::string(line);
  std::string result;
  bool follows_dot = false;
  while (!line.empty()) {
    if (line.front() == '"') {
      const auto end = std::min(line.find('"', 1), line.size() - 1);
      const bool names_tensor = result.ends_with("trace[") || result.ends_with("adam(");
      const auto tensor = names_tensor ? tensor_named(line.substr(1, end - 1)) : std::nullopt;
      result += tensor ? fmt::format("\"{}\"", name_in_model(*tensor, setup)) : std::string(line.substr(0, end + 1));
      line.remove_prefix(end + 1);
      continue;
    }
    const std::string_view word = word_at(line);
    if (word.empty()) {
      follows_dot = line.front() == '.';
      result += line.front();
      line.remove_prefix(1);
      continue;
    }
    // A word behind a dot is a member, and one before a single "=" in a call an argument, neither of them a variable.
    const std::string_view rest = line.substr(word.size());
    const bool is_argument = rest.starts_with('=') && !rest.starts_with("==");
    const bool is_own = !follows_dot && !is_argument && (is_of_layer(word) || others.contains(std::string(word)));
    result += is_own ? with_layer(word, setup) : std::string(word);
    follows_dot = false;
    line.remove_prefix(word.size());
  }
  return result;
}

CodeLines in_layer(CodeLines lines, const Setup& setup, const std::set<std::string>& others) {
  for (CodeLine& line : lines) line.code = in_layer(line.code, setup, others);
  return lines;
}

std::set<std::string> assigned_in(const CodeLines& lines) {
  std::set<std::string> names;
  for (const CodeLine& line : lines) {
    const auto end = line.code.find(" = ");
    if (end == std::string::npos || line.code.starts_with(' ') || line.code.starts_with("for ")) continue;
    const std::string_view targets = std::string_view(line.code).substr(0, end);
    if (targets.find_first_of("[(.") != std::string_view::npos) continue;
    for (const std::string_view target : split_at(targets, ',')) names.emplace(trimmed(target, " "));
  }
  return names;
}

}  // namespace headlight
