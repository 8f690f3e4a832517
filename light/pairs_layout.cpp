#include "light/pairs_layout.h"

#include "light/floats.h"
#include "light/pairs_input.h"
#include "light/replies.h"
#include "light/third_placement.h"

namespace quarto::light {

// The gains give activations of about one in a new network: sums over many items have small gains.
PairsLayout::PairsLayout(const PairsShape& of) : shape(of) {
  const int w = shape.width, h = shape.head;
  const auto put = [this](std::string name, int rows, int cols, float gain, bool table = false) {
    entries.push_back({std::move(name), rows, cols, size, gain, table});
    size += padded(rows * cols);
  };
  put("pair", kCategories, w, 0.5F, true);
  put("hand", 1, w, 0.5F, true);
  put("loses", 1, w, 0.5F, true);
  put("empty", 2 * kCounts, w, 0.2F, true);  // [placing][count]
  put("safe", 2 * kCounts, w, 0.2F, true);
  for (int i = 0; i < shape.blocks; ++i) {
    const std::string block = "block" + std::to_string(i) + "_";
    put(block + "self", w, w, 1.0F);
    put(block + "rows", 2 * w, w, 0.3F);
    put(block + "columns", 3 * w, w, 0.5F);
    put(block + "all", 2 * w, w, 0.1F);
    put(block + "bias", 1, w, 0);
    put(block + "line_state", kLineStates, w, 0.5F, true);
    put(block + "line_colour", w, w, 0.1F);  // per attribute value; the name is part of the file format
    put(block + "line_squares", w, w, 0.05F);
    put(block + "line_to_pair", w, w, 0.1F);
    put(block + "line_to_square", w, w, 0.05F);
    put(block + "out", w, w, 0.2F);
    put(block + "out_bias", 1, w, 0);
  }
  put("give_rows", 2 * w, h, 0.5F);
  put("give_all", 2 * w, h, 0.1F);
  put("give_bias", 1, h, 0);
  put("give_out", 1, h, 0.01F, true);
  put("place_columns", 3 * w, h, 0.5F);
  put("place_all", 2 * w, h, 0.1F);
  put("place_bias", 1, h, 0);
  put("place_out", 1, h, 0.01F, true);
  put("outcome_all", 2 * w, h, 0.2F);
  put("outcome_hand", 2 * w, h, 0.2F);
  put("outcome_bias", 1, h, 0);
  put("outcome_out", 3, h, 0.01F, true);  // one row each for win, draw, loss
  put("outcome_out_bias", 1, 3, 0);
  put("reply_safe", kReplyCounts, w, 0.02F, true);
  put("reply_odd", kReplyCounts, w, 0.02F, true);
  put("reply_one", kReplyCounts, w, 0.02F, true);
  put("reply_least", kReplyCounts, w, 0.2F, true);
  put("reply_none", kReplyCounts, w, 0.2F, true);
  put("third_none", kThirdCounts, w, 0.02F, true);
  put("third_one", kThirdCounts, w, 0.02F, true);
  put("third_odd", kThirdCounts, w, 0.02F, true);
  put("third_least", kThirdCounts, w, 0.02F, true);
  put("fourth_holding", kFourthCounts, w, 0.02F, true);
  put("fourth_least", kFourthCounts, w, 0.2F, true);
  put("fourth_none", kFourthCounts, w, 0.2F, true);
}

}  // namespace quarto::light
