// The layout of generated scripts: paragraphs of code with aligned comments.
#pragma once

#include <string>
#include <string_view>

#include "core/stages/code.hpp"

namespace headlight {

/// Lines of code under a heading comment, with the comments after the code aligned in one column.
std::string paragraph(std::string_view heading, const CodeLines& lines);

/// The text made safe for a comment: on one line, with spaces for control characters and "?" for bytes that are not
/// UTF-8.
std::string in_comment(std::string_view text);

}  // namespace headlight
