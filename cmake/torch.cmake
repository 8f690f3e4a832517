# LibTorch, from Debian (1.13, CPU) or from wherever CMAKE_PREFIX_PATH points (current releases, with CUDA). Wrapped in
# one interface target so that its flags reach only what includes it.
#
# QUARTOZERO_TORCH_DIR is another way in, for an installation whose own CMake files do not work where it stands (they look
# for the whole CUDA toolkit, and for its compiler): the folder with include/ and lib/ in it, e.g. site-packages/torch.
set(QUARTOZERO_TORCH_DIR "" CACHE PATH "LibTorch's folder, used without its CMake files")
add_library(quartozero_torch INTERFACE)
if(QUARTOZERO_TORCH_DIR)
  set(include ${QUARTOZERO_TORCH_DIR}/include)
  target_include_directories(quartozero_torch SYSTEM INTERFACE ${include} ${include}/torch/csrc/api/include)
  foreach(name torch torch_cpu c10 torch_cuda c10_cuda)
    find_library(QUARTOZERO_${name}_LIBRARY ${name} PATHS ${QUARTOZERO_TORCH_DIR}/lib NO_DEFAULT_PATH)
    if(QUARTOZERO_${name}_LIBRARY)
      list(APPEND libraries ${QUARTOZERO_${name}_LIBRARY})
    endif()
  endforeach()
  # Some compilers drop libraries that no symbol is needed from; CUDA's registers itself by being loaded.
  target_link_libraries(quartozero_torch INTERFACE -Wl,--no-as-needed ${libraries} -Wl,--as-needed)
  target_link_options(quartozero_torch INTERFACE -Wl,-rpath,${QUARTOZERO_TORCH_DIR}/lib)
  if(QUARTOZERO_torch_cuda_LIBRARY)
    set(torch_has_cuda ON)
  endif()
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
  find_package(CUDAToolkit)
  if(TARGET CUDA::cudart)
    set(QUARTOZERO_CUDA ON)
    target_link_libraries(quartozero_torch INTERFACE CUDA::cudart)
  else()
    message(WARNING "LibTorch has CUDA, but CUDA's runtime library was not found: batches will not overlap on the GPU")
  endif()
endif()
message(STATUS "Asynchronous evaluation on a GPU: ${QUARTOZERO_CUDA}")

# The owner of the precompiled header; everything that reuses it must be compiled with the same flags.
add_library(quartozero_torch_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/torch_pch.cpp)
quartozero_options(quartozero_torch_pch)
target_link_libraries(quartozero_torch_pch PRIVATE quartozero_torch)
target_precompile_headers(quartozero_torch_pch PRIVATE <torch/torch.h>)
