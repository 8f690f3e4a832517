# Includes are written from the root ("env/position.h"), so visibility is enforced by the link graph: cmake/layers.cmake
# fails the build when a part includes a header of a part that it does not use.
function(quartozero_options target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow
    # g++ looks for unused memory from 0.5 GB on, not from 0.1 GB on: up to a twelfth of its time.
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
    # g++ 12 reports std::string concatenation (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds>)
  # Messages of LibTorch's and of assertions name a source, and no folder of the builder's.
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  # No product and sum are fused: what a player chooses is the same on every processor.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(QUARTOZERO_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # These programs read files and requests of strangers: a write past the end of an array ends them, and the addresses of
  # functions cannot be overwritten. (Debian's compiler makes position-independent programs by itself.)
  if(NOT QUARTOZERO_SANITIZE)
    target_compile_options(${target} PRIVATE -fstack-protector-strong
      $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>)
    set(protected -Wl,-z,relro,-z,now)
    if(WIN32)
      set(protected -fstack-protector-strong)  # links what the checks call
    endif()
    target_link_options(${target} PRIVATE ${protected})
  endif()
  if(QUARTOZERO_SANITIZE)
    # The checks of each reference for null and of each call's dynamic type take half of the time to compile, and the
    # address sanitizer reports an access to address 0. A wrong dynamic type is not looked for.
    target_compile_options(${target} PUBLIC -fsanitize=${QUARTOZERO_SANITIZE} -fno-sanitize=null,vptr
      -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${QUARTOZERO_SANITIZE})
  endif()
  if(QUARTOZERO_COVERAGE)
    # Without optimization: it folds branches together, and copies those of inlined functions to every caller.
    target_compile_options(${target} PUBLIC --coverage -fprofile-update=atomic -O0)
    target_link_options(${target} PUBLIC --coverage)
  endif()
endfunction()

# Lets the named sources of a target include <torch/torch.h>. They share one precompiled copy of it, since it takes most
# of a minute to parse; the target's other sources must not pay for it. Even so the compiler spends some ten seconds of
# each on LibTorch's templates, so up to eight of them are compiled as one (QUARTOZERO_UNITY).
function(quartozero_use_torch target)
  target_link_libraries(${target} PRIVATE quartozero_torch)
  target_include_directories(${target} SYSTEM BEFORE PRIVATE ${quartozero_first_headers})
  if(TARGET quartozero_torch_pch)
    target_precompile_headers(${target} REUSE_FROM quartozero_torch_pch)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${ARGN})
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  quartozero_unity(${target})
endfunction()

# Most of the time to compile a source that needs no LibTorch goes into the same few headers of others: they are
# precompiled, once for the parts and once for the tests. QUARTOZERO_PCH=OFF compiles without, to find missing includes.
#
# g++ instantiates again in each source what a precompiled header's functions need. For JSON that is a second each, so only
# the headers for cold parts and tests have it.
set(quartozero_common_headers
  <algorithm> <array> <atomic> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <optional> <random>
  <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <vector> <fmt/format.h>)
set(quartozero_json_header ${PROJECT_SOURCE_DIR}/base/json_library.h)

# Several sources of a target are compiled as one: with g++ every source pays half a second to a second for what the
# precompiled header instantiates, whatever it uses of it. A target's sources share their names then, as its headers do.
function(quartozero_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${QUARTOZERO_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Vectors of sixteen bytes are looked up in one instruction from x86-64-v2 on (solver/line_bytes.h), so nothing is built for
# less, unless CMAKE_CXX_FLAGS names a processor. Programs say so when they are loaded by an older processor.
set(quartozero_processor)
set(QUARTOZERO_PROCESSOR native CACHE STRING "The processor that QUARTOZERO_NATIVE compiles for: native, or another name for -march")
if(QUARTOZERO_NATIVE)
  set(quartozero_processor -march=${QUARTOZERO_PROCESSOR})
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT CMAKE_CXX_FLAGS MATCHES "-march=")
  set(quartozero_processor -march=x86-64-v2)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,-z,x86-64-v2 quartozero_marks_processor)
  if(quartozero_marks_processor)
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,-z,x86-64-v2>)
  endif()
