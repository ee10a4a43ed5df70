// Calls of OpenBLAS where memory is short.
#pragma once

namespace headlight {

/// Held around a call of OpenBLAS, which then works on the calling thread alone. Each call that runs at the same time
/// needs a large buffer of its own, which OpenBLAS keeps. If there is no memory for one, OpenBLAS would ask for it
/// again and again, for ever. This waits for the end of another call instead, and throws std::bad_alloc if there is
/// none.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;
};

}  // namespace headlight
