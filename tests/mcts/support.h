// What the tests of the search share: a slow, obviously right minimax, and evaluators made for showing things.
#pragma once

#include <algorithm>
#include <optional>

#include "env/canonical.h"
#include "env/evaluator.h"
#include "env/prover.h"
#include "mcts/search.h"
#include "tests/support/random_positions.h"
#include "tests/support/reference.h"
#include "tests/support/scripted_evaluator.h"

namespace quarto {

// The search alone, without a prover.
inline SearchConfig plain() {
  SearchConfig c;
  c.proof_nodes = 0;
  return c;
}

// Seconds with eight empty squares, nothing with five.
inline Value minimax(const Position& p) { return reference::value(p); }
inline Value minimax_of_move(const Position& p, Move m) {
  return m.phase == Phase::give ? -minimax(p.after(m)) : minimax(p.after(m));
}

inline Evaluation uniform_opinion(const Position& p) {
  Evaluation e;
  const auto n = static_cast<float>(std::popcount(p.legal_moves()));
  for (const int m : BitsOf(p.legal_moves())) e.prior[static_cast<std::size_t>(m)] = 1 / n;
  return e;
}

inline Evaluation with_value(Evaluation e, float v) {
  e.win = (1 + v) / 2;
  e.draw = 0;
  e.loss = (1 - v) / 2;
  return e;
}

// Strong and arbitrary opinions that differ between positions but not between images of one: made of hashes of
// canonical keys. A symmetric evaluator that is nothing like uniform.
inline Evaluation hashed_opinion(const Position& p) {
  const auto hash = [](const Position& q) { return canonical_key(q).hash(); };
  Evaluation e;
  float sum = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    float& prior = e.prior[static_cast<std::size_t>(m)];
    prior = 1.0F + static_cast<float>(hash(p.after({p.phase(), static_cast<std::uint8_t>(m)})) % 16);
    sum += prior;
  }
  for (float& prior : e.prior) prior /= sum;
  return with_value(e, static_cast<float>(hash(p) % 1001) / 1000.0F - 0.5F);
}

inline Answer answer_to(const Question& question, const Scripted::Answer& f = uniform_opinion) {
  return {f(question.position), question.known};
}

inline void run(Search& search, int simulations, const Scripted::Answer& f = uniform_opinion,
                const Prover* prover = nullptr) {
  while (const Question* question = search.select(simulations)) {
    Answer answer = answer_to(*question, f);
    if (prover && question->nodes > 0)
      answer.bounds = prover->bounds(question->position, question->nodes, question->known);
    search.take(answer);
  }
}

struct With {
  std::uint64_t seed = 1;
  bool noise = false;
  const Prover* prover = nullptr;
  Oracle* oracle = nullptr;
};
inline Search searched(const Position& p, int simulations, const Scripted::Answer& f = uniform_opinion,
                       const SearchConfig& config = plain(), const With& with = {}) {
  Search s(config, with.seed, with.oracle);
  s.set_root(p);
  if (with.noise) s.add_noise();
  run(s, simulations, f, with.prover);
  return s;
}

// A prover by plain recursion, with positions for nodes. It asks both questions, whatever is known. For one thread.
class SlowProver final : public Prover {
 public:
  using Prover::bounds;
  ValueBounds bounds(const Position& p, std::uint64_t nodes, ValueBounds known) const override {
    ++asked;
    most_empty = std::max(most_empty, std::popcount(p.empty()));
    EXPECT_FALSE(p.is_terminal());
    const auto draw = ask(p, Value::draw, nodes), win = ask(p, Value::win, nodes);
    if (draw == false) return ValueBounds::exactly(Value::loss);
    if (win == true) return ValueBounds::exactly(Value::win);
    if (draw == true) known.low = Value::draw;
    if (win == false) known.high = Value::draw;
    return known;
  }

  mutable int asked = 0, most_empty = 0;

 private:
  static std::optional<bool> ask(const Position& p, Value least, std::uint64_t nodes) {
    return reaches(p, least, nodes);
  }
  // Whether the player to act gets at least so much; nothing once the nodes are used up.
  static std::optional<bool> reaches(const Position& p, Value least, std::uint64_t& nodes) {
    if (p.is_terminal()) return p.terminal_value() >= least;
    if (nodes == 0) return std::nullopt;
    --nodes;
    bool open = false;
    for (const Move m : p.moves()) {
      const Position q = p.after(m);
      const bool same = q.is_terminal() || q.player_to_act() == p.player_to_act();
      // The other player must not get more than -least, that is, not the next value above it.
      const auto next = [](Value v) { return v == Value::loss ? Value::draw : Value::win; };
      auto found = same ? reaches(q, least, nodes) : reaches(q, next(-least), nodes);
      if (found && !same) found = !*found;
      if (found == true) return true;
      open |= !found;
    }
    return open ? std::nullopt : std::optional(false);
  }
};

inline SearchConfig proving(int nodes, int squares = 6, int growth = 4) {
  SearchConfig c = plain();
  c.proof_nodes = nodes;
  c.proof_squares = squares;
  c.proof_growth = growth;
  return c;
}

}  // namespace quarto
