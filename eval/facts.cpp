#include "eval/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "env/census.h"
#include "env/full_boards.h"
#include "env/notation.h"
#include "env/symmetry.h"
#include "eval/statistics.h"
#include "solver/facts.h"
#include "solver/solver.h"

namespace quarto {
namespace {

constexpr const char *kGoossens = "Goossens", *kKerner = "Kerner", *kZook = "Zook", *kIan = "Ian", *kRoth = "Roth",
                     *kReported = "reported";
constexpr FactSource kSources[] = {
    {kGoossens,
     "Luc Goossens, \"Quarto\", 1998-99. https://web.archive.org/web/20041012023358/\n"
     "http://ssel.vub.ac.be/Members/LucGoossens/quarto/quartotext.htm"},
    {kIan, "quoted in \"Quarto Draws Suffice!\", 1996. https://www.mathpages.com/home/kmath352.htm"},
    {kKerner,
     "Matthew Kerner, \"An Exploration of Gameplay in Quarto\", 2001.\n"
     "https://www.slideshare.net/MatthewKerner2/quarto-55043713"},
    {kReported, "in circulation; where it was published first is not known here"},
    {kRoth,
     "Jonathan Roth, README of https://github.com/JonathanRoth13/escapade. Counts up to the 8 rotations and\n"
     "reflections of the board and the 384 symmetries of the pieces"},
    {kZook,
     "Steve Zook, 1996, in the same page as Ian; again in\n"
     "https://codegolf.stackexchange.com/questions/154335/how-many-draws-are-there-in-quarto"},
};

// Who is right where a number differs, by the beginning of the fact's name. docs/facts.md has the arguments.
struct Verdict {
  const char *fact, *text;
};
constexpr Verdict kVerdicts[] = {
    {"distinct, 1 down",
     "computed is right, an enumeration: the count by hand has one class of squares, there are two"},
    {"distinct, 2 down", "computed is right, an enumeration: the count by hand uses some of the symmetries only"},
    {"distinct, 3 down", "computed is right, an enumeration: the count by hand uses some of the symmetries only"},
    {"8 down",
     "computed is right by its interval, for boards without a quarto: how the published estimate was made is not "
     "known"},
    {"9 down",
     "computed is right by its interval, for boards without a quarto: how the published estimate was made is not "
     "known"},
    {"all positions",
     "computed is right by its interval, for boards without a quarto: how the published estimate was made is not "
     "known"},
    {"  no line at once: won", "computed is right, exact values: the published share is of the positions a search met"},
    {"3 down, 1 in hand: won", "computed is right, exact values: the source presumably leaves out wins at once"},
};
std::string verdict_on(const std::string& fact) {
  for (const Verdict& v : kVerdicts) {
    if (fact.starts_with(v.fact)) return v.text;
  }
  return "not decided: please report this, it has not been seen before";
}

// 1,234,567.
std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string text_of(const Outcomes& o) {
  return fmt::format("{} / {} / {}", grouped(o.win), grouped(o.draw), grouped(o.loss));
}

Fact whole_number(std::string what, std::uint64_t published, const char* source, std::uint64_t computed) {
  return {std::move(what), grouped(published), source, grouped(computed), published == computed};
}

}  // namespace

// The common data of the groups.
struct FactFinder::Context {
  explicit Context(FactsOptions given) : options(std::move(given)) {}
  const FactsOptions options;
  const Rules rules = options.rules;

  const std::vector<std::vector<Position>>& positions() {
    if (positions_.empty()) positions_ = distinct_positions(9, WonBoards::end, rules);
    return positions_;
  }

  bool in_book(int ply) const { return options.book && options.book->last_ply() >= ply; }

  // Exact values, from the book or by search. All groups get their values here.
  std::vector<Value> values(std::span<const Position> positions, const std::string& what) {
    if (!solver_) solver_.emplace(solver_options(options.book));
    return solve(*solver_, positions, what);
  }
  Value searched(const Position& position, const std::string& what) const {
    Solver solver(solver_options(nullptr));
    return solve(solver, {&position, 1}, what).front();
  }
  void show(const std::string& what, std::size_t done, std::size_t of) const {
    if (options.on_progress) options.on_progress(what, done, of);
  }

 private:
  SolverOptions solver_options(std::shared_ptr<const Book> book) const {
    return {.table_bytes = options.table_bytes, .threads = options.threads, .books = std::move(book)};
  }
  std::vector<Value> solve(Solver& solver, std::span<const Position> positions, const std::string& what) const {
    constexpr std::size_t kAtATime = 64;
    std::vector<Value> values;
    while (values.size() < positions.size()) {
      show(what, values.size(), positions.size());
      const auto next = positions.subspan(values.size(), std::min(kAtATime, positions.size() - values.size()));
      for (const std::optional<Value>& value : solver.solve_all(next)) values.push_back(value.value());
    }
    return values;
  }

