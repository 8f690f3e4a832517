// Makes the players that have no header of their own, for the table of names (player_table.cpp).
#pragma once

#include <memory>
#include <string>

#include "play/player.h"

namespace quarto {

// One of the candidates, each as likely as the next.
std::unique_ptr<Player> make_chance_player(std::string name, Mask (*candidates)(const Position&), std::uint64_t seed);
std::unique_ptr<Player> make_lookahead(std::string name, int plies, const PlayerOptions& options);
std::unique_ptr<Player> make_rollout(std::string name, int playouts, const PlayerOptions& options);
std::unique_ptr<Player> make_strangler(std::string name, const StranglerOptions& strangler,
                                       const PlayerOptions& options);
// As make_search_player(), which does not own its evaluator.
std::unique_ptr<Player> make_network_player(std::string name, std::shared_ptr<Evaluator> evaluator, int simulations,
                                            const PlayerOptions& options);

}  // namespace quarto
