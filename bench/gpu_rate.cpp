#include "bench/gpu_rate.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <numeric>
#include <vector>

namespace quarto::bench {
namespace {

using Clock = std::chrono::steady_clock;

// One thread's median of rounds.
double rate_of_thread(Evaluator& evaluator, std::span<const Position> positions, std::size_t in_flight,
                      double seconds) {
  struct Flight {
    std::unique_ptr<EvaluationBatch> batch;
    std::vector<Evaluation> out;
  };
  std::vector<Flight> flights(in_flight);
  for (Flight& f : flights) f = {evaluator.new_batch(), std::vector<Evaluation>(positions.size())};
  const auto round = [&] {
    for (Flight& f : flights) {
      f.batch->compute();
      for (std::size_t i = 0; i < positions.size(); ++i) f.batch->add(positions[i], f.out[i]);
      f.batch->submit();
    }
  };
  for (int i = 0; i < 5; ++i) round();
  std::vector<double> times;
  for (double spent = 0; spent < seconds || times.size() < 5; spent += times.back()) {
    const auto start = Clock::now();
    round();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  for (Flight& f : flights) f.batch->compute();
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return static_cast<double>(positions.size() * in_flight) / times[times.size() / 2];
}

}  // namespace

double positions_per_second_on_gpu(Evaluator& evaluator, std::span<const Position> positions, std::size_t in_flight,
                                   std::size_t threads, double seconds) {
  if (threads <= 1) return rate_of_thread(evaluator, positions, in_flight, seconds);
  std::vector<std::future<double>> rates;
  for (std::size_t i = 0; i < threads; ++i) {
    rates.push_back(
        std::async(std::launch::async, [&] { return rate_of_thread(evaluator, positions, in_flight, seconds); }));
  }
  double sum = 0;
  for (auto& rate : rates) sum += rate.get();
  return sum;
}

}  // namespace quarto::bench
