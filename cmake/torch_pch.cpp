// Owns the precompiled <torch/torch.h>; see torch.cmake.
