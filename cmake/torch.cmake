# LibTorch, from Debian (1.13, CPU) or from wherever CMAKE_PREFIX_PATH points (current releases, with CUDA). Wrapped in
# one interface target so that its flags reach only what includes it.
find_package(Torch REQUIRED)
add_library(quarto_torch INTERFACE)
target_include_directories(quarto_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(quarto_torch INTERFACE ${TORCH_LIBRARIES})
separate_arguments(quarto_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(quarto_torch INTERFACE ${quarto_torch_flags})
message(STATUS "LibTorch ${Torch_VERSION}, CUDA ${TORCH_CUDA_LIBRARIES}")

# The owner of the precompiled header; everything that reuses it must be compiled with the same flags.
add_library(quarto_torch_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/torch_pch.cpp)
quarto_options(quarto_torch_pch)
target_link_libraries(quarto_torch_pch PRIVATE quarto_torch)
target_precompile_headers(quarto_torch_pch PRIVATE <torch/torch.h>)
