// quartozero doctor: versions, devices and libraries, what is missing, and how to install it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/commands.h"
#include "app/forecast.h"
#include "app/onnx_check_script.h"
#include "app/torch_library.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/random.h"
#include "cli/finite_range.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "gpu/evaluator.h"
#include "gpu/program.h"
#include "light/evaluator.h"
#include "light/floats.h"
#include "model/onnx_export.h"
#include "model/runtime.h"
#include "solver/book.h"
#include "solver/prover.h"
#include "train/learner.h"

namespace quarto::app {
namespace {

class Report {
 public:
  void fine(const std::string& what, const std::string& found) { line("ok", what, found); }
  void note(const std::string& what, const std::string& found) { line("note", what, found); }
  void missing(const std::string& what, const std::string& found) {
    line("MISSING", what, found);
    ++missing_;
  }
  int missing_count() const { return missing_; }

 private:
  static void line(const char* mark, const std::string& what, const std::string& found) {
    fmt::print("{:<8} {:<14} {}\n", mark, what, found);
  }
  int missing_ = 0;
};

// The first value of "key : value" in a file of such lines, or "".
std::string find_in(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find_first_not_of(" \t", line.find(':') + 1);
    if (at != std::string::npos) return line.substr(at);
  }
  return "";
}

void report_machine(Report& report) {
  const std::string model = find_in("/proc/cpuinfo", "model name");
  report.fine("processor", fmt::format("{}, {} cores usable of {}", model.empty() ? "unknown" : model, usable_cores(),
                                       std::thread::hardware_concurrency()));
  const auto gib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0); };
  const auto memory = system_memory();
  if (!memory) {
    report.note("memory", "unknown: the system does not say");
    return;
  }
  const std::string found = fmt::format("{:.1f} GiB, {:.1f} available", gib(memory->total), gib(memory->available));
  if (gib(memory->available) < 2) {
    report.note("memory", found + ": little for training; close other programs or lower the replay size");
  } else {
    report.fine("memory", found);
  }
}

void report_books(Report& report) {
  for (const Rules rules : kAllRules) {
    const std::string what = fmt::format("opening book, {}", to_string(rules));
    try {
      if (const auto book = Book::shipped(rules)) {
        report.fine(what, fmt::format("every position of the first {} gives and places", book->last_ply()));
      } else {
        report.note(what, fmt::format("none: early positions are searched; `quartozero book build --rules {}`",
                                      to_string(rules)));
      }
    } catch (const std::exception& e) {
      report.note(what, e.what());
    }
  }
}

// The learner compares its kernel's gradient with the processor's when it is made.
void report_gpu_gradient(Report& report, int device) {
  RunConfig run;
  run.network.kind = NetworkKind::pairs;
  run.device = run.learner.device = fmt::format("cuda:{}", device);
  try {
    static_cast<void>(make_learner(run));
    report.fine("GPU gradient", "equal to the processor's");
  } catch (const std::exception& e) {
    report.missing("GPU gradient", e.what());
  }
}

void report_gpu_proofs(Report& report, gpu::PairsOnGpu& kernels, const std::vector<Position>& positions) {
  constexpr std::uint64_t kNodes = 300;
  std::vector<ValueBounds> found(positions.size());
  try {
    const auto batch = kernels.new_proofs();
    for (std::size_t i = 0; i < positions.size(); ++i) batch->add(positions[i], kNodes, {}, found[i]);
    batch->submit();
    batch->compute();
  } catch (const std::exception& e) {
    report.note("GPU proofs", fmt::format("{}; leave selfplay.device_proofs off", e.what()));
    return;
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) wrong += found[i] != solver_prover().bounds(positions[i], kNodes);
  if (wrong == 0)
    report.fine("GPU proofs", fmt::format("{} answers equal to the processor's", positions.size()));
  else
    report.note("GPU proofs",
                fmt::format("{} of {} answers are wrong: leave selfplay.device_proofs off, and report this", wrong,
                            positions.size()));
}

// Compiles our kernels for the device and compares what they compute with the processor's, for the widest network.
void report_gpu_kernels(Report& report, int device) {
  light::PairsShape shape{16, 3, light::kHeadWidth};
  light::Floats weights;
  std::unique_ptr<gpu::PairsOnGpu> kernels;
  const auto start = std::chrono::steady_clock::now();
  try {
    shape.width = std::max(shape.width, gpu::widest_network(*gpu::Device::open(device), Rules::lines));
    weights.resize(static_cast<std::size_t>(light::PairsLayout(shape).size));
    Rng rng(1);
    for (float& w : weights) w = 0.4F / std::sqrt(static_cast<float>(shape.width)) * static_cast<float>(rng.normal());
    kernels = std::make_unique<gpu::PairsOnGpu>(shape, weights, Rules::lines, device);
  } catch (const gpu::CudaError& e) {
    report.note("GPU kernels",
                fmt::format("none; device=cuda is an error, with auto the processor computes: {}", e.what()));
    return;
  }
  const double seconds = seconds_since(start);
  const std::string wrong = "; set QUARTOZERO_GPU_KERNELS=0, and report this";
  try {
    PairsEvaluator processor(light::PairsKernel::make(shape, weights));
    const std::vector<Position> positions = unfinished_positions(500, Rules::lines, 1);
    std::vector<Evaluation> found(positions.size()), wanted(positions.size());
    evaluate(*kernels, positions, found);
    evaluate(processor, positions, wanted);
    float most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t m = 0; m < kMoves; ++m) most = std::max(most, std::abs(found[i].prior[m] - wanted[i].prior[m]));
      most = std::max({most, std::abs(found[i].win - wanted[i].win), std::abs(found[i].loss - wanted[i].loss)});
    }
    const std::string text = fmt::format(
        "on {}, compiled in {:.1f} s, for networks of up to width {}; probabilities differ from the processor's by "
        "{:.0e}",
        kernels->device_name(), seconds, shape.width, most);
    if (most < 1e-3F)
      report.fine("GPU kernels", text);
    else
      report.missing("GPU kernels", text + ": they are wrong" + wrong);
    report_gpu_proofs(report, *kernels, positions);
    if (gpu::kernels_wanted()) report_gpu_gradient(report, device);
  } catch (const std::exception& e) {
    report.missing("GPU kernels", fmt::format("they fail on {}: {}{}", kernels->device_name(), e.what(), wrong));
  }
}

