// What coordinators and workers of jobs send each other: inputs and results of labelling and of walks. The first byte
// chooses, the second is the length of the input that a result belongs to, in positions.
#include <string>
#include <vector>

#include "data/label_share.h"
#include "data/position_bytes.h"
#include "env/random_play.h"
#include "eval/exploit_share.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quarto;

std::vector<Position> some_positions(int count, int ply) {
  Rng rng(1);
  std::vector<Position> positions;
  for (int i = 0; i < count; ++i) positions.push_back(random_position_at(ply, rng, Rules::lines));
  return positions;
}

void positions(std::string_view bytes) {
  try {
    fuzz::require(position_bytes(positions_of_bytes(bytes, Rules::lines)) == bytes);
  } catch (const std::runtime_error&) {
  }
}

void labels(int count, std::string_view result) {
  const std::vector<Position> asked = some_positions(count, 21);
  try {
    const auto solutions = labels_of_share(position_bytes(asked), Rules::lines, result);
    fuzz::require(solutions.size() == asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      for (int m = 0; m < kMoves; ++m)
        fuzz::require(solutions[i].values[static_cast<std::size_t>(m)].has_value() ==
                      ((asked[i].legal_moves() >> m & 1) != 0));
    }
  } catch (const std::runtime_error&) {
  }
}

void walk_input(std::string_view bytes) {
  const WalkSettings settings;
  try {
    fuzz::require(walk_share_input(walk_share_of(bytes, settings)) == bytes);
  } catch (const std::runtime_error&) {
  }
}

void answers(int count, std::string_view result) {
  for (const int ply : {20, 21}) {
    const std::vector<Position> asked = some_positions(count, ply);
    const std::string input = walk_share_input({ply, {asked}});
    for (const int exact : {0, 12}) {
      try {
        const auto said = answers_of_share(input, {Rules::lines, 7, exact}, result);
        fuzz::require(said.size() == asked.size());
        for (std::size_t i = 0; exact == 0 && i < asked.size(); ++i)
          fuzz::require(asked[i].is_legal({asked[i].phase(), said[i].move}));
      } catch (const std::runtime_error&) {
      }
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes = fuzz::text_of(data + 2, size - 2);
  const int count = 1 + data[1] % 8;
  switch (data[0]) {
    case 'p':
      positions(bytes);
      break;
    case 'l':
      labels(count, bytes);
      break;
    case 'w':
      walk_input(bytes);
      break;
    default:
      answers(count, bytes);
  }
  return 0;
}