  std::vector<std::vector<Position>> positions_;
  std::optional<Solver> solver_;
};

namespace {

using Context = FactFinder::Context;

std::vector<Fact> symmetries(Context& context) {
  const std::uint64_t board = board_symmetries(context.rules).size(), piece = piece_symmetries().size();
  return {whole_number("symmetries of the board", 32, kReported, board),
          whole_number("symmetries of the pieces", 384, kReported, piece),
          whole_number("together", 12288, kKerner, board * piece)};
}

std::vector<Fact> positions(Context& context) {
  const auto& levels = context.positions();
  const std::vector<std::uint64_t> reported = {1, 1, 2, 8, 40, 148, 454, 3382, 10374, 91558};
  std::vector<Fact> facts;
  for (std::size_t ply = 0; ply < levels.size(); ++ply) {
    facts.push_back(
        whole_number(fmt::format("distinct positions at ply {}", ply), reported[ply], kReported, levels[ply].size()));
  }
  const auto won = std::count_if(levels[8].begin(), levels[8].end(), [](const Position& p) { return p.is_won(); });
  facts.push_back(whole_number("  of those at ply 8, won boards", 28, kReported, static_cast<std::uint64_t>(won)));
  std::uint64_t total = 0;
  const auto beyond = distinct_positions(9, WonBoards::play_on, context.rules);
  for (const auto& level : beyond) total += level.size();
  facts.push_back(whole_number("at ply 9, playing on from won boards", 91746, kReported, beyond[9].size()));
  facts.push_back(whole_number("under 10 plies, playing on likewise", 106156, kReported, total));
  // Numbers from above, for who published others.
  if (context.rules != Rules::lines) return facts;
  facts.push_back(whole_number("places for the first piece", 2, kGoossens, levels[2].size()));
  facts.push_back(whole_number("distinct, 1 down and 1 in hand", 4, kGoossens, levels[3].size()));
  facts.push_back(whole_number("distinct, 2 down and 1 in hand (by hand)", 336, kGoossens, levels[5].size()));
  facts.push_back(whole_number("distinct, 3 down and 1 in hand (by hand)", 61152, kGoossens, levels[7].size()));
  return facts;
}

// `published` is rounded to `unit`.
Fact estimate(std::string what, double published, double unit, double computed, double error, double scale,
              const char* scale_name) {
  const double value = computed / scale;
  return {std::move(what), fmt::format("{} {}", published, scale_name), kRoth,
          fmt::format("{:.3f} +- {:.3f} {}", value, error / scale, scale_name),
          std::abs(value - published) <= unit / 2 + error / scale};
}

// There are too many positions to list. Nearly every position has as many images as there are symmetries. So their
// number is the number of placements, times the share without a quarto, divided by the number of symmetries. The author
// counts the 8 geometric symmetries of the board, which are all that the rules `squares` have.
std::vector<Fact> tree(Context& context) {
  constexpr std::uint64_t kSamples = 400'000;
  const double symmetries = 8.0 * kPieceSymmetries;
  Rng rng(context.options.seed);
  double all = 0, all_variance = 0;
  std::array<double, kPieces + 1> count{}, error{};
  for (int pieces = 0; pieces <= kPieces; ++pieces) {
    const auto i = static_cast<std::size_t>(pieces);
    const double scale = placements(pieces) / symmetries, n = static_cast<double>(kSamples);
    const auto without = static_cast<double>(sample_without_quarto(pieces, kSamples, rng, context.rules));
    const Interval share = wilson(without, n);
    count[i] = scale * without / n;
    error[i] = scale * (share.high - share.low) / 2;
    all += count[i];
    all_variance += error[i] * error[i];
  }
  return {estimate("8 down, 1 in hand, by 3,072 symmetries (sample)", 16, 1, count[8], error[8], 1e9, "billion"),
          estimate("9 down, 1 in hand, by 3,072 symmetries (sample)", 89, 1, count[9], error[9], 1e9, "billion"),
          estimate("all positions, by 3,072 symmetries (sample)", 2.7, 0.1, all, std::sqrt(all_variance), 1e12,
                   "trillion")};
}

std::vector<Fact> rows(Context&) {
  constexpr std::uint64_t kOrders = 24ULL * 24 * 24 * 24 * 24;
  const std::uint64_t partitions = partitions_without_quarto();
  return {whole_number("sets of 4 pieces without a quarto", 1284, kIan, sets_without_quarto().size()),
          whole_number("16 pieces parted into 4 such sets", 778339, kIan, partitions),
          whole_number("full boards without a quarto in a row", 6'197'620'801'536, kIan, partitions * kOrders)};
}

std::vector<Fact> boards(Context& context) {
  const std::uint64_t count = full_boards_without_quarto(
      context.options.threads,
      [&](int done, int of) {
        context.show("counting full boards", static_cast<std::size_t>(done), static_cast<std::size_t>(of));
      },
      context.rules);
  return {whole_number("full boards without a quarto", 414'298'141'056, kZook, count)};
}

// `quiet` holds the positions in which no line can be completed at once; the others need no search.
std::vector<Fact> five(Context& context) {
  const std::vector<Position>& all = context.positions()[9];
  std::vector<Position> quiet;
  std::copy_if(all.begin(), all.end(), std::back_inserter(quiet), [](const Position& p) { return !wins_at_once(p); });
  const std::size_t at_once = all.size() - quiet.size(), drawable = quiet.size();
  const bool sampled = !context.in_book(9) && context.options.sample > 0 && context.options.sample < drawable;
  if (sampled) {
    Rng rng(context.options.seed);
    for (std::size_t i = 0; i < context.options.sample; ++i) std::swap(quiet[i], quiet[i + rng.below(drawable - i)]);
    quiet.resize(context.options.sample);
  }
  const std::vector<Value> values = context.values(quiet, "solving positions with 4 down, 1 in hand");
  const Outcomes outcomes = count_outcomes(values);
  const auto n = static_cast<double>(outcomes.total()), won = static_cast<double>(outcomes.win);
  const Interval interval = sampled ? wilson(won, n) : Interval{won / n, won / n};
  // "About" one in a thousand: between half and twice as many.
  const bool about = interval.high >= 0.0005 && interval.low <= 0.002;
  std::string share = fmt::format("{:.2f}%", 100 * won / n);
  if (sampled) share += fmt::format(" ({:.2f}-{:.2f}%)", 100 * interval.low, 100 * interval.high);
  const std::string note = sampled ? fmt::format(" (sample of {})", grouped(outcomes.total())) : "";
  const auto example = static_cast<std::size_t>(std::find(values.begin(), values.end(), Value::win) - values.begin());
  return {{"4 down, 1 in hand: the placer completes a line at once", "", "", grouped(at_once), {}},
          {"  no line at once: a win" + note, "exists", kGoossens,
           outcomes.win > 0 ? to_string(quiet[example]) : "none found", outcomes.win > 0},
          {"  no line at once: win / draw / loss" + note, "", "", text_of(outcomes), {}},
          {"  no line at once: won, share" + note, "about 0.1%", kGoossens, share, about}};
}

std::vector<Fact> early(Context& context) {
  const auto& levels = context.positions();
  std::vector<Value> values = context.values(levels[7], "solving positions with 3 down, 1 in hand");
  std::size_t at_once = 0, later = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == Value::win) ++(wins_at_once(levels[7][i]) ? at_once : later);
  }
  std::vector<Fact> facts = {whole_number("3 down, 1 in hand: won for the placer", 0, kGoossens, at_once + later),
                             whole_number("  of those, not by completing a line at once", 0, kGoossens, later)};
  facts.push_back({"ply 7: win / draw / loss", "", "", text_of(count_outcomes(values)), {}});
  for (std::size_t ply = 7; ply-- > 0;) {
    values = back_up(levels[ply], levels[ply + 1], values);
    const Outcomes outcomes = count_outcomes(values);
    Fact fact{fmt::format("ply {}: win / draw / loss", ply), "", "", text_of(outcomes), {}};
    if (ply == 3 || ply == 5) {
      fact.published = "0 won";
      fact.source = kGoossens;
      fact.agrees = outcomes.win == 0;
    }
    facts.push_back(fact);
  }
  facts.push_back({"value of the game", "draw", kGoossens, to_string(values[0]), values[0] == Value::draw});
  return facts;
}

// The longest forced win among these positions, and how many take as long.
struct Longest {
  int plies = 0;
  std::uint64_t as_long = 0;
  std::string example;
};
Longest longest_of(std::span<const Position> decided, Solver& solver, const Context& context, const std::string& what) {
  Longest found;
  for (std::size_t i = 0; i < decided.size(); ++i) {
    context.show(what, i, decided.size());
    const int placements = solver.distance(decided[i]).value();
    const int plies = 2 * placements - (decided[i].has_hand() ? 1 : 0);
    if (plies > found.plies) found = {plies, 0, to_string(decided[i])};
    found.as_long += plies == found.plies;
  }
  return found;
}

// The longest win. Under the rules `lines` no win is longer. Before ply 8 the only won positions are those in which a
// line can be completed at once (`early`). A player who is lost at ply 8 gives, and the winner places the fifth,
// seventh, ..., fifteenth piece at the latest: 22 plies. From ply 9 on the maximum is 22 plies too, because the winner
// makes every other placement. So if a position at ply 8 takes 22 plies, no win is longer. Under `squares` some
// positions at ply 7 are won, too, without a line to complete at once; they are timed as well. No position before is
// won or lost.
std::vector<Fact> longest(Context& context) {
  std::vector<Position> open, quiet;
  for (const Position& p : context.positions()[8]) {
    if (!p.is_terminal()) open.push_back(p);
  }
  const std::vector<Value> values = context.values(open, "solving positions with 4 down");
  std::vector<Position> lost, won;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (values[i] == Value::loss) lost.push_back(open[i]);
  }
  if (context.in_book(7)) {
    for (const Position& p : context.positions()[7]) {
      if (!wins_at_once(p)) quiet.push_back(p);
    }
    const std::vector<Value> earlier = context.values(quiet, "solving positions with 3 down, 1 in hand");
    for (std::size_t i = 0; i < quiet.size(); ++i) {
      if (earlier[i] == Value::win) won.push_back(quiet[i]);
    }
  }
  Solver solver({.table_bytes = context.options.table_bytes});
  const Longest at_8 = longest_of(lost, solver, context, "timing wins");
  std::vector<Fact> facts;
  const auto add = [&](const std::string& whose, std::span<const Position> decided, const std::string& what) {
    const Longest found = longest_of(decided, solver, context, what);
    facts.push_back({whose, "", "", grouped(decided.size()), {}});
    facts.push_back({"  longest forced win from there, in plies",
                     "",
                     "",
                     fmt::format("{}, in {} of {}", found.plies, found.as_long, decided.size()),
                     {}});
    facts.push_back({"  for example", "", "", found.example, {}});
  };
  add("4 down, to give: lost whatever is given", lost, "timing wins");
  if (!won.empty()) add("3 down, 1 in hand: won, not at once", won, "timing wins with 3 down, 1 in hand");
  return facts;
}

std::vector<Fact> game(Context& context) {
  const Value value = context.searched(Position(context.rules), "solving the empty board");
  return {{"value of the game, by one search", "draw", kGoossens, to_string(value), value == Value::draw}};
}

const FactGroup kGroups[] = {
    {"symmetries", "of the board, of the pieces", symmetries, FactGroup::instant},
    {"positions", "how many distinct ones after 0 to 9 plies", positions, FactGroup::instant},
    {"tree", "how many positions there are in all, by sampling", tree, FactGroup::instant},
    {"rows", "full boards without a quarto in a row", rows, FactGroup::instant, FactGroup::kNoPly, FactGroup::instant,
     true},
    {"boards", "full boards without a quarto", boards, FactGroup::seconds},
    {"five", "how often the player who places the fifth piece wins", five, FactGroup::seconds, 9, FactGroup::instant},
    {"longest", "the longest forced win", longest, FactGroup::hours, 8, FactGroup::seconds},
    {"game", "the value of the empty board", game, FactGroup::minutes},
    {"early", "the values of all positions up to 3 pieces down and 1 in hand", early, FactGroup::minutes, 7,
     FactGroup::instant},
};

}  // namespace

std::span<const FactGroup> fact_groups() { return kGroups; }
std::span<const FactSource> fact_sources() { return kSources; }

FactFinder::FactFinder(FactsOptions options) : context_(std::make_unique<Context>(std::move(options))) {}
FactFinder::~FactFinder() = default;

bool FactFinder::in_book(const FactGroup& group) const { return context_->in_book(group.ply); }

FactGroup::Cost FactFinder::cost(const FactGroup& group) const {
  // Positions lost at ply 8 by the book are timed one after another.
  constexpr std::uint32_t kTimedInSeconds = 100;
  if (!in_book(group)) return group.cost;
  const bool many = group.compute == longest && context_->options.book->ply(8).losses > kTimedInSeconds;
  return many ? FactGroup::minutes : group.with_book;
}

std::vector<Fact> FactFinder::compute(const FactGroup& group) {
  std::vector<Fact> facts = group.compute(*context_);
  for (Fact& fact : facts) {
    if (context_->rules != Rules::lines) fact = {fact.what, "", "", fact.computed, {}};
    if (fact.agrees == false) fact.verdict = verdict_on(fact.what);
  }
  return facts;
}

}  // namespace quarto
