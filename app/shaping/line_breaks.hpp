// Where a line may end without a space: in Chinese, Japanese, Thai and other scripts that write words without spaces.
// No line begins with a closing sign, and none ends with an opening one.
#pragma once

#include <cstddef>
#include <string_view>

namespace headlight {

/// Whether a line may end between two pieces of text that follow each other without a space.
bool may_break_between(std::string_view before, std::string_view after);

/// How many bytes of a word stay together on a line: up to the first place where it may break.
std::size_t unbroken_length(std::string_view word);

}  // namespace headlight
