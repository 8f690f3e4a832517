# The program quartozero-engine from a compiler and the headers of {fmt}, for a system whose libraries are not here
# (cmake/windows.cmake). The headers are this machine's, in a folder of their own: others beside them are not for that system.
find_path(fmt_headers fmt/format.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${fmt_headers}/fmt ${PROJECT_BINARY_DIR}/include/fmt SYMBOLIC)
add_library(quartozero_fmt INTERFACE)
target_include_directories(quartozero_fmt SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/include)
target_compile_definitions(quartozero_fmt INTERFACE FMT_HEADER_ONLY)
set(quartozero_fmt quartozero_fmt)
set(QUARTOZERO_BUNDLE_FMT ON)
set(QUARTOZERO_TORCH OFF)
# Each source by itself, so that those which nothing calls are left out, such as players that are other programs.
set(QUARTOZERO_UNITY OFF)
quartozero_precompile(part ${quartozero_common_headers})

foreach(part base env solver mcts light play engine)
  add_subdirectory(${part})
endforeach()

# The program with what it looks for beside itself, as an archive: cpack.
install(TARGETS quartozero-engine RUNTIME DESTINATION . COMPONENT engine)
install(FILES LICENSE NOTICES.md DESTINATION . COMPONENT engine)
if(WIN32)  # the notice of what is linked
  install(FILES /usr/share/doc/mingw-w64-common/copyright DESTINATION . COMPONENT engine RENAME mingw-w64.txt)
endif()
install(DIRECTORY checkpoints DESTINATION . COMPONENT engine FILES_MATCHING PATTERN "*.light")
install(DIRECTORY solver/books DESTINATION solver COMPONENT engine)
set(CPACK_GENERATOR ZIP)
set(CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} quartozero engine /)
include(CPack)

if(QUARTOZERO_TESTS)
  enable_testing()
  add_subdirectory(tests/processors)
endif()
