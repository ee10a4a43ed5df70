// How a generated script is laid out: paragraphs of code with their comments below each other.
#pragma once

#include <string>
#include <string_view>

#include "core/stages/code.hpp"

namespace headlight {

/// A heading comment and lines whose comments stand below each other.
std::string paragraph(std::string_view heading, const CodeLines& lines);

/// The text as one line that stays inside its comment, whatever is in it: no controls, and nothing but UTF-8.
std::string in_comment(std::string_view text);

}  // namespace headlight
