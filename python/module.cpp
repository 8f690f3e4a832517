// The compiled module quartozero._quartozero. People import the package `quartozero`, which takes everything from here.
#include <pybind11/stl/filesystem.h>

#include <exception>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/shipped.h"
#include "data/label_file.h"
#include "data/suite.h"
#include "env/notation.h"
#include "light/network_file.h"
#include "python/bind.h"

namespace {

namespace py = pybind11;

PyObject* network_file_error = nullptr;

// Python's errors with our messages. What is not named here is a std::invalid_argument, hence ValueError, already.
void bind_errors(py::module_& m) {
  const py::object type = py::module_::import("quartozero._types").attr("NetworkFileError");
  m.attr("NetworkFileError") = type;
  network_file_error = type.inc_ref().ptr();  // never given back: the interpreter may be gone before us

  const auto translate = [](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const quarto::light::NetworkFileError& e) {
      PyErr_SetString(network_file_error, e.what());
    } catch (const quarto::FileError& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    } catch (const quarto::NotationError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const quarto::LabelError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const quarto::SuiteError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const quarto::BookError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const quarto::SolverError& e) {
      PyErr_SetString(PyExc_MemoryError, e.what());  // options were checked before: it is the table
    }
  };
  py::register_local_exception_translator(translate);
}

}  // namespace

PYBIND11_MODULE(_quartozero, m) {
  m.doc() = "Compiled part of the package quartozero.";
  m.attr("__version__") = QUARTOZERO_VERSION;
  bind_errors(m);
  // The executable, around which shipped files are looked for otherwise, is Python's.
  quarto::look_for_shipped_in(py::module_::import("quartozero._data").attr("ROOT").cast<std::filesystem::path>());
  quarto::python::bind_results(m);
  quarto::python::bind_position(m);
  quarto::python::bind_arrays(m);
  quarto::python::bind_batch(m);
  quarto::python::bind_solver(m);
  quarto::python::bind_player(m);
  quarto::python::bind_evaluator(m);
  quarto::python::bind_search(m);
  quarto::python::bind_measure(m);
  quarto::python::bind_players(m);
  quarto::python::bind_streams(m);
  quarto::python::bind_suite(m);
}
