// In the place of libnvrtc-builtins: fake_cuda.cpp only looks whether it is there.
extern "C" int fake_builtins() { return 0; }
