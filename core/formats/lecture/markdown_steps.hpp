// Splits a lecture's Markdown file into its front matter and one section per step.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"

namespace headlight {

/// The lines between the fences of a code block.
struct FencedBlock {
  std::string text;
  int line = 0;  ///< line number of the opening fence, counted from 1
};

struct MarkdownStep {
  std::string title;                    ///< the words that are read
  int line = 0;                         ///< line number of the heading, counted from 1
  std::optional<FencedBlock> step;      ///< the block with info string "step" directly after the heading
  std::optional<FencedBlock> code;      ///< the block with info string "python"
  std::optional<FencedBlock> question;  ///< the block with info string "question"
  std::optional<FencedBlock> more;      ///< the block with info string "more"
  std::optional<FencedBlock> notes;     ///< the block with info string "notes"
  std::string narration;                ///< the rest of the section's text
  std::vector<int> narration_lines;     ///< the line number of each of its lines
};

struct MarkdownLecture {
  std::optional<FencedBlock> front_matter;
  std::vector<MarkdownStep> steps;
};

/// Splits a lecture. Text or blocks in the wrong place are added to `problems`, with `source` and the line.
MarkdownLecture split_lecture(std::string_view text, const std::string& source, std::vector<Problem>& problems);

}  // namespace headlight
