# Toolchain file: compiles for aarch64 Linux with Debian's cross compiler, and runs what it compiled under qemu.
#
#   make test-aarch64, or: scripts/aarch64/root.sh build-aarch64/root && cmake --preset aarch64
#
# Libraries come from the arm64 packages that scripts/aarch64/root.sh unpacks, never from those of this machine; the C and
# C++ libraries come with the compiler.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../build-aarch64/root ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${root} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(QUARTOZERO_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(QUARTOZERO_QEMU)
  # Programs find the libraries where a machine of that kind would have them installed.
  set(CMAKE_CROSSCOMPILING_EMULATOR ${QUARTOZERO_QEMU} -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=${root}/usr/lib/aarch64-linux-gnu)
endif()
