// Owns a precompiled header; see part.cmake.
