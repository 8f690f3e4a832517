// The integer kernel against a plain form of its definition (docs/formats.md#integers), exactly, and against the float
// kernel, nearly.
#include "light/integer_pairs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "base/checksum.h"
#include "base/random.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/input_rows.h"
#include "light/network_file.h"
#include "tests/light/some_weights.h"
#include "tests/support/sanitized.h"

namespace quarto::light {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// The definition, one number at a time in 64 bits. It fails where a number leaves what the kernel has room for.
class Plain {
 public:
  using Vector = std::vector<std::int64_t>;

  explicit Plain(const IntegerWeights& weights) : weights_(weights), layout_(weights.shape) {
    for (std::size_t i = 0; i < layout_.entries.size(); ++i) entry_[layout_.entries[i].name] = i;
  }

  PairsOutput forward(const Position& position) {
    const InputRows rows(position);
    const PairsInput& in = rows.pairs;
    const int n = in.n, w = layout_.shape.width;
    std::vector<Vector> h(at(n * n), Vector(at(w)));
    for (int i = 0; i < n * n; ++i) {
      rows.for_each(i, [&](int table, int row) { h[at(i)] = sum(h[at(i)], row_of(table_name(table), row)); });
      fits(h[at(i)], 16384);
    }
    for (int b = 0; b < layout_.shape.blocks; ++b) {
      const auto name = [b](const std::string& part) { return "block" + std::to_string(b) + "_" + part; };
      const int pair = weights_.pair_bits(), input = weights_.input_bits(b), hidden = weights_.hidden_bits(b);
      const Pools pools = pool(in, h, b);
      std::vector<Vector> message;
      for (int i = 0; i < in.alive_count; ++i) {
        const auto& a = in.alive[at(i)];
        Vector along(at(w)), squares(at(w));
        for (const int c : columns_of(in, a.line)) {
          Vector with_value(at(w));
          for (int row = 0; row < n; ++row) {
            const auto& values = kAttributeValuesOf[in.pieces[at(row)]];
            if (std::count(values.begin(), values.end(), a.attribute_value))
              with_value = sum(with_value, input_of(h[at(row * n + c)], b));
          }
          along = sum(along, part_of(with_value, 3));
          squares = sum(squares, pools.column_sum[at(c)]);
        }
        message.push_back(active(
            sum(sum(row_of(name("line_state"), a.state), product(name("line_squares"), active(squares), input, hidden)),
                product(name("line_colour"), active(along), input, hidden))));
      }
      std::vector<Vector> to_square(at(n), Vector(at(w)));
      std::vector<std::array<Vector, kAttributeValues>> told(at(n));
      for (auto& of : told) of.fill(Vector(at(w)));
      for (int line = 0; line < in.lines; ++line) {
        Vector all(at(w));
        for (int i = 0; i < in.alive_count; ++i) {
          const auto& a = in.alive[at(i)];
          if (a.line != line) continue;
          all = sum(all, message[at(i)]);
          for (const int c : columns_of(in, line)) {
            Vector& to = told[at(c)][a.attribute_value];
            to = sum(to, product(name("line_to_pair"), message[at(i)], hidden + 1, hidden));
          }
        }
        for (const int c : columns_of(in, line)) to_square[at(c)] = sum(to_square[at(c)], part_of(all, 2));
      }
      const Vector every =
          sum(row_of(name("bias"), 0), product(name("all"), joined({pools.all_sum, pools.all_max}), input, hidden));
      std::vector<Vector> next = h;
      for (int row = 0; row < n; ++row) {
        const Vector of_row = limited(
            sum(every, product(name("rows"), joined({pools.row_sum[at(row)], pools.row_max[at(row)]}), input, hidden)));
        for (int c = 0; c < n; ++c) {
          const Vector of_column =
              limited(sum(product(name("columns"), column(pools, c), input, hidden),
                          product(name("line_to_square"), active(to_square[at(c)]), hidden, hidden)));
          Vector inner =
              sum(sum(of_row, of_column), product(name("self"), input_of(h[at(row * n + c)], b), input, hidden));
          for (const int value : kAttributeValuesOf[in.pieces[at(row)]])
            inner = sum(inner, limited(told[at(c)][at(value)]));
          fits(inner, 32767);
          Vector& x = next[at(row * n + c)];
          x = sum(sum(x, product(name("out"), active(inner), hidden, pair)), row_of(name("out_bias"), 0));
          fits(x, 32767);
          for (auto& e : x) e = std::clamp<std::int64_t>(e, -16384, 16383);
        }
      }
      h = next;
    }

    const int blocks = weights_.shape.blocks, input = weights_.input_bits(blocks), last = weights_.hidden_bits(blocks);
    const Pools pools = pool(in, h, blocks);
    const Vector all = joined({pools.all_sum, pools.all_max});
    PairsOutput out{};
    const std::string head = in.placing ? "place" : "give";
    for (int i = 0; i < n; ++i) {
      const Vector own = in.placing
                             ? product("place_columns", column(pools, i), input, last)
                             : product("give_rows", joined({pools.row_sum[at(i)], pools.row_max[at(i)]}), input, last);
      const Vector hidden = sum(sum(row_of(head + "_bias", 0), product(head + "_all", all, input, last)), own);
      out.policy[in.placing ? in.squares[at(i)] : in.pieces[at(i)]] = logit(head + "_out", 0, hidden, 0);
    }
    Vector hidden = sum(row_of("outcome_bias", 0), product("outcome_all", all, input, last));
    if (in.placing) {
      Vector added(at(w)), most(at(w));
      for (int c = 0; c < n; ++c) {
        added = sum(added, pools.hand[at(c)]);
        most = larger(most, pools.hand[at(c)]);
      }
      hidden = sum(hidden, product("outcome_hand", joined({active(part_of(added, 3)), most}), input, last));
    }
    for (int i = 0; i < 3; ++i)
      out.outcome[at(i)] = logit("outcome_out", i, hidden, row_of("outcome_out_bias", 0)[at(i)]);
    return out;
  }

