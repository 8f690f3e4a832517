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
