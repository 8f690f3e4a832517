// Light files: as they are, and with the checksum made right, so that what is inside is reached.
#include "light/network_file.h"

#include "env/random_play.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quarto;

const std::vector<Position> kPositions = unfinished_positions(20, Rules::lines, 1);

void read(std::string_view bytes) {
  try {
    const light::LightNetwork network = light::parse_network_file(bytes, "input");
    // What is not refused computes with numbers that fit.
    const auto workspace = network.kernel->new_workspace();
    for (const Position& p : kPositions) (void)network.kernel->forward(p, *workspace);
  } catch (const light::NetworkFileError&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kChecksumAt = 12;
  const std::string_view input = fuzz::text_of(data, size);
  read(input);
  if (const auto bytes = fuzz::with_checksum_at(kChecksumAt, input)) read(*bytes);
  return 0;
}
