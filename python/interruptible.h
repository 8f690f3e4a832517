// Long computations that Ctrl-C ends.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <future>

namespace quarto::python {

// Runs work(stop) on a thread of its own, without the interpreter's lock, and meanwhile looks for signals here: Python
// handles them on its main thread only, between two instructions of Python, so a call that does not return would never
// see any. When one raises (Ctrl-C does), sets `stop`, waits for the work to end, and lets the error through. Costs
// some 15 microseconds: what takes less should just release the lock.
template <class Work>
auto interruptible(const Work& work) {
  namespace py = pybind11;
  constexpr std::chrono::milliseconds kLookEvery{50};
  std::atomic<bool> stop = false;
  auto result = std::async(std::launch::async, [&] { return work(stop); });
  while (true) {
    {
      const py::gil_scoped_release others_may_run;
      if (result.wait_for(kLookEvery) == std::future_status::ready) break;
    }
    if (PyErr_CheckSignals() != 0) {
      const py::error_already_set raised;
      stop = true;
      {
        const py::gil_scoped_release others_may_run;
        result.wait();
      }
      throw raised;
    }
  }
  return result.get();
}

}  // namespace quarto::python
