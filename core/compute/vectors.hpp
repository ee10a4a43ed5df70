// Marks for loops that the compiler turns into vector code.
#pragma once

/// Put before a function. The compiler builds the function a second time with AVX2 and fused multiply-add, and the
/// program picks one of the two when it starts. The results are the same to the last bit; only the speed differs, so
/// the binary stays portable. (Off in sanitizer builds: the choice is made before the sanitizer has started. Off with
/// Clang: its version 19 leaves out Eigen's small functions that such a function calls, and the program doesn't link.)
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(HEADLIGHT_SANITIZED) && \
    !defined(__SANITIZE_THREAD__)
#define HEADLIGHT_VECTORIZED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define HEADLIGHT_VECTORIZED
#endif

/// Put before a function that a HEADLIGHT_VECTORIZED function calls in its loop. If it were not inlined, it would be
/// neither vectorised nor compiled twice.
#define HEADLIGHT_INLINED [[gnu::always_inline]] inline
