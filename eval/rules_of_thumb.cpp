#include "eval/rules_of_thumb.h"

#include <algorithm>
#include <stdexcept>

#include "env/canonical.h"
#include "env/one_ply.h"

namespace quarto {
namespace {

int count(Mask mask) { return std::popcount(mask); }

int live_lines(const Position& p) {
  int live = 0;
  for (const Mask line : winning_sets(p.rules())) {
    if ((p.occupied() & line) == line) continue;
    int all = kPieces - 1, none = kPieces - 1;
    for (const int s : BitsOf(static_cast<Mask>(p.occupied() & line))) {
      all &= index(p.piece_at(square(s)));
      none &= ~index(p.piece_at(square(s)));
    }
    live += (all | none) != 0 ? 1 : 0;
  }
  return live;
}

Mask safe_left(const Position& p) { return static_cast<Mask>(p.available() & ~p.losing_gives()); }

int safe_placements(const Position& p) {
  if (p.has_hand()) return count(safe_moves(p));
  int pairs = 0;
  for (const int g : BitsOf(safe_left(p))) pairs += count(safe_moves(p.after(Move::give(piece(g)))));
  return pairs;
}

// Numbers above 8 are grouped by quarters of a doubling, because small differences between them mean little.
int coarse(int n) {
  if (n <= 8) return n;
  int step = 8, low = 8;
  while (low + low / 4 <= n) {
    low += low / 4;
    ++step;
  }
  return step;
}

// ---- classes of positions -------------------------------------------------------------------------------------------

constexpr int kOpen = 2;  // class of positions without a value from seen_at_once()

std::vector<int> one_ply(const Position& p) {
  const auto seen = seen_at_once(p);
  return {seen ? static_cast<int>(*seen) : kOpen};
}

std::vector<int> stage(const Position& p) {
  return {one_ply(p).front(), static_cast<int>(p.phase()), count(p.empty())};
}

// Adds the counts, unless seen_at_once() gives the value.
template <class... Numbers>
CountedRule::Classifier after_stage(Numbers... numbers) {
  return [=](const Position& p) {
    std::vector<int> key = stage(p);
    if (key.front() != kOpen) return key;
    const Counts c = counts_of(p);
    (key.push_back(numbers(c)), ...);
    return key;
  };
}

Value parity(const Position& p) {
  if (const auto seen = seen_at_once(p)) return *seen;
  const Mask safe = safe_left(p);
  if (safe == p.available()) return Value::draw;
  return count(safe) % 2 == 1 ? Value::win : Value::loss;
}

// ---- moves ----------------------------------------------------------------------------------------------------------

using Score = std::function<int(const Position& before, const Position& after)>;

// Of the moves that the one-ply rule leaves, those with the smallest score of their phase; without a score, all of
// them.
Mask smallest(const Position& p, const Score& placing, const Score& giving) {
  const Mask candidates = one_ply_moves(p);
  const Score& score = p.has_hand() ? placing : giving;
  // Counting cannot improve a win or a finished game.
  if (!score || seen_at_once(p) || count(candidates) < 2) return candidates;
  Mask best = 0;
  int least = 0;
  for (const Move m : MovesOf(p.phase(), candidates)) {
    const int n = score(p, p.after(m));
    if (best == 0 || n < least) {
      least = n;
      best = 0;
    }
    if (n == least) best = static_cast<Mask>(best | (1U << m.index));
  }
  return best;
}

MoveRule rule(std::string name, std::string placing, std::string giving, Score place, Score give) {
  return {std::move(name), std::move(placing), std::move(giving),
          [place = std::move(place), give = std::move(give)](const Position& p) { return smallest(p, place, give); }};
}

int safe_after(const Position&, const Position& after) { return count(safe_left(after)); }
int replies_after(const Position&, const Position& after) { return safe_placements(after); }
int lines_after(const Position&, const Position& after) { return live_lines(after); }

// The number of the receiver's safe squares that leave an odd number of safe pieces, which are good for the receiver by
// the parity rule.
int odd_replies_after(const Position&, const Position& after) {
  int odd = 0;
  for (const int s : BitsOf(safe_moves(after))) odd += count(safe_left(after.after(Move::place(square(s))))) % 2;
  return odd;
}

// The smallest number of safe placements that a reply of the receiver leaves to the giver.
int placements_left_after(const Position&, const Position& after) {
  int fewest = kSquares * kPieces;
  for (const int s : BitsOf(safe_moves(after))) {
    fewest = std::min(fewest, safe_placements(after.after(Move::place(square(s)))));
  }
  return fewest;
}

// A score times `sign`: -1 turns the fewest into the most.
Score times(int sign, int (*score)(const Position&, const Position&)) {
  return [sign, score](const Position& b, const Position& a) { return sign * score(b, a); };
}
Score parity_of(int wanted, int (*score)(const Position&, const Position&)) {
  return [wanted, score](const Position& b, const Position& a) { return score(b, a) % 2 == wanted ? 0 : 1; };
}

}  // namespace

Counts counts_of(const Position& position) {
  const int left = count(position.available()), safe = count(safe_left(position));
  return {count(position.empty()), safe, left - safe, safe_placements(position), live_lines(position)};
}

std::optional<Value> seen_at_once(const Position& position) {
  if (position.has_hand()) {
    if (position.winning_squares(position.hand())) return Value::win;
    if (count(position.empty()) == 1) return Value::draw;
  } else if (count(position.empty()) == 1) {
    return position.losing_gives() ? Value::loss : Value::draw;
  }
  if (safe_moves(position) == 0) return Value::loss;
  return std::nullopt;
}

void CountedRule::count(const Position& position, Value value) {
  std::vector<int> key = classify_(position);
  while (true) {
    ++tallies_[key][static_cast<std::size_t>(static_cast<int>(value) + 1)];
    if (key.empty()) return;
    key.pop_back();
  }
}

CountedRule::Tally CountedRule::tally(const Position& position) const {
  std::vector<int> key = classify_(position);
  while (true) {
    const auto at = tallies_.find(key);
    if (at != tallies_.end()) {
      const Tally& t = at->second;
      if (key.empty() || t[0] + t[1] + t[2] >= kFewest) return t;
    }
    if (key.empty()) return {};
    key.pop_back();
  }
}

Value CountedRule::predict(const Position& position) const {
  const Tally t = tally(position);
  if (t[0] + t[1] + t[2] == 0) return Value::draw;
  if (t[2] >= t[1] && t[2] >= t[0]) return Value::win;
  return t[1] >= t[0] ? Value::draw : Value::loss;
}

double CountedRule::mean(const Position& position) const {
  const Tally t = tally(position);
  const double n = t[0] + t[1] + t[2];
  return n == 0 ? 0 : (static_cast<double>(t[2]) - t[0]) / n;
}

const std::vector<ValueRule>& value_rules() {
  static const auto parity_of_safe = [](const Counts& c) { return c.safe_pieces % 2; };
  static const auto safe = [](const Counts& c) { return c.safe_pieces; };
  static const auto unsafe = [](const Counts& c) { return c.unsafe_pieces > 0 ? 1 : 0; };
  static const auto parity_of_placements = [](const Counts& c) { return c.safe_placements % 2; };
  static const auto placements = [](const Counts& c) { return coarse(c.safe_placements); };
  static const auto lines = [](const Counts& c) { return c.live_lines; };
  static const std::vector<ValueRule> rules = {
      {"constant", "the most frequent value", [](const Position&) { return std::vector<int>{}; }, {}},
      {"one ply",
       "what is seen at once: a win in hand, nothing safe to give, every square strands; else as above",
       one_ply,
       {}},
      {"pure parity",
       "one ply; then odd numbers of safe pieces win, even ones lose, and no losing piece draws",
       {},
       parity},
      {"stage", "one ply, phase and number of empty squares", stage, {}},
      {"parity", "stage, and whether the number of safe pieces is odd", after_stage(parity_of_safe), {}},
      {"parity, any unsafe", "parity, and whether any piece left loses", after_stage(unsafe, parity_of_safe), {}},
      {"safe pieces", "stage, and their number", after_stage(safe), {}},
      {"parity of placements",
       "stage, and whether the number of safe placements is odd",
       after_stage(parity_of_placements),
       {}},
      {"safe placements", "stage, and their number, roughly", after_stage(placements), {}},
      {"live lines", "stage, and their number", after_stage(lines), {}},
      {"all counts",
       "stage, then safe placements, safe pieces, live lines, as far as the counts reach",
       after_stage(placements, safe, lines),
       {}},
  };
  return rules;
}

std::size_t value_rule(const std::string& name) {
  const auto& rules = value_rules();
  const auto at = std::find_if(rules.begin(), rules.end(), [&](const ValueRule& r) { return r.name == name; });
  if (at == rules.end()) throw std::out_of_range("no rule for values has the name " + name);
  return static_cast<std::size_t>(at - rules.begin());
}

bool in_even_half(const Position& position) { return canonical_key(position).hash() % 2 == 0; }

std::vector<std::vector<Value>> predict_across_halves(std::span<const ValueRule> rules,
                                                      std::span<const Position> positions,
                                                      std::span<const Value> values) {
  std::vector<char> even(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) even[i] = in_even_half(positions[i]) ? 1 : 0;
  std::vector<std::vector<Value>> predictions;
  for (const ValueRule& rule : rules) {
    std::vector<Value>& said = predictions.emplace_back(positions.size(), Value::draw);
    if (rule.direct) {
      std::transform(positions.begin(), positions.end(), said.begin(), rule.direct);
      continue;
    }
    for (const char half : {0, 1}) {
      CountedRule counted(rule.classify);
      for (std::size_t i = 0; i < positions.size(); ++i) {
        if (even[i] != half) counted.count(positions[i], values[i]);
      }
      for (std::size_t i = 0; i < positions.size(); ++i) {
        if (even[i] == half) said[i] = counted.predict(positions[i]);
      }
    }
  }
  return predictions;
}

std::vector<MoveRule> move_rules() {
  std::vector<MoveRule> rules;
  rules.push_back(rule("one ply", "win if you can; leave something safe to give", "give no piece that loses at once",
                       nullptr, nullptr));
  rules.push_back(rule("odd", "leave an odd number of safe pieces",
                       "the receiver has the fewest safe squares that leave him an odd number of safe pieces",
                       parity_of(1, safe_after), odd_replies_after));
  rules.push_back(rule("even", "leave an even number of safe pieces",
                       "the receiver has the most safe squares that leave him an odd number of safe pieces",
                       parity_of(0, safe_after), times(-1, odd_replies_after)));
  rules.push_back(rule("fewest safe", "leave the fewest safe pieces", "leave the receiver the fewest safe squares",
                       safe_after, replies_after));
  rules.push_back(rule("most safe", "leave the most safe pieces", "leave the receiver the most safe squares",
                       times(-1, safe_after), times(-1, replies_after)));
  rules.push_back(rule("fewest placements", "leave the fewest safe placements in all",
                       "whatever he does, the receiver leaves the most safe placements", replies_after,
                       times(-1, placements_left_after)));
  rules.push_back(
      rule("most placements", "leave the most safe placements in all", "", times(-1, replies_after), nullptr));
  rules.push_back(rule("odd placements", "leave an odd number of safe placements",
                       "leave the receiver an odd number of safe squares", parity_of(1, replies_after),
                       parity_of(1, replies_after)));
  rules.push_back(rule("even placements", "leave an even number of safe placements",
                       "leave the receiver an even number of safe squares", parity_of(0, replies_after),
                       parity_of(0, replies_after)));
  rules.push_back(rule("fewest lines", "leave the fewest live lines", "", lines_after, nullptr));
  rules.push_back(rule("most lines", "leave the most live lines", "", times(-1, lines_after), nullptr));
  return rules;
}

MoveRule counted_move_rule(std::string name, const CountedRule& counted) {
  // In thousandths, because scores are integers. After a place the same player acts, after a give the other.
  const Score place = [&counted](const Position&, const Position& after) {
    return -static_cast<int>(1000 * counted.mean(after));
  };
  const Score give = [&counted](const Position&, const Position& after) {
    return static_cast<int>(1000 * counted.mean(after));
  };
  return rule(std::move(name), "the square whose position has won most often", "the piece that has won least often",
              place, give);
}

}  // namespace quarto
