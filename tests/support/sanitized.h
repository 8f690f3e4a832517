// QUARTOZERO_SANITIZED is defined where the address or the thread sanitizer watches. GCC says so by macros, clang by
// features.
#pragma once

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define QUARTOZERO_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define QUARTOZERO_SANITIZED 1
#endif
#endif

namespace quarto {

// With sanitizers everything takes up to fifteen times as long, and what is repeated runs the same code: a test repeats
// it a quarter as often, or takes each kStride-th of all.
#ifdef QUARTOZERO_SANITIZED
constexpr int repeated(int times) { return (times + 3) / 4; }
// Prime to both numbers of symmetries, 12,288 and 3,072, so each symmetry of the board and each of the pieces is met.
inline constexpr int kStride = 7;
#else
constexpr int repeated(int times) { return times; }
inline constexpr int kStride = 1;
#endif

}  // namespace quarto