 private:
  struct Pools {
    std::vector<Vector> row_sum, row_max, column_sum, column_max, hand;
    Vector all_sum, all_max;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::vector<int> columns_of(const PairsInput& in, int line) {
    const auto& of = in.line[at(line)];
    return {of.column.begin(), of.column.begin() + of.columns};
  }
  static Vector sum(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  static Vector larger(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::max(a[i], b[i]);
    return a;
  }
  static Vector joined(const std::vector<Vector>& parts) {
    Vector all;
    for (const Vector& p : parts) all.insert(all.end(), p.begin(), p.end());
    return all;
  }
  static Vector column(const Pools& p, int c) {
    return joined({p.hand[at(c)], p.column_sum[at(c)], p.column_max[at(c)]});
  }
  static Vector active(Vector x) {
    for (auto& e : x) e = std::clamp<std::int64_t>(e, 0, kMostActivation);
    return x;
  }
  static Vector limited(Vector x) {
    for (auto& e : x) e = std::clamp<std::int64_t>(e, -kMostActivation - 1, kMostActivation);
    return x;
  }
  static std::int64_t rounded(std::int64_t x, int shift) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(x), -shift) + 0.5));
  }
  // Sums of activations must be below 2^16.
  static Vector part_of(Vector x, int shift) {
    for (auto& e : x) {
      EXPECT_LT(e, 65536 - 4);
      e = rounded(e, shift);
    }
    return x;
  }
  static void fits(const Vector& x, std::int64_t most) {
    for (const auto e : x) EXPECT_LE(std::abs(e), most);
  }

  Vector input_of(Vector h, int block) const {
    const int lost = weights_.pair_bits() - weights_.input_bits(block);
    for (auto& e : h) e = rounded(e, lost);
    return active(h);
  }

  Pools pool(const PairsInput& in, const std::vector<Vector>& h, int block) const {
    const int n = in.n, w = layout_.shape.width;
    const std::vector<Vector> none(at(n), Vector(at(w)));
    Pools p{none, none, none, none, none, Vector(at(w)), Vector(at(w))};
    for (int row = 0; row < n; ++row) {
      for (int c = 0; c < n; ++c) {
        const Vector r = input_of(h[at(row * n + c)], block);
        p.row_sum[at(row)] = sum(p.row_sum[at(row)], r);
        p.row_max[at(row)] = larger(p.row_max[at(row)], r);
        p.column_sum[at(c)] = sum(p.column_sum[at(c)], r);
        p.column_max[at(c)] = larger(p.column_max[at(c)], r);
        if (row == in.hand) p.hand[at(c)] = r;
      }
      p.row_sum[at(row)] = active(part_of(p.row_sum[at(row)], 3));
    }
    for (int c = 0; c < n; ++c) {
      p.column_sum[at(c)] = active(part_of(p.column_sum[at(c)], 3));
      p.all_sum = sum(p.all_sum, p.column_sum[at(c)]);
      p.all_max = larger(p.all_max, p.column_max[at(c)]);
    }
    p.all_sum = active(part_of(p.all_sum, 3));
    return p;
  }

  const PairsLayout::Entry& entry(const std::string& name) const { return layout_.entries[entry_.at(name)]; }
  std::string table_name(int table) const {
    return layout_.entries[at(pairs_entry::table(layout_.shape.blocks, table))].name;
  }
  Vector row_of(const std::string& name, int row) const {
    const auto& e = entry(name);
    const auto from = weights_.weights.begin() + e.offset + row * e.cols;
    return {from, from + e.cols};
  }
  // From an input with so many fraction bits to a result with so many.
  Vector product(const std::string& name, const Vector& x, int from, int to) const {
    const auto& e = entry(name);
    EXPECT_EQ(x.size(), at(e.rows)) << name;
    Vector y(at(e.cols));
    for (int o = 0; o < e.cols; ++o) {
      std::int64_t total = 0;
      for (int i = 0; i < e.rows; ++i) total += x[at(i)] * weights_.weights[at(e.offset + i * e.cols + o)];
      EXPECT_LT(std::abs(total), std::int64_t{1} << 30);
      y[at(o)] = rounded(total, from + weights_.shifts[entry_.at(name)] - to);
    }
    return limited(y);
  }
  float logit(const std::string& name, int row, const Vector& hidden, std::int64_t bias) const {
    const int shift = weights_.shifts[entry_.at(name)];
    const Vector x = active(hidden), w = row_of(name, row);
    std::int64_t total = bias << shift;
    for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * w[i];
    return static_cast<float>(
        std::ldexp(static_cast<double>(total), -shift - weights_.hidden_bits(weights_.shape.blocks)));
  }

  const IntegerWeights& weights_;
  PairsLayout layout_;
  std::map<std::string, std::size_t> entry_;
};

