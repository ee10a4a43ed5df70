#include "app/shell/editor.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include <unistd.h>

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 16> in_a_terminal{"vi",    "vim", "nvim", "view",  "nano", "pico",
                                                         "micro", "hx",  "kak",  "helix", "joe",  "mcedit",
                                                         "ne",    "jed", "ed",   "editor"};

/// Whether the program can be started: by its path, or from a folder of $PATH.
bool is_installed(const Environment& environment, const std::string& program) {
  const auto can_run = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return can_run(program);
  const char* const folders = environment("PATH");
  std::istringstream left(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(left, folder, ':');)
    if (!folder.empty() && can_run(fs::path(folder) / program)) return true;
  return false;
}

/// "code --wait" as its words; empty where the variable is not set.
std::vector<std::string> words_in(const Environment& environment, const char* variable) {
  const char* const text = environment(variable);
  std::istringstream left(text == nullptr ? "" : text);
  std::vector<std::string> words;
  for (std::string word; left >> word;) words.push_back(word);
  return words;
}

bool needs_terminal(const std::vector<std::string>& editor) {
  const std::string name = fs::path(editor.front()).filename().string();
  return std::ranges::find(in_a_terminal, name) != in_a_terminal.end() ||
         std::ranges::find(editor, "-nw") != editor.end();
}

}  // namespace

std::vector<std::string> editor_command(const Environment& environment, const fs::path& file) {
  constexpr const char* terminal = "x-terminal-emulator";
  for (const char* variable : {"VISUAL", "EDITOR"}) {
    std::vector<std::string> editor = words_in(environment, variable);
    if (editor.empty() || !is_installed(environment, editor.front())) continue;
    if (needs_terminal(editor)) {
      if (!is_installed(environment, terminal)) continue;
      editor.insert(editor.begin(), {terminal, "-e"});
    }
    editor.push_back(file.string());
    return editor;
  }
  return opener_command(environment, file);
}

std::vector<std::string> opener_command(const Environment& environment, const fs::path& file) {
  if (is_installed(environment, "xdg-open")) return {"xdg-open", file.string()};
  return {};
}

}  // namespace headlight
