# quartozero_embed(OUTPUT FUNCTION HEADER FILES...): writes OUTPUT, a source with FUNCTION, which HEADER declares: it returns
# the files (base/embedded_file.h), which must be text. CMake runs again when one changes.
function(quartozero_embed output function header)
  set(mark "--embedded--")
  set(embedded "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    string(FIND "${text}" "${mark}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} contains ${mark}, which ends an embedded file")
    endif()
    string(APPEND embedded "    {\"${file}\", R\"${mark}(${text})${mark}\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Written by cmake/embed.cmake.
#include "@header@"

namespace {

constexpr quarto::EmbeddedFile kFiles[] = {
@embedded@};

}  // namespace

std::span<const quarto::EmbeddedFile> @function@() { return kFiles; }
]])
endfunction()
