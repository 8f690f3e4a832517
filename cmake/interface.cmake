# Writes a header with a number for all that two separately linked files must agree on: the headers and the compiler.
#
#   cmake -DROOT=... -DHEADERS="a.h,b.h" -DWITH=TEXT -DOUT=interface.h -P cmake/interface.cmake
string(REPLACE "," ";" headers "${HEADERS}")
set(all "${WITH}")
foreach(header ${headers})
  file(SHA256 ${ROOT}/${header} hash)
  string(APPEND all "${header} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "#pragma once\n#define QUARTOZERO_INTERFACE \"${hash}\"\n" @ONLY)
