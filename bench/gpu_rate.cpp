#include "bench/gpu_rate.h"

#include <barrier>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "base/clock.h"

namespace quarto::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Flight {
  std::unique_ptr<EvaluationBatch> batch;
  std::vector<Evaluation> out;
};

}  // namespace

double positions_per_second_on_gpu(Evaluator& evaluator, std::span<const Position> positions, std::size_t in_flight,
                                   std::size_t threads, double seconds) {
  std::barrier<> everyone(static_cast<std::ptrdiff_t>(threads));
  // A thread's rate, between two instants at which all threads compute.
  const auto measured = [&] {
    evaluator.begin_thread();
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
    everyone.arrive_and_wait();
    const auto start = Clock::now();
    std::size_t rounds = 0;
    while (rounds < 5 || seconds_since(start) < seconds) {
      round();
      ++rounds;
    }
    const double spent = seconds_since(start);
    everyone.arrive_and_wait();
    for (Flight& f : flights) f.batch->compute();
    return static_cast<double>(rounds * positions.size() * in_flight) / spent;
  };
  const auto work = [&] {
    try {
      return measured();
    } catch (...) {
      everyone.arrive_and_drop();  // the others do not wait for this one
      throw;
    }
  };
  std::vector<std::future<double>> rates;
  for (std::size_t i = 0; i < threads; ++i) rates.push_back(std::async(std::launch::async, work));
  double sum = 0;
  for (auto& rate : rates) sum += rate.get();
  return sum;
}

}  // namespace quarto::bench
