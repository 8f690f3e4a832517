# LibTorch, from one of three places, as one interface target so that its flags reach only what includes it:
#
#   Debian's package        1.13, for the processor
#   QUARTOZERO_TORCH_DIR    the folder of a release, e.g. site-packages/torch, used without its CMake files (those look for
#                           the whole CUDA toolkit and its compiler; here only headers and the runtime library are needed)
#   CMAKE_PREFIX_PATH       a release, by its CMake files
set(QUARTOZERO_TORCH_DIR "" CACHE PATH "LibTorch's folder, used without its CMake files")
add_library(quartozero_torch INTERFACE)
# What includes it becomes part of a shared library (app/torch_library.h). Tests do not, but share its precompiled header.
target_compile_options(quartozero_torch INTERFACE -fPIC $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
# First of all libraries, wherever CMake would put it: libtorch.so of 2.11 exports a part of the C++ library itself, and its
# std::filesystem::remove_all() crashes.
target_link_options(quartozero_torch INTERFACE LINKER:--push-state,--no-as-needed,-lstdc++,--pop-state)
if(QUARTOZERO_TORCH_DIR)
  set(torch_include ${QUARTOZERO_TORCH_DIR}/include)
  if(NOT EXISTS ${torch_include}/torch/csrc/api/include/torch/torch.h)
    message(FATAL_ERROR "QUARTOZERO_TORCH_DIR is ${QUARTOZERO_TORCH_DIR}, where LibTorch's headers are not found")
  endif()
  target_include_directories(quartozero_torch SYSTEM INTERFACE ${torch_include} ${torch_include}/torch/csrc/api/include)
  set(torch_libraries torch torch_cpu c10)
  if(EXISTS ${QUARTOZERO_TORCH_DIR}/lib/libtorch_cuda.so)
    set(torch_has_cuda ON)
    list(APPEND torch_libraries torch_cuda c10_cuda)
  endif()
  list(TRANSFORM torch_libraries REPLACE "(.+)" "${QUARTOZERO_TORCH_DIR}/lib/lib\\1.so")
  # Some compilers drop libraries that no symbol is needed from; CUDA's registers itself by being loaded.
  target_link_libraries(quartozero_torch INTERFACE -Wl,--no-as-needed ${torch_libraries} -Wl,--as-needed)
  target_link_options(quartozero_torch INTERFACE -Wl,-rpath,${QUARTOZERO_TORCH_DIR}/lib)
  message(STATUS "LibTorch in ${QUARTOZERO_TORCH_DIR}")
else()
  find_package(Torch REQUIRED)
  target_include_directories(quartozero_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(quartozero_torch INTERFACE ${TORCH_LIBRARIES})
  separate_arguments(quartozero_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(quartozero_torch INTERFACE ${quartozero_torch_flags})
  if(TARGET torch_cuda)
    set(torch_has_cuda ON)
  endif()
  message(STATUS "LibTorch ${Torch_VERSION}, CUDA ${TORCH_CUDA_LIBRARIES}")
endif()

# Streams, events and page-locked copies are asked of CUDA's runtime directly. Without its headers a LibTorch with CUDA
# still works, one batch at a time.
option(QUARTOZERO_GPU_BATCHES "Let batches overlap on a GPU, if LibTorch has CUDA" ON)
set(QUARTOZERO_CUDA OFF)
if(torch_has_cuda AND QUARTOZERO_GPU_BATCHES)
  file(GLOB cuda_library ${QUARTOZERO_TORCH_DIR}/../nvidia/*/lib/libcudart.so.*)
  if(QUARTOZERO_TORCH_DIR AND cuda_library)
    # Of the Python packages beside LibTorch, so that there is one runtime. Its headers include some of the compiler's (crt/),
    # which are in the package nvidia-cuda-crt and in every CUDA toolkit.
    list(GET cuda_library 0 cuda_library)
    cmake_path(NORMAL_PATH cuda_library)
    cmake_path(GET cuda_library PARENT_PATH cuda_folder)
    target_link_options(quartozero_torch INTERFACE -Wl,-rpath,${cuda_folder})
    cmake_path(GET cuda_folder PARENT_PATH cuda_folder)
    find_program(nvcc nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
    if(nvcc)
      file(REAL_PATH ${nvcc} nvcc)
      cmake_path(GET nvcc PARENT_PATH toolkit)
      cmake_path(GET toolkit PARENT_PATH toolkit)
    endif()
    find_path(crt crt/host_defines.h HINTS ${cuda_folder}/include ${toolkit}/include NO_CACHE)
    if(crt)
      string(REGEX REPLACE "/$" "" crt ${crt})
      set(cuda_include ${cuda_folder}/include ${crt})
    endif()
  else()
    find_package(CUDAToolkit)
    if(TARGET CUDA::cudart)
      set(cuda_include ${CUDAToolkit_INCLUDE_DIRS})
      set(cuda_library CUDA::cudart)
    endif()
  endif()
  if(cuda_include)
    set(QUARTOZERO_CUDA ON)
    target_include_directories(quartozero_torch SYSTEM INTERFACE ${cuda_include})
    target_link_libraries(quartozero_torch INTERFACE ${cuda_library})
    message(STATUS "CUDA's runtime: ${cuda_library}, headers in ${cuda_include}")
  else()
    message(WARNING "LibTorch has CUDA, but the headers of CUDA's runtime were not found: batches will not overlap on the "
                    "GPU. A CUDA toolkit has them; the Python package nvidia-cuda-crt completes those of PyTorch")
  endif()
endif()
message(STATUS "Asynchronous evaluation on a GPU: ${QUARTOZERO_CUDA}")
set(QUARTOZERO_LIBTORCH_HAS_GPU ${torch_has_cuda})
if(TARGET torch_hip OR EXISTS ${QUARTOZERO_TORCH_DIR}/lib/libtorch_hip.so)
  set(QUARTOZERO_LIBTORCH_HAS_GPU ON)
endif()

# LibTorch may bring headers of other libraries, {fmt}'s for one: those that we link come first (quartozero_use_torch). By a
# link, because CMake leaves out /usr/include, where Debian has them.
get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
set(quartozero_first_headers ${PROJECT_BINARY_DIR}/first)
file(MAKE_DIRECTORY ${quartozero_first_headers})
file(CREATE_LINK ${fmt_include}/fmt ${quartozero_first_headers}/fmt SYMBOLIC)

# The owner of the precompiled header; everything that reuses it must be compiled with the same flags.
add_library(quartozero_torch_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/torch_pch.cpp)
quartozero_options(quartozero_torch_pch)
target_link_libraries(quartozero_torch_pch PRIVATE quartozero_torch)
target_precompile_headers(quartozero_torch_pch PRIVATE <torch/torch.h>)
