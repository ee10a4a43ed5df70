// What was thrown where nobody expected it, in words for a person.
#pragma once

#include <exception>
#include <string>

namespace headlight {

/// "not enough free memory"; the words of the exception; "internal error" if it says nothing.
std::string words_of(const std::exception_ptr& thrown);

}  // namespace headlight
