// What is to be labelled, from files that people name. Only in builds with the replay buffer, whose shards are among
// them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "env/canonical.h"

namespace quarto {

// The positions of a label file, of a shard of a replay buffer (as self-play reached them: one that was reached twice
// is there twice), or of text, one a line; what follows a tab is passed over, so suites are such text. "-": text from
// standard input. Text may come through a pipe. The name may be that of a shipped file (base/shipped.h). Throws
// std::runtime_error with file and line, FileError, LabelError.
std::vector<Position> read_positions(const std::string& named, Rules rules);
// So many of them, drawn at random, in their order.
std::vector<Position> drawn(const std::vector<Position>& positions, std::uint64_t count, std::uint64_t seed);
// The positions of a suite or a label file, in every image. Throws as read_positions() does.
void add_keys(const std::string& named, Rules rules, std::set<CanonicalKey>& keys);

}  // namespace quarto
