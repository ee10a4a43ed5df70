// What was thrown where nobody expected it, in words for a person.
#pragma once

#include <exception>
#include <string>

namespace headlight {

/// "not enough free memory"; what an exception says of itself; something for what says nothing.
std::string words_of(const std::exception_ptr& thrown);

}  // namespace headlight
