// The machine cannot do what is asked: no display, no OpenGL 3.3, no file to write.
#pragma once

#include <stdexcept>

namespace headlight {

/// The message says what is missing and what to do instead.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace headlight