void expect_equal(const IntegerWeights& weights, Rules rules, int positions) {
  const auto kernel = make_integer_kernel(weights);
  const auto workspace = kernel->new_workspace();
  Plain plain(weights);
  for (const Position& p : unfinished_positions(positions, rules, 5)) {
    const PairsOutput a = kernel->forward(p, *workspace), b = plain.forward(p);
    ASSERT_EQ(a.policy, b.policy) << to_string(p);
    ASSERT_EQ(a.outcome, b.outcome) << to_string(p);
  }
}

TEST(IntegerPairs, TheKernelComputesTheDefinition) {
  for (const int width : {16, 32, 48, 64}) {
    const PairsShape shape{width, width == 16 ? 3 : 1, 32};
    for (const Rules rules : {Rules::lines, Rules::squares})
      expect_equal(some_integers(shape, 7), rules, std::max(6, repeated(12)));
  }
}

// Nothing overflows, since Plain has room for everything.
TEST(IntegerPairs, NumbersAtTheirLimitsDoNotOverflow) {
  const PairsShape shape{64, 2, 32};
  const PairsLayout layout(shape);
  for (const int sign : {1, -1, 0}) {
    const IntegerWeights weights = integers_at_limits(shape, sign);
    expect_equal(weights, Rules::squares, std::max(4, repeated(8)));
    expect_equal(weights, Rules::lines, std::max(4, repeated(8)));
    IntegerWeights beyond = weights;
    for (const auto& e : layout.entries) {
      if (e.name == "reply_odd") beyond.weights[static_cast<std::size_t>(e.offset)] = 4000;
    }
    EXPECT_THAT([&] { make_integer_kernel(beyond); },
                ThrowsMessage<std::runtime_error>(HasSubstr("more than 16 bits")));
  }
}

TEST(IntegerPairs, WeightsOutOfTheirRangesAreRefused) {
  const PairsShape shape{16, 1, 32};
  const IntegerWeights good = some_integers(shape, 1);
  const PairsLayout layout(shape);
  const auto entry = [&](const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(layout.entries.begin(), layout.entries.end(), [&](const auto& e) { return e.name == name; }) -
        layout.entries.begin());
  };
  const auto refused = [](const IntegerWeights& w, const std::string& why) {
    EXPECT_THAT([&] { make_integer_kernel(w); }, ThrowsMessage<std::runtime_error>(HasSubstr(why)));
  };
  IntegerWeights w = good;
  w.bits[1] = 12;
  refused(w, "12 fraction bits");
  w = good;
  w.bits[0] = 6;
  refused(w, "an input of 7 fraction bits; the pairs have 6");
  w = good;
  w.bits.pop_back();
  EXPECT_THROW(make_integer_kernel(w), std::invalid_argument);
  w = good;
  w.bits[1] = 3;  // of the input, and the hidden layer has 6
  w.shifts[entry("block0_self")] = 3;
  refused(w, "'block0_self' cannot have 3");
  w.shifts[entry("block0_self")] = 21;
  refused(w, "'block0_self' cannot have 21");
  w = good;
  w.shifts[entry("block0_bias")] = 1;
  refused(w, "'block0_bias' cannot have 1");
  w = good;
  w.weights[static_cast<std::size_t>(layout.entries[entry("give_out")].offset)] = -128;
  refused(w, "'give_out' is -128");
  w = good;
  w.weights[static_cast<std::size_t>(layout.entries[entry("block0_line_state")].offset)] = 4096;
  refused(w, "'block0_line_state' is 4096");
  w = good;
  w.weights.pop_back();
  EXPECT_THROW(make_integer_kernel(w), std::invalid_argument);
}

