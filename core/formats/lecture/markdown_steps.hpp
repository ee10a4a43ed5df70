// The parts of a lecture's Markdown file: front matter, and one section per step.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"

namespace headlight {

/// The inside of a fenced code block.
struct FencedBlock {
  std::string text;
  int line = 0;  ///< of the opening fence
};

struct MarkdownStep {
  std::string title;
  int line = 0;                     ///< of the heading
  std::optional<FencedBlock> step;  ///< the block with info string "step" directly after the heading
  std::optional<FencedBlock> code;  ///< the block with info string "python"
  std::string narration;            ///< all the rest
};

struct MarkdownLecture {
  std::optional<FencedBlock> front_matter;
  std::vector<MarkdownStep> steps;
};

/// Takes a lecture apart. What is out of place is added to `problems`, with `source` and the line.
MarkdownLecture split_lecture(std::string_view text, const std::string& source, std::vector<Problem>& problems);

}  // namespace headlight
