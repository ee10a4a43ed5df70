// The text that the task *text* begins with.
#pragma once

#include <string_view>

namespace headlight {

/// Names of animals, a line each: a small layer learns in a minute how they are spelled, and invents new ones.
extern const std::string_view offered_text;

}  // namespace headlight