TEST(IntegerPairs, AreNearTheFloatNetwork) {
  const PairsShape shape{16, 2, 32};
  const Floats weights = some_weights(shape, 4);
  const IntegerWeights integers = integer_weights(shape, weights, Rules::lines);
  const auto exact = PairsKernel::make(shape, weights), kernel = make_integer_kernel(integers);
  const auto a = exact->new_workspace(), b = kernel->new_workspace();
  double policy = 0, outcome = 0;
  const auto positions = unfinished_positions(repeated(300), Rules::lines, 4);
  for (const Position& p : positions) {
    const PairsOutput x = exact->forward(p, *a), y = kernel->forward(p, *b);
    for (const int m : BitsOf(p.legal_moves())) {
      const auto i = static_cast<std::size_t>(m);
      const double moves = std::popcount(p.legal_moves());
      policy += std::abs(x.policy[i] - y.policy[i]) / moves;
    }
    for (std::size_t i = 0; i < 3; ++i) outcome += std::abs(x.outcome[i] - y.outcome[i]) / 3.0;
  }
  const auto count = static_cast<double>(positions.size());
  // Another network differs by half a logit.
  EXPECT_LT(policy / count, 0.02);
  EXPECT_LT(outcome / count, 0.02);
}

TEST(IntegerPairs, AFileKeepsThem) {
  for (const int width : {16, 48}) {
    const IntegerWeights integers = some_integers({width, 2, 32}, 9);
    const std::string bytes = network_file_bytes({}, integers);
    const LightNetwork read = parse_network_file(bytes, "here");
    EXPECT_TRUE(read.info.extra.empty());
    EXPECT_EQ(read.weights->bits, integers.bits);
    EXPECT_EQ(read.weights->shifts, integers.shifts);
    EXPECT_EQ(read.weights->weights, integers.weights);
    const auto kernel = make_integer_kernel(integers);
    const auto a = kernel->new_workspace(), b = read.kernel->new_workspace();
    for (const Position& p : unfinished_positions(50, Rules::lines, 6)) {
      const PairsOutput x = kernel->forward(p, *a), y = read.kernel->forward(p, *b);
      EXPECT_EQ(x.policy, y.policy);
      EXPECT_EQ(x.outcome, y.outcome);
    }
    EXPECT_THROW(read.kernel->backward({}, *b, {}), std::logic_error);
    EXPECT_THROW(parse_network_file(bytes.substr(0, bytes.size() - 1), "here"), NetworkFileError);
  }
}

// With a right checksum: what a hostile file may say.
TEST(IntegerPairs, AFileOfOtherNumbersIsRefused) {
  const std::string bytes = network_file_bytes({}, some_integers({16, 1, 32}, 9));
  const auto refused = [&](const std::string& changed, const std::string& why) {
    std::string file = changed;
    file.replace(12, 4, 4, '\0');
    const std::uint32_t checksum = crc32c(file);
    std::memcpy(file.data() + 12, &checksum, sizeof checksum);
    EXPECT_THAT([&] { parse_network_file(file, "here"); }, ThrowsMessage<NetworkFileError>(HasSubstr(why)));
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = bytes;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  refused(with("fraction_bits 7 7 6 6 7", "fraction_bits 7 7 6 6\n\n"), "'fraction_bits' has 4 numbers, its shape 5");
  refused(with("fraction_bits 7 7 6 6 7", "fraction_bits 7 7 6 12\n"), "'fraction_bits'");
  refused(with("fraction_bits 7 7 6 6 7", "fraction_bits 7 7 6 x 7"), "'fraction_bits'");
  refused(with("fraction_bits 7 7 6 6 7", "fraction_bits 6 7 6 6 7"), "an input of 7 fraction bits");
  refused(with("fraction_bits", "friction_bits"), "'fraction_bits' is missing");
  std::string changed = bytes;
  std::uint32_t text = 0;
  std::memcpy(&text, bytes.data() + 16, sizeof text);
  changed[20 + text + 5] = 21;  // the shift of block0_self
  refused(changed, "'block0_self' cannot have 21");
  changed = bytes;
  changed[changed.size() - 1] = 127;  // the high byte of a table's last number
  refused(changed, "a weight of 'fourth_none'");
}

}  // namespace
}  // namespace quarto::light
