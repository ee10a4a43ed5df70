// The words of a lecture: their links and live numbers, found and checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/lecture.hpp"
#include "core/lecture/link.hpp"

namespace headlight {

/// A link as Markdown writes it: [words](target).
struct MarkdownLink {
  std::string words;
  std::string target;
  std::size_t at = 0;  ///< where its target stands in the text
};

/// The links of a text, in order.
std::vector<MarkdownLink> links_in(std::string_view markdown);

/// What the words of a step may point at.
struct WordsPlace {
  const Setup* setup;                          ///< the step's; null where it is broken, and cannot be asked
  std::size_t step_count;                      ///< how many steps the lecture has
  const std::vector<std::string_view>& views;  ///< any, where there are none
};

/// What is wrong with a live number, "weights[0]:.2x"; empty if it reads well.
std::vector<Problem> problems_of_live_number(std::string_view text);
/// What is wrong with a link's target under the step's setup; whether another lecture exists, only a library knows.
std::vector<Problem> problems_of_link(std::string_view target, const WordsPlace& place);

/// Everything wrong with a text's live numbers and links. The source of each problem is empty; `line` of each is how
/// many lines of the text come before it.
struct WordsProblem {
  std::size_t line = 0;
  Problem problem;
};
std::vector<WordsProblem> problems_of_words(std::string_view markdown, const WordsPlace& place);

}  // namespace headlight
