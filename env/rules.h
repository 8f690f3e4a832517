// Rule sets: which sets of four squares win. This file is the only place that names them. Symmetries, hash keys,
// notation, the solver's tables and the networks' inputs follow from the rows below; docs/extending.md says how a row
// is added.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/names.h"
#include "env/types.h"

namespace quarto {

// Rows, columns and long diagonals win under every rule set. A row gives
//   - the name: in options, files and addresses; the number in files is the row's place, so a new row goes to the end;
//   - what wins beside them, in words that can follow "a line or"; nothing if nothing does;
//   - the sets of squares that do (bit 0 is a1, bit 3 is d1, bit 15 is d4), at most kMostMoreSets.
#define QUARTO_RULE_SETS(ROW) \
  ROW(lines, "")              \
  ROW(squares, "a 2x2 square", 0x0033, 0x0066, 0x00CC, 0x0330, 0x0660, 0x0CC0, 0x3300, 0x6600, 0xCC00)

enum class Rules : std::uint8_t {
#define QUARTO_ROW(name, ...) name,
  QUARTO_RULE_SETS(QUARTO_ROW)
#undef QUARTO_ROW
};

inline constexpr int kLines = 10;  // four rows, four columns, two long diagonals
// Rows 1..4, columns a..d, the diagonal a1-d4, the diagonal d1-a4.
inline constexpr std::array<Mask, kLines> kLineMasks = {0x000F, 0x00F0, 0x0F00, 0xF000, 0x1111,
                                                        0x2222, 0x4444, 0x8888, 0x8421, 0x1248};

// The solver sorts a word with two bits for each set (solver/canonical.h), so there can be 28 sets.
inline constexpr int kMostMoreSets = 28 - kLines;

class RuleSet {
 public:
  constexpr RuleSet(std::string_view name, std::string_view more, std::initializer_list<Mask> sets)
      : name_(name), more_(more), count_(kLines) {
    for (std::size_t i = 0; i < kLineMasks.size(); ++i) sets_[i] = kLineMasks[i];
    for (const Mask set : sets) sets_.at(static_cast<std::size_t>(count_++)) = set;
  }

  constexpr std::string_view name() const { return name_; }
  constexpr std::string_view more() const { return more_; }  // what wins besides lines, in words
  // Every set of four squares that wins: rows, columns and long diagonals, then the others.
  constexpr std::span<const Mask> sets() const { return std::span(sets_).first(static_cast<std::size_t>(count_)); }
  constexpr std::span<const Mask> more_sets() const { return sets().subspan(kLines); }
  constexpr int size() const { return count_; }

 private:
  std::string_view name_, more_;
  std::array<Mask, kLines + kMostMoreSets> sets_{};
  int count_;
};

inline constexpr std::array kRuleSets = {
#define QUARTO_ROW(name, more, ...) RuleSet(#name, more, {__VA_ARGS__}),
    QUARTO_RULE_SETS(QUARTO_ROW)
#undef QUARTO_ROW
};

constexpr const RuleSet& rule_set(Rules rules) { return kRuleSets[static_cast<std::size_t>(rules)]; }
constexpr std::span<const Mask> winning_sets(Rules rules) { return rule_set(rules).sets(); }

inline constexpr auto kAllRules = [] {
  std::array<Rules, kRuleSets.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Rules>(i);
  return all;
}();
static_assert(
    [] {
      for (const RuleSet& rules : kRuleSets) {
        for (const Mask set : rules.sets()) {
          if (std::popcount(set) != kSide) return false;
        }
      }
      return true;
    }(),
    "a winning set has four squares");

// Whether a number that was read from a file stands for rules.
constexpr bool is_rules(unsigned number) { return number < kRuleSets.size(); }

// The most winning sets of any rule set: the size of arrays that hold something for each.
inline constexpr int kMostWinningSets = [] {
  int most = 0;
  for (const RuleSet& rules : kRuleSets) most = rules.size() > most ? rules.size() : most;
  return most;
}();

constexpr auto names_of(Rules) {
  std::array<Name<Rules>, kRuleSets.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {kAllRules[i], kRuleSets[i].name()};
  return names;
}

// Rules as a type, for code that is compiled once for each rule set.
template <Rules kRules>
using RulesConstant = std::integral_constant<Rules, kRules>;

// f(RulesConstant<rules>{}).
template <std::size_t i = 0, class F>
constexpr decltype(auto) with_rules(Rules rules, F&& f) {
  if constexpr (i + 1 < kRuleSets.size()) {
    if (rules != kAllRules[i]) return with_rules<i + 1>(rules, std::forward<F>(f));
  }
  return std::forward<F>(f)(RulesConstant<kAllRules[i]>{});
}

// A T<rules> for each rule set.
template <template <Rules> class T>
class ForEachRules {
 private:
  template <class Indices>
  struct TupleOf;
  template <std::size_t... i>
  struct TupleOf<std::index_sequence<i...>> {
    using type = std::tuple<T<kAllRules[i]>...>;
  };

 public:
  template <Rules kRules>
  T<kRules>& of() {
    return std::get<static_cast<std::size_t>(kRules)>(all_);
  }
  // f(T<rules>&)
  template <class F>
  decltype(auto) visit(Rules rules, F&& f) {
    return with_rules(rules, [&](auto constant) -> decltype(auto) { return f(of<constant()>()); });
  }
  template <class F>
  void for_each(F&& f) {
    std::apply([&](auto&... each) { (f(each), ...); }, all_);
  }

 private:
  typename TupleOf<std::make_index_sequence<kRuleSets.size()>>::type all_;
};

// The T(rules) that was made at the first call for these rules. Thread-safe. It is never destroyed, because threads and
// destructors of other static objects may still ask for it while the program ends.
template <class T>
const T& made_once_for(Rules rules) {
  return with_rules(rules, [](auto constant) -> const T& {
    static const T& made = *new T(constant());
    return made;
  });
}

}  // namespace quarto
