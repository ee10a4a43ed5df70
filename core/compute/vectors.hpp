// Loops that the compiler turns into vector code, and how wide.
#pragma once

/// Before a function: compile it a second time with AVX2 and fused multiply-add, and pick one when the program starts.
/// The results are the same to the last bit; only the speed differs, so the binary stays portable. (Sanitizers come
/// into being after the choice.)
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(HEADLIGHT_SANITIZED) && !defined(__SANITIZE_THREAD__)
#define HEADLIGHT_VECTORIZED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define HEADLIGHT_VECTORIZED
#endif

/// Before what such a function calls in its loop: left as a call, it would be neither vectorised nor compiled twice.
#define HEADLIGHT_INLINED [[gnu::always_inline]] inline
