// Reads Markdown, with the live numbers and links of a lecture's words.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/live_text.hpp"
#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Markdown in which braces are braces.
Markdown parse_markdown(std::string_view text);
/// A title that may be written in Markdown, as the words that are read: without asterisks and back quotes. Math stays
/// as it is written. Empty where nothing would be seen of it, as of "&nbsp;" or of the address alone in [](address).
std::string parse_title(std::string_view text);

/// The names that links and live numbers of a step may use.
struct TextContext {
  const Setup* setup;                          ///< the step's; null where it is broken, and cannot be asked
  std::size_t step_count;                      ///< how many steps the lecture has
  const std::vector<std::string_view>& views;  ///< any, where there are none
  std::filesystem::path folder = {};           ///< of the lecture, where the files are that its links may read
};

/// Something wrong with a text. The source of the problem is empty; `line` is how many lines of the text are before it.
struct WordsProblem {
  std::size_t line = 0;
  Problem problem;
};

/// The words of a lecture: Markdown with live numbers and links. In code, in math and in the targets of links braces
/// are braces; elsewhere \{ is one. Everything that is wrong with live numbers and links is added to `problems`;
/// whether another lecture exists, only a library knows.
LiveText read_live_text(std::string_view markdown, const TextContext& context, std::vector<WordsProblem>& problems);
/// A text with live numbers that is not Markdown, as a label.
LiveText read_live_label(std::string_view text, std::vector<WordsProblem>& problems);

}  // namespace headlight
