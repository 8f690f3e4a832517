// A game between two players made of one network: the bare network, and the same with a search and exact endgames.
#include <quartozero/env/notation.h>
#include <quartozero/play/light_player.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: play NETWORK.light\n");
    return 2;
  }
  try {
    auto quick = quarto::LightPlayer::load(argv[1]);
    auto strong = quarto::LightPlayer::load(argv[1], {.simulations = 64, .exact_squares = 9});

    quarto::Position position(quick.info().rules);  // the empty board: `quick` gives first
    std::vector<quarto::Move> game;
    double quick_seconds = 0;
    int quick_moves = 0;
    while (!position.is_terminal()) {
      const bool quick_acts = position.player_to_act() == 0;
      const auto start = std::chrono::steady_clock::now();
      const quarto::Move move = (quick_acts ? quick : strong).choose(position);
      if (quick_acts) {
        quick_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        ++quick_moves;
      }
      position.play(move);
      game.push_back(move);
    }
    std::printf("%s\n", quarto::to_string(game).c_str());
    std::printf("%s\n", quarto::to_string(position).c_str());
    if (position.is_won()) {
      std::printf("won by %s\n", position.player_to_act() == 0 ? "the bare network" : "the one with a search");
    } else {
      std::printf("a draw\n");
    }

    const quarto::Evaluation opinion = quick.evaluate(quarto::Position(quick.info().rules));
    std::printf("of the empty board it thinks: win %.2f, draw %.2f, loss %.2f\n", static_cast<double>(opinion.win),
                static_cast<double>(opinion.draw), static_cast<double>(opinion.loss));
    std::printf("a move of the bare network: %.0f microseconds\n", 1e6 * quick_seconds / quick_moves);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "play: %s\n", e.what());
    return 1;
  }
}
