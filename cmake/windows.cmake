# Toolchain file: compiles quartozero-engine for Windows with Debian's cross compiler, and runs what it compiled under wine.
#
#   make windows, or: cmake --preset windows
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# Of the two sets of compilers, the one whose C++ library has threads.
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The compiler's libraries are in the program, which needs no file but Windows' own.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s")
find_program(QUARTOZERO_WINE NAMES wine64 wine PATHS /usr/lib/wine)
if(QUARTOZERO_WINE)
  get_filename_component(prefix ${CMAKE_CURRENT_LIST_DIR}/../build-windows/wine ABSOLUTE)
  set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/env WINEPREFIX=${prefix} WINEDEBUG=-all ${QUARTOZERO_WINE})
endif()