// Without a GPU: whether CUDA's compiler is found and takes our kernels.
void report_compiler(Report& report) {
  const auto start = std::chrono::steady_clock::now();
  try {
    static_cast<void>(gpu::compile_kernels(16, Rules::lines, "sm_90"));
    report.note("GPU kernels",
                fmt::format("compiled for sm_90 in {:.1f} s, and not run: there is no GPU", seconds_since(start)));
  } catch (const gpu::CudaError& e) {
    report.note("GPU kernels", e.what());
  }
}

void report_torch(Report& report) {
  const TorchInfo torch = torch_info();
  report.fine("LibTorch", fmt::format("{}, vector code {}, oneDNN {}", torch.version, torch.simd,
                                      torch.onednn ? "yes" : "no (convolutions will be slow)"));
  if (!torch.cuda_devices.empty()) {
    for (const std::string& device : torch.cuda_devices) {
      report.fine("CUDA", device + (torch.gpu_batches ? ", batches overlap" : ", one batch at a time"));
    }
    for (std::size_t i = 0; i < torch.cuda_devices.size(); ++i) report_gpu_kernels(report, static_cast<int>(i));
  } else if (torch.cuda_built) {
    const std::string& why = torch.no_cuda_device;
    report.note("CUDA",
                fmt::format("LibTorch has it, but no device was found{}{} (is the driver installed? try nvidia-smi)",
                            why.empty() ? "" : ": ", why));
    report_compiler(report);
  } else {
    report.note(
        "CUDA",
        "none: this LibTorch was built without it; for a GPU, build against a release with CUDA (see docs/gpu.md)");
  }
  const char* openmp = std::getenv("OMP_NUM_THREADS");
  const std::string threads = fmt::format("OpenMP {}, OMP_NUM_THREADS {}; workers use one thread each",
                                          torch.openmp ? "yes" : "no", openmp == nullptr ? "not set" : openmp);
  report.fine("threads", threads);
}

void report_blas(Report& report) {
  const BlasInfo blas = blas_info();
  const std::string found = fmt::format("{} ({:.0f} GFLOP/s, one thread)",
                                        blas.library.empty() ? "inside LibTorch" : blas.library, blas.gflops);
  if (blas.optimised) {
    report.fine("BLAS", found);
  } else {
    report.missing("BLAS", found + ": not an optimised one, networks run up to 60 times slower.\n" +
                               std::string(24, ' ') + "Debian: apt-get install libopenblas0-openmp");
  }
}

void report_onnx(Report& report) {
  if (!onnx_available()) {
    report.note("ONNX export", "not in this build; configure with -DQUARTOZERO_ONNX=ON (needs libonnx-dev)");
    return;
  }
  const std::string missing = missing_for_onnx_check(onnx_check_script());
  if (missing.empty()) {
    report.fine("ONNX export", "with ONNX Runtime to check the files");
  } else {
    report.note("ONNX export", "files cannot be checked (optional): " + missing);
  }
}

void run_doctor() {
  Report report;
  report.fine("quartozero", QUARTOZERO_VERSION);
  report.fine("compiler", fmt::format("{}, C++{}, {} ABI", __VERSION__, __cplusplus / 100 % 100,
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
                                      "old C++"
#else
                                      "C++11"
#endif
                                      ));
  report_machine(report);
  report_books(report);
  try {
    report_torch(report);
    report_blas(report);
    report_onnx(report);
  } catch (const TorchLibraryError& e) {
    report.missing("LibTorch", e.what());
  }
  if (report.missing_count() > 0) throw Failed(fmt::format("{} thing(s) needed are missing", report.missing_count()));
  fmt::print("everything needed is there\n");
}

}  // namespace

void add_doctor(CLI::App& app) {
  struct DoctorOptions {
    std::string forecast;
    double seconds = 20;
  };
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand("doctor", "show versions, devices and libraries, and what is missing");
  CLI::Option* forecast =
      command
          ->add_option("--forecast", options->forecast,
                       "also play and learn as a run of this configuration does, and say how many games an hour this\n"
                       "machine plays and when a run here knows what an earlier one knew (CONFIG's .curve.tsv)")
          ->type_name("CONFIG");
  command
      ->add_option("--seconds", options->seconds,
                   "time to measure for the forecast; below 20 iterations are short too, and batches less full")
      ->check(FiniteRange(1.0, 3600.0))
      ->needs(forecast)
      ->capture_default_str();
  command->footer(
      "Exit status 0 if everything needed is there, 1 if not.\n"
      "\n"
      "Examples:\n"
      "  quartozero doctor\n"
      "  quartozero doctor --forecast configs/cpu.yaml");
  add_idle_seed(*command);
  command->callback([options] {
    run_doctor();
    if (!options->forecast.empty()) print_forecast(options->forecast, options->seconds);
  });
}

}  // namespace quarto::app
