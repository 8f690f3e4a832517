// The work of an actor: plays games for a learner elsewhere, through a store (store/worker.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "selfplay/crew.h"
#include "store/worker.h"

namespace quarto {

// What games of a run are like.
store::GameRules game_rules(const SelfPlaySettings& settings);

// The fingerprint of one game by this program with these settings and no network. Builds that play alike have the same.
std::string play_probe(SelfPlaySettings settings);

// `name` is shown by the learner. `evaluator` makes that of weights; it throws store::WireError for what is no weights
// of this run. Throws ThreadError.
std::unique_ptr<store::Work> make_game_work(
    const SelfPlaySettings& settings, int threads, std::string name,
    std::function<std::shared_ptr<Evaluator>(const store::WeightsMessage&)> evaluator);

}  // namespace quarto
