// The keys of a setup as the lines of a file that people read.
#pragma once

#include <string>
#include <string_view>

#include "core/model/setup.hpp"

namespace headlight {

/// Every key that has a say, with a word on it, section by section. The sections stand inside `table`
/// ("[setup.sizes]"), or at the top where it is empty.
std::string written_keys(const Setup& setup, std::string_view table = {});

}  // namespace headlight
