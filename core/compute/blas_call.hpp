// Calls of OpenBLAS where memory is short.
#pragma once

namespace headlight {

/// Held around a call of OpenBLAS, which then works on the calling thread alone. Each call that goes on at the same
/// time needs a large buffer of its own, which OpenBLAS keeps; where there is no room for one, it would ask for it
/// again and again, for ever. This waits for the end of another call instead, and throws std::bad_alloc where there is
/// none.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;
};

}  // namespace headlight
