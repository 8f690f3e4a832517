#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "env/notation.h"
#include "env/position.h"
#include "python/arrays.h"
#include "python/bind.h"

namespace quarto::python {
namespace {

std::uint32_t legal_actions(const Position& p) {
  return p.has_hand() ? p.legal_moves() : static_cast<std::uint32_t>(p.legal_moves()) << kSquares;
}

class Batch {
 public:
  Batch(py::ssize_t games, const std::string& rules) : rules_(parse_rules(rules)) {
    require_numpy();
    constexpr py::ssize_t kMost = 10'000'000;
    if (games < 1 || games > kMost) {
      throw py::value_error("games must be from 1 to " + std::to_string(kMost) + ", not " + std::to_string(games));
    }
    positions_.assign(static_cast<std::size_t>(games), Position(rules_));
  }
  Batch(Rules rules, std::vector<Position> positions) : rules_(rules), positions_(std::move(positions)) {}

  py::ssize_t size() const { return static_cast<py::ssize_t>(positions_.size()); }
  std::string rules() const { return to_string(rules_); }
  void reset() { std::fill(positions_.begin(), positions_.end(), Position(rules_)); }

  // Checks all actions before it plays the first one: after an error nothing has changed.
  py::tuple step(const py::object& actions) {
    const py::array given = py::module_::import("numpy").attr("asarray")(actions);
    if (given.ndim() != 1 || given.shape(0) != size()) {
      throw py::value_error("expected one action for each of " + std::to_string(size()) +
                            " games, not an array of shape " +
                            py::str(py::object(given.attr("shape"))).cast<std::string>());
    }
    // Not what NumPy would make whole numbers of: 16.9, "16".
    if (const char kind = given.dtype().kind(); kind != 'i' && kind != 'u')
      throw py::type_error("actions must be whole numbers, not " + py::str(given.dtype()).cast<std::string>());
    const auto whole = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(given);
    const std::int64_t* action = whole.data();
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (action[i] >= 0 && action[i] < kActions && ((legal_actions(positions_[i]) >> action[i]) & 1U)) continue;
      throw py::value_error("game " + std::to_string(i) + ": action " + std::to_string(action[i]) +
                            " is not legal in '" + to_string(positions_[i]) + "'");
    }
    auto rewards = new_array<float>({size()});
    auto over = new_array<bool>({size()});
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      Position& p = positions_[i];
      p.play({p.phase(), static_cast<std::uint8_t>(action[i] % kSquares)});
      rewards.mutable_data()[i] = p.is_won() ? 1.0F : 0.0F;
      over.mutable_data()[i] = p.is_terminal();
      if (p.is_terminal()) p = Position(rules_);
    }
    return py::make_tuple(rewards, over);
  }

  py::array_t<bool> legal() const {
    auto mask = new_array<bool>({size(), kActions});
    bool* out = mask.mutable_data();
    for (const Position& p : positions_) {
      const std::uint32_t legal = legal_actions(p);
      for (int a = 0; a < kActions; ++a) *out++ = (legal >> a) & 1U;
    }
    return mask;
  }

  py::array_t<std::int8_t> players() const {
    auto players = new_array<std::int8_t>({size()});
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      players.mutable_data()[i] = static_cast<std::int8_t>(positions_[i].player_to_act());
    }
    return players;
  }

  const std::vector<Position>& positions() const { return positions_; }

 private:
  Rules rules_;
  std::vector<Position> positions_;
};

}  // namespace

void bind_batch(py::module_& m) {
  py::class_<Batch> batch(
      m, "Batch",
      "Many games side by side, for learning from arrays. An action is 0..15: place on that square\n"
      "(a1, b1, .. d4), or 16..31: give that piece. A game that ends begins again.");
  in_package(batch)
      .def(py::init<py::ssize_t, const std::string&>(), py::arg("games"), py::arg("rules") = "lines")
      .def("__len__", &Batch::size)
      .def_property_readonly("rules", &Batch::rules)
      .def("reset", &Batch::reset, "Begins all games again.")
      .def("step", &Batch::step, py::arg("actions"),
           "Plays one action in each game. Returns (rewards, over): float32 [N], 1 if the player who acted has won;\n"
           "bool [N], whether the game ended, in which case a new one has begun. ValueError names the first action "
           "that\n"
           "is not legal; no game has changed then.")
      .def("legal", &Batch::legal, "The legal actions: bool [N, 32].")
      .def("players", &Batch::players, "Who is to act: int8 [N], 0 for the player who gave first.")
      .def(
          "observe", [](const Batch& b) { return planes_of_all(b.positions()); },
          "What networks see, for the player to act: float32 [N, 34, 4, 4].")
      .def(
          "positions", [](const Batch& b) { return to_array(b.positions()); },
          "The positions as to_array() gives them: int8 [N, 17].")
      .def(py::pickle([](const Batch& b) { return py::make_tuple(b.rules(), to_array(b.positions())); },
                      [](const py::tuple& state) {
                        if (state.size() != 2) throw py::value_error("not a pickled Batch");
                        const Rules rules = parse_rules(state[0].cast<std::string>());
                        std::vector<Position> positions = positions_from(state[1], rules);
                        if (positions.empty()) throw py::value_error("not a pickled Batch: it has no games");
                        return Batch(rules, std::move(positions));
                      }));
}

}  // namespace quarto::python
