// quartozero.labels(), selfplay(), read_samples(), augment(): what networks of the caller's learn from.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/assign.h"
#include "base/random.h"
#include "data/label_stream.h"
#ifdef QUARTOZERO_REPLAY
#include "data/replay.h"
#endif
#include "data/suites.h"
#include "env/canonical.h"
#include "env/encoding.h"
#include "env/notation.h"
#include "env/symmetry.h"
#include "python/arrays.h"
#include "python/bind.h"
#include "python/evaluator.h"
#include "python/interruptible.h"
#include "python/results.h"
#include "selfplay/games.h"
#include "selfplay/piece_weights.h"
#include "selfplay/playing_evaluator.h"
#include "solver/prover.h"

namespace quarto::python {
namespace {

constexpr py::ssize_t kMostInBatch = 1'000'000;
constexpr int kMostGamesSideBySide = 4096;

void require_batch(py::ssize_t batch, const char* name) {
  if (batch < 1 || batch > kMostInBatch)
    throw py::value_error(std::string(name) + " must be from 1 to " + std::to_string(kMostInBatch));
}

// Labels.

class PythonLabels {
 public:
  PythonLabels(LabelStream::Options options, std::size_t batch, const SolverOptions& solver)
      : rules_(to_string(options.rules)), stream_(std::move(options)), batch_(batch), solver_(solver) {}

  py::object next() {
    const std::vector<SuiteEntry> labels = interruptible([&](const std::atomic<bool>& stop) {
      const std::lock_guard alone(mutex_);
      SolveLimits limits;
      limits.stop = &stop;
      return stream_.next(batch_, solver_, limits);
    });
    const auto rows = static_cast<py::ssize_t>(labels.size());
    std::vector<Position> positions;
    auto values = new_array<std::int8_t>({rows});
    auto moves = new_array<float>({rows, kMoves});
    float* move = moves.mutable_data();
    for (py::ssize_t i = 0; i < rows; ++i) {
      const SuiteEntry& label = labels[static_cast<std::size_t>(i)];
      positions.push_back(label.position);
      values.mutable_data()[i] = static_cast<std::int8_t>(label.value);
      move = std::transform(label.moves.begin(), label.moves.end(), move, [](std::optional<Value> value) {
        return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN();
      });
    }
    return result_type("Labels")(to_array(positions), values, moves, rules_);
  }

 private:
  std::string rules_;
  std::mutex mutex_;
  LabelStream stream_;
  std::size_t batch_;
  Solver solver_;
};

std::unique_ptr<PythonLabels> make_labels(std::pair<int, int> pieces, const std::string& keep, std::uint64_t seed,
                                          int threads, py::ssize_t batch,
                                          const std::vector<std::filesystem::path>& exclude,
                                          const std::string& sampling, const std::string& rules, double table_mb) {
  LabelStream::Options options;
  options.rules = parse_rules(rules);
  const auto [least, most] = pieces;
  if (least < 0 || least > most || most >= kPieces)
    throw py::value_error("pieces must be two numbers from 0 to 15, the smaller one first");
  const std::vector<Phase> phases{Phase::place, Phase::give};
  options.strata = strata_of(phases, least, most);
  options.keep = value_named<Keep>(keep).value();  // from _streams.py
  const auto named = value_named<Sampling>(sampling);
  if (!named) throw py::value_error("sampling must be 'careful', 'quiet' or 'any', not '" + sampling + "'");
  options.sampling = *named;
  options.seed = seed;
  options.threads = threads;
  for (const auto& path : exclude) {
    const Suite suite = read_suite(path, options.rules);
    require_values(suite, path.string(), options.rules);
    for (const SuiteEntry& entry : suite.entries) options.excluded.insert(canonical_key(entry.position));
  }
  require_threads(threads);
  require_batch(batch, "batch");
  require_numpy();
  SolverOptions solver;
  solver.threads = threads;
  solver.table_bytes = table_bytes_of(table_mb);
  solver.books = books_of(py::bool_(true));
  return std::make_unique<PythonLabels>(std::move(options), static_cast<std::size_t>(batch), solver);
}

// Samples.

// A position that teaches the policy several times is one row: its copies follow it (data/sample.h).
py::object samples_object(const std::vector<Sample>& samples, Rules rules) {
  struct Row {
    const Sample* sample;
    float weight;
  };
  std::vector<Row> rows;
  for (const Sample& s : samples) {
    if (s.skip & Sample::kSkipOutcome && !rows.empty()) {
      rows.back().weight += 1;
    } else {
      rows.push_back({&s, s.skip & Sample::kSkipPolicy ? 0.0F : 1.0F});
    }
  }
  const auto n = static_cast<py::ssize_t>(rows.size());
  std::vector<Position> positions;
  auto policy = new_array<float>({n, kMoves});
  auto weights = new_array<float>({n});
  auto outcomes = new_array<std::int8_t>({n});
  auto values = new_array<float>({n});
  for (py::ssize_t i = 0; i < n; ++i) {
    const auto& [sample, weight] = rows[static_cast<std::size_t>(i)];
    positions.push_back(sample->position());
    const auto shares = sample->policy_shares();
    std::copy(shares.begin(), shares.end(), policy.mutable_data() + i * kMoves);
    weights.mutable_data()[i] = weight;
    outcomes.mutable_data()[i] = sample->outcome;
    values.mutable_data()[i] = sample->search_value();
  }
  return result_type("Samples")(to_array(positions), policy, weights, outcomes, values, to_string(rules));
}

// Passes on to an evaluator that another owns.
class Borrowed final : public Evaluator {
 public:
  explicit Borrowed(Evaluator& evaluator) : evaluator_(evaluator) {}
  std::unique_ptr<EvaluationBatch> new_batch() override { return evaluator_.new_batch(); }
  EvaluatorTraits traits() const override { return evaluator_.traits(); }
  std::string computed_by() const override { return evaluator_.computed_by(); }

