# quartozero_part(NAME SOURCES ... TORCH_SOURCES ... USES ... LIBS ...): the library of one part.
#   TORCH_SOURCES  those that include <torch/torch.h>
#   USES           the parts it may see; nothing else of this project is visible to it
#   LIBS           outside libraries
#   OWN_LIBS       those that its headers do not show
#
# Includes are written from the root ("env/position.h"), so visibility is enforced by the link graph: cmake/layers.cmake
# fails the build when a part includes a header of a part that it does not use.
function(quartozero_options target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow
    # g++ 12 reports std::string concatenation (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(QUARTOZERO_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(QUARTOZERO_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${QUARTOZERO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${QUARTOZERO_SANITIZE})
  endif()
  if(QUARTOZERO_COVERAGE)
    target_compile_options(${target} PUBLIC --coverage -fprofile-update=atomic)
    target_link_options(${target} PUBLIC --coverage)
  endif()
endfunction()

# Lets the named sources of a target include <torch/torch.h>. They share one precompiled copy of it, since it takes most
# of a minute to parse; the target's other sources must not pay for it.
function(quartozero_use_torch target)
  target_link_libraries(${target} PRIVATE quartozero_torch)
  # LibTorch may bring headers of other libraries, {fmt}'s for one: those that we link come first.
  target_include_directories(${target} SYSTEM BEFORE PRIVATE
    $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  if(TARGET quartozero_torch_pch)
    target_precompile_headers(${target} REUSE_FROM quartozero_torch_pch)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${ARGN})
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# quartozero_layers(PART TARGET USES...): building TARGET fails when a source in the folder PART includes a header of a part
# that is not in USES, or when USES breaks the order of the parts.
function(quartozero_layers name target)
  string(REPLACE ";" "," allowed "${name};${ARGN}")
  set(stamp ${PROJECT_BINARY_DIR}/layers/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.h
    ${PROJECT_SOURCE_DIR}/${name}/*.cpp ${PROJECT_SOURCE_DIR}/${name}/*.cu)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DPART=${name} -DALLOWED=${allowed} -DROOT=${PROJECT_SOURCE_DIR} -DSTAMP=${stamp}
            -P ${PROJECT_SOURCE_DIR}/cmake/layers.cmake
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/layers.cmake VERBATIM)
  add_custom_target(quartozero_${name}_layers DEPENDS ${stamp})
  add_dependencies(${target} quartozero_${name}_layers)
endfunction()

function(quartozero_part name)
  cmake_parse_arguments(PART "" "" "SOURCES;TORCH_SOURCES;USES;LIBS;OWN_LIBS" ${ARGN})
  set(target quartozero_${name})
  add_library(${target} STATIC ${PART_SOURCES} ${PART_TORCH_SOURCES})
  quartozero_options(${target})
  list(TRANSFORM PART_USES PREPEND quartozero_ OUTPUT_VARIABLE uses)
  target_link_libraries(${target} PUBLIC ${uses} ${PART_LIBS} PRIVATE ${PART_OWN_LIBS})
  if(PART_TORCH_SOURCES)
    quartozero_use_torch(${target} ${PART_TORCH_SOURCES})
  else()
    # So that they can be part of a shared library, the Python module for one; their own functions stay inlined.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
  endif()
  if(NOT PART_TORCH_SOURCES AND QUARTOZERO_NATIVE)
    # Not where LibTorch's headers are compiled: its inline vector code must match the library's own.
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  quartozero_layers(${name} ${target} ${PART_USES})
endfunction()

# quartozero_test(NAME SOURCES ... TORCH_SOURCES ... LIBS ... [WHOLE] [CONCURRENT]): one GoogleTest program for a part.
#   WHOLE       run as a single ctest entry (for programs that are slow to start)
#   CONCURRENT  threads of ours meet in it: label "concurrent", run under the thread sanitizer by `make tsan`
add_custom_target(concurrent_tests)
function(quartozero_test name)
  cmake_parse_arguments(TEST "WHOLE;CONCURRENT" "" "SOURCES;TORCH_SOURCES;LIBS" ${ARGN})
  set(target test_${name})
  add_executable(${target} ${TEST_SOURCES} ${TEST_TORCH_SOURCES})
  quartozero_options(${target})
  target_link_libraries(${target} PRIVATE ${TEST_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE QUARTOZERO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(TEST_TORCH_SOURCES)
    quartozero_use_torch(${target} ${TEST_TORCH_SOURCES})
  endif()
  set(properties TIMEOUT 600)
  if(TEST_CONCURRENT)
    list(APPEND properties LABELS concurrent)
    add_dependencies(concurrent_tests ${target})
  endif()
  if(TEST_WHOLE)
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES ${properties})
  else()
    gtest_discover_tests(${target} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  endif()
endfunction()
