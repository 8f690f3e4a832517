# Writes a header with a number for what two separately linked files must agree on.
#
#   cmake -DROOT=... -DSOURCES="a.h,b.cpp" -DWITH=TEXT -DOUT=interface.h -P cmake/interface.cmake
string(REPLACE "," ";" sources "${SOURCES}")
set(all "${WITH}")
foreach(source ${sources})
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "#pragma once\n#define QUARTOZERO_INTERFACE \"${hash}\"\n" @ONLY)
