# LibTorch, from Debian (1.13, CPU) or from wherever CMAKE_PREFIX_PATH points (current releases, with CUDA). Wrapped in
# one interface target so that its flags reach only what includes it.
#
# QUARTO_TORCH_DIR is another way in, for an installation whose own CMake files do not work where it stands (they look
# for the whole CUDA toolkit, and for its compiler): the folder with include/ and lib/ in it, e.g. site-packages/torch.
set(QUARTO_TORCH_DIR "" CACHE PATH "LibTorch's folder, used without its CMake files")
add_library(quarto_torch INTERFACE)
if(QUARTO_TORCH_DIR)
  set(include ${QUARTO_TORCH_DIR}/include)
  target_include_directories(quarto_torch SYSTEM INTERFACE ${include} ${include}/torch/csrc/api/include)
  foreach(name torch torch_cpu c10 torch_cuda c10_cuda)
    find_library(QUARTO_${name}_LIBRARY ${name} PATHS ${QUARTO_TORCH_DIR}/lib NO_DEFAULT_PATH)
    if(QUARTO_${name}_LIBRARY)
      list(APPEND libraries ${QUARTO_${name}_LIBRARY})
    endif()
  endforeach()
  # Some compilers drop libraries that no symbol is needed from; CUDA's registers itself by being loaded.
  target_link_libraries(quarto_torch INTERFACE -Wl,--no-as-needed ${libraries} -Wl,--as-needed)
  target_link_options(quarto_torch INTERFACE -Wl,-rpath,${QUARTO_TORCH_DIR}/lib)
  if(QUARTO_torch_cuda_LIBRARY)
    set(torch_has_cuda ON)
  endif()
  message(STATUS "LibTorch in ${QUARTO_TORCH_DIR}")
else()
  find_package(Torch REQUIRED)
  target_include_directories(quarto_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(quarto_torch INTERFACE ${TORCH_LIBRARIES})
  separate_arguments(quarto_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(quarto_torch INTERFACE ${quarto_torch_flags})
  if(TARGET torch_cuda)
    set(torch_has_cuda ON)
  endif()
  message(STATUS "LibTorch ${Torch_VERSION}, CUDA ${TORCH_CUDA_LIBRARIES}")
endif()

# Streams, events and page-locked copies are asked of CUDA's runtime directly. Without its headers a LibTorch with CUDA
# still works, one batch at a time.
option(QUARTO_GPU_BATCHES "Let batches overlap on a GPU, if LibTorch has CUDA" ON)
set(QUARTO_CUDA OFF)
if(torch_has_cuda AND QUARTO_GPU_BATCHES)
  find_package(CUDAToolkit)
  if(TARGET CUDA::cudart)
    set(QUARTO_CUDA ON)
    target_link_libraries(quarto_torch INTERFACE CUDA::cudart)
  else()
    message(WARNING "LibTorch has CUDA, but CUDA's runtime library was not found: batches will not overlap on the GPU")
  endif()
endif()
message(STATUS "Asynchronous evaluation on a GPU: ${QUARTO_CUDA}")

# The owner of the precompiled header; everything that reuses it must be compiled with the same flags.
add_library(quarto_torch_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/torch_pch.cpp)
quarto_options(quarto_torch_pch)
target_link_libraries(quarto_torch_pch PRIVATE quarto_torch)
target_precompile_headers(quarto_torch_pch PRIVATE <torch/torch.h>)
