// The weights of the pairs network by name, in the order that the kernel, the LibTorch network and the files use.
//
// Matrices are [in][out], so a layer is x * matrix. Each starts at a multiple of 16 floats. A matrix whose input is a
// pool has these row blocks, in order: for pools of rows and of all, the sums, then the maxima; for pools of columns,
// the piece in hand, the sums, the maxima.
#pragma once

#include <string>
#include <vector>

#include "light/pairs_constants.h"

namespace quarto::light {

struct PairsShape {
  int width = 16;
  int blocks = 3;
  int head = kHeadWidth;
  friend bool operator==(const PairsShape&, const PairsShape&) = default;
};

struct PairsLayout {
  struct Entry {
    std::string name;
    int rows, cols;
    int offset;  // in floats
    float gain;  // initial values are normal with variance gain / inputs; 0 for a table or bias that starts at zero
    bool table;  // rows are looked up, not multiplied; the initial variance is the gain
    bool added;  // a table after kOldestTables: files of before do not have it
  };
  PairsShape shape;
  std::vector<Entry> entries;
  int size = 0;  // all floats, including gaps

  explicit PairsLayout(const PairsShape& of);
  // All floats of a file that has the first `tables` tables, at least kOldestTables.
  int size_with(int tables) const;
};

}  // namespace quarto::light
