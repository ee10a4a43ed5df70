// Where lines may end by the rules and dictionaries of others: ICU's on the desktop, the browser's in a page.
#pragma once

#include <cstddef>
#include <string>

namespace headlight {

/// The first byte behind `from` before which a line may begin; the size of the text if there is none.
std::size_t next_line_break(const std::string& text, std::size_t from);

}  // namespace headlight