 private:
  Evaluator& evaluator_;
};

// Games side by side on the caller's thread. Between two calls the network may be another, or have other weights, so what
// is known of positions is kept within one call.
class SelfPlayStream {
 public:
  SelfPlayStream(py::object evaluate, SelfPlaySettings settings, std::optional<std::uint64_t> games, std::size_t batch)
      : given_(evaluator_of(evaluate)),
        evaluate_(std::move(evaluate)),
        settings_(with_rules(std::move(settings), given_.rules)),
        games_(games),
        batch_(batch),
        worker_(
            settings_,
            [this]() -> std::optional<std::uint64_t> {
              // Where the cache answers everything, a step would not end by itself.
              if (ended_ >= enough_ || (games_ && next_ >= *games_)) return std::nullopt;
              return next_++;
            },
            [this](const GameRecord& game) {
              ++ended_;
              samples_.insert(samples_.end(), game.samples.begin(), game.samples.end());
            }) {}
  SelfPlayStream(const SelfPlayStream&) = delete;
  SelfPlayStream& operator=(const SelfPlayStream&) = delete;

  py::object next() {
    if (busy_) throw std::runtime_error("selfplay: this stream is in use, by another thread or by evaluate() itself");
    if (broken_) throw std::runtime_error("selfplay: an error ended this stream; begin another");
    if (games_ && ended_ == *games_) throw py::stop_iteration();
    PlayingEvaluator playing(std::make_unique<Borrowed>(*given_.evaluator), settings_.play, 1,
                             playing_seed(settings_.seed, exchanged_));
    ProvingEvaluator proving(playing, solver_prover());
    busy_ = broken_ = true;
    struct NotBusy {
      bool& busy;
      ~NotBusy() { busy = false; }
    } when_done{busy_};
    {
      const py::gil_scoped_release others_may_run;
      const auto batch = proving.new_batch();
      enough_ = ended_ + batch_;
      while (ended_ < enough_ && worker_.gather(*batch)) {
        worker_.scatter(*batch);
        const py::gil_scoped_acquire lock;
        played_ = ended_;
        counts_ = worker_.counts();
        if (PyErr_CheckSignals() == 0) continue;
        broken_ = false;  // no question is open here
        throw py::error_already_set();
      }
    }
    broken_ = false;
    played_ = ended_;
    counts_ = worker_.counts();
    return samples_object(std::exchange(samples_, {}), settings_.rules);
  }

