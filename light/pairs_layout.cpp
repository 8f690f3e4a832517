#include "light/pairs_layout.h"

#include "light/floats.h"
#include "light/pairs_input.h"

namespace quarto::light {

// The gains give activations of about one in a new network: sums over many items have small gains.
PairsLayout::PairsLayout(const PairsShape& of) : shape(of) {
  const int w = shape.width, h = shape.head;
  const auto put = [this](std::string name, int rows, int cols, float gain, bool table = false) {
    const bool added = static_cast<int>(entries.size()) >= pairs_entry::table(shape.blocks, kOldestTables);
    entries.push_back({std::move(name), rows, cols, size, gain, table, added});
    size += padded(rows * cols);
  };
  put("pair", rows_of(kPair), w, 0.5F, true);
  put("hand", rows_of(kHand), w, 0.5F, true);
  put("loses", rows_of(kLoses), w, 0.5F, true);
  put("empty", rows_of(kEmpty), w, 0.2F, true);  // [placing][count]
  put("safe", rows_of(kSafe), w, 0.2F, true);
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
  put("reply_safe", rows_of(kReplySafe), w, 0.02F, true);
  put("reply_odd", rows_of(kReplyOdd), w, 0.02F, true);
  put("reply_one", rows_of(kReplyOne), w, 0.02F, true);
  put("reply_least", rows_of(kReplyLeast), w, 0.2F, true);
  put("reply_none", rows_of(kReplyNone), w, 0.2F, true);
  put("third_none", rows_of(kThirdNone), w, 0.02F, true);
  put("third_one", rows_of(kThirdOne), w, 0.02F, true);
  put("third_odd", rows_of(kThirdOdd), w, 0.02F, true);
  put("third_least", rows_of(kThirdLeast), w, 0.02F, true);
  put("fourth_holding", rows_of(kFourthHolding), w, 0.02F, true);
  put("fourth_least", rows_of(kFourthLeast), w, 0.2F, true);
  put("fourth_none", rows_of(kFourthNone), w, 0.2F, true);
}

int PairsLayout::size_with(int tables) const {
  return tables == kTables ? size : entries[static_cast<std::size_t>(pairs_entry::table(shape.blocks, tables))].offset;
}

}  // namespace quarto::light