endif()

# Counts the branches that inputs of libFuzzer take: in the parts, the fuzz targets, and the tests that share a precompiled header
# with these.
function(quartozero_count_branches target)
  if(QUARTOZERO_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# What all sources that share the parts' precompiled header are compiled with.
function(quartozero_part_options target)
  quartozero_count_branches(${target})
  # So that they can be part of a shared library, the Python module for one; their own functions stay inlined.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
  target_compile_options(${target} PRIVATE ${quartozero_processor})
endfunction()

# For sources that compute little themselves, and that take long to compile with -O3. Never more than the configuration's own
# level: a precompiled header without optimization serves no source with it.
function(quartozero_optimize target level)
  if(NOT QUARTOZERO_COVERAGE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O${level}>)
  endif()
endfunction()

# For what computes nothing itself.
function(quartozero_cold target)
  if(QUARTOZERO_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    quartozero_optimize(${target} 1)
  endif()
endfunction()

# What all sources of tests without LibTorch's headers are compiled with. They compute little: -O3 would only cost time.
function(quartozero_test_options target)
  quartozero_count_branches(${target})
  if(NOT QUARTOZERO_COVERAGE)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# With sanitizers: what sources are compiled with that compute next to nothing themselves. It takes half the time.
function(quartozero_brief_test_options target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()
function(quartozero_cold_part_options target)
  quartozero_part_options(${target})
  quartozero_cold(${target})
endfunction()

# quartozero_precompile(NAME HEADERS...): the target quartozero_pch_NAME, for quartozero_reuse(TARGET NAME).
function(quartozero_precompile name)
  set(target quartozero_pch_${name})
  add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
  quartozero_options(${target})
  cmake_language(CALL quartozero_${name}_options ${target})
  target_link_libraries(${target} PRIVATE ${quartozero_fmt})
  if(name MATCHES "test")
    target_link_libraries(${target} PRIVATE GTest::gmock)
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

function(quartozero_reuse target name)
  if(TARGET quartozero_pch_${name})
    target_link_libraries(${target} PRIVATE ${quartozero_fmt})
    target_precompile_headers(${target} REUSE_FROM quartozero_pch_${name})
  endif()
endfunction()

# quartozero_layers(PART TARGET USES...): building TARGET fails when a source in the folder PART includes a header of a part
# that is not in USES, or when USES breaks the order of the parts.
function(quartozero_layers name target)
  string(REPLACE ";" "," allowed "${name};${ARGN}")
  if(TARGET quartozero_${name}_layers)
    add_dependencies(${target} quartozero_${name}_layers)
    return()
  endif()
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

# quartozero_needs_torch(TARGET OTHERS...): what links TARGET also needs OTHERS, libraries with LibTorch's headers, and what the
# others need in the same way.
function(quartozero_needs_torch target)
  foreach(other ${ARGN})
    if(other MATCHES "_torch$")
      set_property(TARGET ${target} APPEND PROPERTY QUARTOZERO_NEEDS_TORCH ${other})
    elseif(TARGET ${other})
      get_target_property(needs ${other} QUARTOZERO_NEEDS_TORCH)
      if(needs)
        set_property(TARGET ${target} APPEND PROPERTY QUARTOZERO_NEEDS_TORCH ${needs})
      endif()
    endif()
  endforeach()
endfunction()

# quartozero_needed_torch(VARIABLE LIBRARIES...): all of those that the libraries need.
function(quartozero_needed_torch variable)
  set(all)
  foreach(library ${ARGN})
    if(TARGET ${library})
      get_target_property(needs ${library} QUARTOZERO_NEEDS_TORCH)
      if(needs)
        list(APPEND all ${needs})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

# quartozero_part(NAME SOURCES ... TORCH_SOURCES ... USES ... LIBS ... OWN_LIBS ... DEFINITIONS ... [UNITY] [COLD]): the part in the folder
# NAME, as the library quartozero_NAME.
#   TORCH_SOURCES  may include <torch/torch.h>; the objects quartozero_NAME_torch, which programs link beside quartozero_NAME
#                  (quartozero_needed_torch), or load (app/torch_library.h)
#   USES           the parts that it may use; nothing else of this project is visible to it
#   LIBS           outside libraries
#   OWN_LIBS       those that none of its headers needs
#   UNITY          its sources are compiled several at a time: for parts without code whose speed was measured
#   COLD           what it computes itself takes no time that matters: -O1, with sanitizers -O0
function(quartozero_part name)
  cmake_parse_arguments(PART "UNITY;COLD" "" "SOURCES;TORCH_SOURCES;USES;LIBS;OWN_LIBS;DEFINITIONS" ${ARGN})
  set(target quartozero_${name})
  list(TRANSFORM PART_USES PREPEND quartozero_ OUTPUT_VARIABLE uses)
  if(NOT QUARTOZERO_STORE)
    list(REMOVE_ITEM uses quartozero_store)
  endif()
  add_library(${target} STATIC ${PART_SOURCES})
  # -march=native among them, not where LibTorch's headers are compiled: its inline vector code must match the library's own.
  set(kind part)
  if(PART_COLD)
    set(kind cold_part)
  endif()
  cmake_language(CALL quartozero_${kind}_options ${target})
  quartozero_reuse(${target} ${kind})
  if(PART_UNITY)
    quartozero_unity(${target})
  endif()
  set(targets ${target})
  if(PART_TORCH_SOURCES)
    add_library(${target}_torch OBJECT ${PART_TORCH_SOURCES})
    quartozero_use_torch(${target}_torch ${PART_TORCH_SOURCES})
    target_link_libraries(${target}_torch PUBLIC ${target})
    list(APPEND targets ${target}_torch)
    quartozero_needs_torch(${target} ${target}_torch)
  endif()
  quartozero_needs_torch(${target} ${uses})
  foreach(each ${targets})
    quartozero_options(${each})
    target_link_libraries(${each} PUBLIC ${uses} ${PART_LIBS} PRIVATE ${PART_OWN_LIBS})
    target_compile_definitions(${each} PRIVATE ${PART_DEFINITIONS})
    quartozero_layers(${name} ${each} ${PART_USES})
  endforeach()
endfunction()

# quartozero_command(VARIABLE TARGET): how another program starts TARGET, as one path. Where programs run under an emulator it
# is that of a script: the system would not start them by itself, and ctest does so only for its own tests.
function(quartozero_command variable target)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.sh)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    file(GENERATE OUTPUT ${script} CONTENT "#!/bin/sh\nexec ${emulator} '$<TARGET_FILE:${target}>' \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set(${variable} ${script} PARENT_SCOPE)
  else()
    set(${variable} $<TARGET_FILE:${target}> PARENT_SCOPE)
  endif()
endfunction()

# quartozero_test(NAME SOURCES ... TORCH_SOURCES ... LIBS ... DEFINITIONS ... [WHOLE] [CONCURRENT] ...): one GoogleTest program
# for a part.
#   NATIVE      compile for this machine's processor, as the parts are
#   BRIEF       its sources compute next to nothing themselves, or take too long to compile: not optimized where there are
#               sanitizers
#   LONG        has a test that takes minutes with sanitizers: its tests begin before others, so that none is left alone at the end
#   WHOLE       run as a single ctest entry (for programs that are slow to start)
#   CONCURRENT  threads of ours meet in it: label "concurrent", run under the thread sanitizer by `make tsan`
#   ALONE       a GoogleTest filter: long tests of a CONCURRENT program that use one thread, and are not labelled
#   DEVICE      LibTorch computes in it, or a GPU's compiler: label "device", run on a GPU by scripts/gpu/day.sh; only with WHOLE
#   GPU         a GoogleTest filter: tests that need a GPU; the ctest entry NAME.gpu, skipped where there is none
add_custom_target(concurrent_tests)
add_custom_target(device_tests)
set(QUARTOZERO_TEST_TREE ${PROJECT_SOURCE_DIR} CACHE STRING "Where tests look for files of this tree; \".\" for tests that are carried to another machine")
function(quartozero_test name)
  cmake_parse_arguments(TEST "WHOLE;BRIEF;LONG;CONCURRENT;NATIVE;DEVICE" "GPU" "SOURCES;TORCH_SOURCES;LIBS;DEFINITIONS;ALONE" ${ARGN})
  set(target test_${name})
  add_executable(${target} ${TEST_TORCH_SOURCES})
  set(targets ${target})
  if(TEST_SOURCES)
    # Apart from the others, since a target has one set of options and one precompiled header.
    add_library(${target}_plain OBJECT ${TEST_SOURCES})
    set(kind test)
    if(TEST_BRIEF AND QUARTOZERO_SANITIZE)
      set(kind brief_test)
    endif()
    cmake_language(CALL quartozero_${kind}_options ${target}_plain)
    if(NOT TEST_NATIVE)
      quartozero_reuse(${target}_plain ${kind})
    else()
      target_compile_options(${target}_plain PRIVATE ${quartozero_processor})
    endif()
    quartozero_unity(${target}_plain)
    target_link_libraries(${target} PRIVATE ${target}_plain)
    list(APPEND targets ${target}_plain)
  endif()
  foreach(each ${targets})
    quartozero_options(${each})
    target_link_libraries(${each} PRIVATE ${TEST_LIBS} GTest::gmock)
    target_compile_definitions(${each} PRIVATE QUARTOZERO_SOURCE_DIR="${QUARTOZERO_TEST_TREE}" ${TEST_DEFINITIONS})
  endforeach()
  target_link_libraries(${target} PRIVATE GTest::gtest_main)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  quartozero_needed_torch(needed ${TEST_LIBS})
  if(needed)
    target_link_libraries(${target} PRIVATE ${needed} quartozero_torch)
  endif()
  if(TEST_TORCH_SOURCES)
    quartozero_use_torch(${target} ${TEST_TORCH_SOURCES})
    quartozero_optimize(${target} 1)
  endif()
  set(properties TIMEOUT 1500)
  if(QUARTOZERO_COVERAGE)
    set(properties TIMEOUT 3600)
  endif()
  if(TEST_LONG)
    list(APPEND properties COST 5)
  endif()
  set(labels)
  if(TEST_CONCURRENT)
    set(labels LABELS concurrent)
    add_dependencies(concurrent_tests ${target})
  endif()
  if(TEST_WHOLE)
    set(names ${name})
    if(TEST_GPU)
      add_test(NAME ${name} COMMAND ${target} --gtest_filter=-${TEST_GPU})
      add_test(NAME ${name}.gpu COMMAND ${target} --gtest_filter=${TEST_GPU})
      set_tests_properties(${name}.gpu PROPERTIES SKIP_REGULAR_EXPRESSION "no CUDA device"
        FAIL_REGULAR_EXPRESSION "Running 0 tests")
      list(APPEND names ${name}.gpu)
    else()
      add_test(NAME ${name} COMMAND ${target})
    endif()
    # These are the longest. They begin first, so that none of them is left alone at the end.
    set_tests_properties(${names} PROPERTIES ${properties} ${labels} COST 10)
    if(TEST_DEVICE)
      add_dependencies(device_tests ${target})
      set_property(TEST ${names} APPEND PROPERTY LABELS device)
      # As in the program (configure_torch): more threads wait for each other at every operation, and tests run side by side.
      set_property(TEST ${names} PROPERTY ENVIRONMENT OMP_NUM_THREADS=1)
    endif()
  elseif(TEST_ALONE)
    set(discover TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
    gtest_discover_tests(${target} ${discover} TEST_FILTER "-${TEST_ALONE}" PROPERTIES ${properties} ${labels})
    gtest_discover_tests(${target} ${discover} TEST_FILTER "${TEST_ALONE}" TEST_LIST ${target}_alone PROPERTIES ${properties})
  else()
    gtest_discover_tests(${target} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES ${properties} ${labels})
  endif()
endfunction()