  py::object network() const { return evaluate_; }
  void set_network(py::object evaluate) {
    if (busy_) throw std::runtime_error("selfplay: the network can be exchanged between two batches only");
    GivenEvaluator given = evaluator_of(evaluate);
    if (given.rules != given_.rules)
      throw py::value_error("the network is for the rules '" + to_string(given.rules) + "', the games are not");
    given_ = std::move(given);
    evaluate_ = std::move(evaluate);
    ++exchanged_;
  }
  std::uint64_t games() const { return played_; }
  std::uint64_t simulations() const { return counts_.simulations; }
  std::uint64_t evaluations() const { return counts_.evaluations; }

 private:
  static SelfPlaySettings with_rules(SelfPlaySettings settings, Rules rules) {
    settings.rules = rules;
    return settings;
  }

  GivenEvaluator given_;
  py::object evaluate_;
  SelfPlaySettings settings_;
  std::optional<std::uint64_t> games_;
  std::size_t batch_;
  std::uint64_t next_ = 0, ended_ = 0, enough_ = 0, exchanged_ = 0;
  bool busy_ = false, broken_ = false;
  std::vector<Sample> samples_;
  // As they were when the interpreter's lock was held last: other threads may read them.
  std::uint64_t played_ = 0;
  SelfPlayCounts counts_;
  SelfPlayWorker worker_;
};

std::unique_ptr<SelfPlayStream> make_selfplay(py::object evaluate, std::optional<std::uint64_t> games, int simulations,
                                              std::uint64_t seed, int side_by_side, py::ssize_t batch,
                                              const Settings& given) {
  SelfPlaySettings settings;
  settings.search = self_play_search();
  settings.seed = seed;
  settings.aids.prover = &solver_prover();
  settings.play.games_in_flight = side_by_side;
  const auto visit = [&](FieldVisitor& v) {
    v.section("search", "", [&] { settings.search.visit(v); });
    v.section("selfplay", "", [&] { settings.play.visit(v); });
  };
  set_fields({{"selfplay.simulations", py::int_(simulations)}}, visit);  // checks it
  for (const char* key : {"selfplay.simulations", "selfplay.games_in_flight", "selfplay.threads",
                          "selfplay.batches_in_flight", "selfplay.precision"}) {
    if (given.contains(key)) {
      throw py::value_error(std::string("settings: ") + key +
                            " is no setting here: selfplay() has simulations= and side_by_side=, and one thread");
    }
  }
  set_fields(given, visit);
  try {
    (void)PieceWeights::parse(settings.play.random_start_weights, "selfplay.random_start_weights");
    (void)PieceWeights::parse(settings.play.surprise_weights, "selfplay.surprise_weights");
  } catch (const ConfigError& e) {
    throw py::value_error(e.what());
  }
  require_no_oracle(settings.search);
  if (side_by_side < 1 || side_by_side > kMostGamesSideBySide)
    throw py::value_error("side_by_side must be from 1 to " + std::to_string(kMostGamesSideBySide));
  require_batch(batch, "batch_games");
  require_numpy();
  return std::make_unique<SelfPlayStream>(std::move(evaluate), std::move(settings), games,
                                          static_cast<std::size_t>(batch));
}

py::object read_samples(const std::filesystem::path& path) {
#ifdef QUARTOZERO_REPLAY
  try {
    const Shard shard = read_shard(path);
    return samples_object(shard.samples, shard.samples.empty() ? Rules::lines : shard.samples[0].position().rules());
  } catch (const ReplayError& e) {
    throw py::value_error(e.what());
  }
#else
  throw std::runtime_error(path.string() +
                           ": this build of the module has no zstd, which such files need: install "
                           "libzstd-dev, and build it again");
#endif
}

// Images.

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

py::tuple augment(const Floats& planes, const Floats& policy, std::uint64_t seed, const std::string& rules) {
  const Rules parsed = parse_rules(rules);
  if (planes.ndim() != 4 || planes.shape(1) != kPlanes || planes.shape(2) != kSide || planes.shape(3) != kSide)
    throw py::value_error("planes must have the shape (N, 34, 4, 4)");
  const py::ssize_t rows = planes.shape(0);
  if (policy.ndim() != 2 || policy.shape(0) != rows || (policy.shape(1) != kMoves && policy.shape(1) != kActions))
    throw py::value_error("the policy must have the shape (N, 16), by move of the phase, or (N, 32), by action");
  const py::ssize_t width = policy.shape(1);
  auto images = new_array<float>({rows, kPlanes, kSide, kSide});
  auto policies = new_array<float>({rows, width});
  const float *from = planes.data(), *shares = policy.data();
  float *to = images.mutable_data(), *moved = policies.mutable_data();
  const py::gil_scoped_release others_may_run;
  Rng rng(seed);
  for (py::ssize_t row = 0; row < rows; ++row) {
    const Symmetry g = symmetry(static_cast<int>(rng.below(static_cast<std::uint64_t>(symmetry_count(parsed)))));
    Input input;
    std::copy_n(from, kInputSize, input.begin());
    const Input image = apply(g, input, parsed);
    to = std::copy(image.begin(), image.end(), to);
    const bool placing = from[Planes::kPlacing * kSquares] > 0;
    from += kInputSize;
    for (py::ssize_t half = 0; half < width / kMoves; ++half) {
      const Phase phase =
          width == kActions ? (half == 0 ? Phase::place : Phase::give) : (placing ? Phase::place : Phase::give);
      PolicyHead head;
      std::copy_n(shares, kMoves, head.begin());
      const PolicyHead of_image = apply(g, head, phase, parsed);
      shares += kMoves;
      moved = std::copy(of_image.begin(), of_image.end(), moved);
    }
  }
  const py::gil_scoped_acquire lock;
  return py::make_tuple(images, policies);
}

py::tuple symmetries(const std::string& rules) {
  const Rules parsed = parse_rules(rules);
  const auto boards = board_symmetries(parsed);
  const auto orders = piece_symmetries();
  auto squares = new_array<std::int8_t>({static_cast<py::ssize_t>(boards.size()), kSquares});
  auto pieces = new_array<std::int8_t>({static_cast<py::ssize_t>(orders.size()), kPieces});
  std::int8_t* cell = squares.mutable_data();
  for (const BoardSymmetry& g : boards) cell = std::copy(g.to.begin(), g.to.end(), cell);
  cell = pieces.mutable_data();
  for (const PieceSymmetry& g : orders) {
    for (int p = 0; p < kPieces; ++p) *cell++ = static_cast<std::int8_t>(g.apply(piece(p)));
  }
  return py::make_tuple(squares, pieces);
}

}  // namespace

void bind_streams(py::module_& m) {
  py::class_<PythonLabels> labels(m, "LabelStream", "Labels without an end, see labels().");
  in_package(labels)
      .def(py::init(&make_labels), py::arg("pieces"), py::arg("keep"), py::arg("seed"), py::arg("threads"),
           py::arg("batch"), py::arg("exclude"), py::arg("sampling"), py::arg("rules"), py::arg("table_mb"))
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &PythonLabels::next);
  py::class_<SelfPlayStream> games(
      m, "SelfPlay",
      "Games of self-play, see selfplay(). network: who plays; another one may be given between two batches, also to\n"
      "games that have begun. games, simulations, evaluations: how many so far.");
  in_package(games)
      .def(py::init(&make_selfplay), py::arg("evaluate"), py::arg("games"), py::arg("simulations"), py::arg("seed"),
           py::arg("side_by_side"), py::arg("batch_games"), py::arg("settings"))
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &SelfPlayStream::next)
      .def_property("network", &SelfPlayStream::network, &SelfPlayStream::set_network)
      .def_property_readonly("games", &SelfPlayStream::games)
      .def_property_readonly("simulations", &SelfPlayStream::simulations)
      .def_property_readonly("evaluations", &SelfPlayStream::evaluations);
  m.def("read_samples", &read_samples, py::arg("path"),
        "The samples of an iteration of a run, a file replay/*.qrs: Samples, as selfplay() gives them.");
  m.def(
      "augment", &augment, py::arg("planes"), py::arg("policy"), py::arg("seed") = 0, py::arg("rules") = "lines",
      "A random one of the images of each position, planes float32 [N, 34, 4, 4], with its policy, float32 [N, 16] by\n"
      "index of the move or [N, 32] by action: the same two arrays of the images.");
  m.def(
      "symmetries", &symmetries, py::arg("rules") = "lines",
      "(squares, pieces): int8 [32, 16] and [384, 16]; of the rules \"squares\" [8, 16]. The image of a position under\n"
      "(i, j) has the piece pieces[j][p] on the square squares[i][s] for each piece p on s. The 0th change nothing.");
}

}  // namespace quarto::python
