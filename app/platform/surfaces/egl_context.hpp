// An OpenGL 3.3 context without a display.
#pragma once

#include <memory>

namespace headlight {

class EglContext {
 public:
  /// Makes the context current. Throws MachineError when the machine has no OpenGL 3.3.
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  void make_current() const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace headlight
