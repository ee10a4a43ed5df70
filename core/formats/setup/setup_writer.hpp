// Writes the keys of a setup as lines of a file that people read.
#pragma once

#include <string>
#include <string_view>

#include "core/model/setup.hpp"

namespace headlight {

/// Every key that changes something, with a comment, section by section. The sections are inside `table`
/// ("[setup.sizes]"), or at the top level if `table` is empty.
std::string written_keys(const Setup& setup, std::string_view table = {});

}  // namespace headlight
