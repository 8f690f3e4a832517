# Installs BUILD into a fresh folder under WORK, builds the example from what was installed, plays with the shipped
# network, and holds program and weights to two megabytes. Run as a script.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${out}\n${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

set(compile_for -DCMAKE_CXX_COMPILER=${COMPILER})
if(TOOLCHAIN)  # for another processor: EMULATOR is a command with arguments, and prefixes are looked for in its root alone
  set(compile_for -DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} -Dquartozero_DIR=${WORK}/prefix/lib/cmake/quartozero)
endif()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
# A copy: nothing but what is installed may be needed.
file(COPY ${SOURCE}/examples/cpp/ DESTINATION ${WORK}/example)
run(${CMAKE_COMMAND} -S ${WORK}/example -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    ${compile_for})
run(${CMAKE_COMMAND} --build ${WORK}/build)
set(network ${WORK}/prefix/share/quartozero/checkpoints/distilled/model.light)
run(${EMULATOR} ${WORK}/build/play ${network})
message("${out}")
if(NOT out MATCHES "^[0-9A-F] [a-d][1-4] [0-9A-F] " OR NOT out MATCHES "(won by|a draw)")
  message(FATAL_ERROR "this is no game: ${out}")
endif()

# Only what the network says of itself may be used: a file that is not one is an error that names it.
execute_process(COMMAND ${EMULATOR} ${WORK}/build/play ${WORK}/example/play.cpp RESULT_VARIABLE status ERROR_VARIABLE err)
if(status EQUAL 0 OR NOT err MATCHES "play.cpp")
  message(FATAL_ERROR "a file that is no network: ${status} ${err}")
endif()

run(${STRIP} -o ${WORK}/stripped ${WORK}/build/play)
file(SIZE ${WORK}/stripped program)
file(SIZE ${network} weights)
math(EXPR both "${program} + ${weights}")
message("program ${program} bytes, weights ${weights} bytes, together ${both}")
if(both GREATER 2000000)
  message(FATAL_ERROR "more than two megabytes")
endif()

# The installed engine finds the installed network by itself.
file(WRITE ${WORK}/commands "uqi\nposition start moves 0\ngo sims 4\n")
execute_process(COMMAND ${EMULATOR} ${WORK}/prefix/bin/quartozero-engine INPUT_FILE ${WORK}/commands RESULT_VARIABLE status
  OUTPUT_VARIABLE out)
if(NOT status EQUAL 0 OR NOT out MATCHES "bestmove [a-d][1-4]" OR
   NOT out MATCHES "option name Network type string default ${WORK}/prefix/share/quartozero/checkpoints/")
  message(FATAL_ERROR "quartozero-engine: ${status} ${out}")
endif()
