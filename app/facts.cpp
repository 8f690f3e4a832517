// quartozero facts: recomputes published facts about the game and prints each with its source. The same facts about the
// rules `squares`, of which no publication is known, are printed alone.
#include "eval/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/output_file.h"
#include "app/solving.h"
#include "app/table.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "env/notation.h"

namespace quarto::app {
namespace {

struct FactsArguments {
  std::vector<std::string> only;
  bool quick = false, full = false, json = false;
  std::size_t sample = FactsOptions{}.sample;
  ExactOptions exact{.table_mb = kLargeTableMb};
  std::uint64_t seed = 0;
};

struct Choice {
  std::vector<const FactGroup*> groups, left_out;
};

// Throws CLI::ValidationError if a group is named that makes no sense under the rules.
Choice chosen(const FactsArguments& o, const FactFinder& finder, Rules rules) {
  const auto most = o.full ? FactGroup::hours : o.quick ? FactGroup::instant : FactGroup::seconds;
  Choice choice;
  for (const FactGroup& g : fact_groups()) {
    const bool named = std::find(o.only.begin(), o.only.end(), g.name) != o.only.end();
    if (g.lines_only && rules != Rules::lines) {
      if (!named) continue;
      throw CLI::ValidationError("--only", fmt::format("'{0}' counts {1}, whatever the rules: use --only {0} without "
                                                       "--rules {2}, and 'boards' with it",
                                                       g.name, g.help, to_string(rules)));
    }
    if (o.only.empty() ? finder.cost(g) <= most : named) {
      choice.groups.push_back(&g);
    } else if (o.only.empty()) {
      choice.left_out.push_back(&g);
    }
  }
  return choice;
}

// What is not computed for its cost, and what would compute it. Empty if nothing is left out.
std::string text_of(const Choice& choice, const FactFinder& finder, Rules rules) {
  if (choice.left_out.empty()) return "";
  std::string text = "Left out (--only NAME computes one, --full computes all):\n";
  std::string from_book;
  for (const FactGroup* g : choice.left_out) {
    text += fmt::format("  {:11} {}\n", g->name, g->help);
    if (g->cost > FactGroup::seconds && g->ply != FactGroup::kNoPly && !finder.in_book(*g))
      from_book += (from_book.empty() ? "" : ", ") + std::string(g->name);
  }
  if (!from_book.empty()) {
    text += fmt::format(
        "Without an opening book these may take hours: {0}. To make one, which may take hours too, and use it:\n"
        "  quartozero book build --rules {1} --out {1}.book\n"
        "  quartozero facts --rules {1} --book {1}.book\n",
        from_book, to_string(rules));
  }
  return text;
}

nlohmann::ordered_json json_of(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

void run_facts(const FactsArguments& o) {
  const Rules rules = o.exact.parsed_rules();
  StagedProgress progress("positions");
  FactFinder finder({.rules = rules,
                     .book = book_named(o.exact.book, rules),
                     .threads = o.exact.threads,
                     .table_bytes = o.exact.table_mb << 20,
                     .sample = o.sample,
                     .seed = o.seed,
                     .on_progress = progress.shower()});
  const bool compared = rules == Rules::lines;
  const Choice choice = chosen(o, finder, rules);
  TextTable table(compared ? std::vector<std::string>{"fact", "published", "source", "computed", "agrees?"}
                           : std::vector<std::string>{"fact", "computed"});
  nlohmann::ordered_json report = {{"rules", o.exact.rules}, {"facts", nlohmann::ordered_json::array()}};
  std::vector<std::string> cited;
  std::string verdicts;
  for (const FactGroup* group : choice.groups) {
    table.add_rule();
    for (const Fact& fact : finder.compute(*group)) {
      cited.push_back(fact.source);
      const std::string agrees = !fact.agrees ? "" : *fact.agrees ? "yes" : "DIFFERS";
      table.add(compared ? std::vector<std::string>{fact.what, fact.published, fact.source, fact.computed, agrees}
                         : std::vector<std::string>{fact.what, fact.computed});
      if (!fact.verdict.empty()) {
        verdicts += fmt::format("  {}: {} published, {} computed.\n    {}\n",
                                fact.what.substr(fact.what.find_first_not_of(' ')), fact.published, fact.computed,
                                fact.verdict);
      }
      report["facts"].push_back(
          {{"group", group->name},
           {"fact", fact.what},
           {"published", json_of(fact.published)},
           {"source", json_of(fact.source)},
           {"computed", fact.computed},
           {"agrees", fact.agrees ? nlohmann::ordered_json(*fact.agrees) : nlohmann::ordered_json(nullptr)}});
      if (!fact.verdict.empty()) report["facts"].back()["verdict"] = fact.verdict;
    }
  }
  progress.finish();
  report["left_out"] = nlohmann::ordered_json::array();
  for (const FactGroup* group : choice.left_out) report["left_out"].push_back(group->name);
  report["sources"] = nlohmann::ordered_json::object();
  std::string sources;
  for (const FactSource& source : fact_sources()) {
    if (std::find(cited.begin(), cited.end(), source.name) == cited.end()) continue;
    report["sources"][source.name] = source.text;
    std::string text = source.text;
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 12)
      text.replace(at, 1, "\n           ");
    sources += fmt::format("{:9}  {}\n", source.name, text);
  }
  if (o.json) {
    print_json(report);
    return;
  }
  if (!verdicts.empty()) verdicts = "Who is right where the numbers differ (docs/facts.md):\n" + verdicts;
  fmt::print("{}", table.str());
  for (const std::string& below : {verdicts, text_of(choice, finder, rules), sources}) {
    if (!below.empty()) fmt::print("\n{}", below);
  }
}

}  // namespace

void add_facts(CLI::App& app) {
  auto o = std::make_shared<FactsArguments>();
  CLI::App* command = app.add_subcommand("facts", "compute numbers about the game, beside the published ones");
  std::vector<std::string> names;
  std::string list;
  for (const FactGroup& g : fact_groups()) {
    names.emplace_back(g.name);
    const char* note = g.lines_only                  ? " (rules lines only)"
                       : g.cost < FactGroup::minutes ? ""
                       : g.ply == FactGroup::kNoPly  ? " (--full)"
                                                     : " (--full, or a book)";
    list += fmt::format("  {:11} {}{}\n", g.name, g.help, note);
  }
  command->footer(fmt::format(
      "Each row is computed here, from the rules, and set beside what was published. A ply is a give or a place;\n"
      "positions are distinct if no symmetry makes them equal. A row that says \"sample\" is an estimate with its 95%\n"
      "interval, and the seed decides what is drawn. Values that the opening book holds are not searched again.\n"
      "With --rules squares the nine 2x2 squares count as lines too. No publication of those numbers is known, so\n"
      "nothing stands beside them.\n"
      "\n"
      "Groups:\n{}\n"
      "Examples:\n"
      "  quartozero facts                                    what takes up to a minute or two\n"
      "  quartozero facts --quick                            what takes a second or two\n"
      "  quartozero facts --only boards,rows --json          these, for programs\n"
      "  quartozero facts --full --table-mb 4096             everything, in a minute or two\n"
      "  quartozero facts --rules squares                    what takes a minute or two for that game\n"
      "\n"
      "Exit status: 0 all was computed, whether or not it agrees with what was published; 1 something failed;\n"
      "2 the command line was wrong.",
      list));
  auto* only = command->add_option("--only", o->only, "these groups, including slow ones")
                   ->type_name("NAME[,NAME...]")
                   ->delimiter(',')
                   ->check(CLI::IsMember(names));
  auto* quick =
      command->add_flag("--quick", o->quick, "leave out groups that take more than a few seconds")->excludes(only);
  command->add_flag("--full", o->full, "all groups, including slow ones")->excludes(only)->excludes(quick);
  command->add_flag("--json", o->json, "one line of JSON instead of a table");
  command
      ->add_option("--sample", o->sample,
                   "without a book: positions of group five to solve, drawn at random; 0: all of them")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  o->exact.add_to(*command);
  command->add_option("--seed", o->seed, "seed of the positions drawn for samples")->capture_default_str();
  command->callback([o] { run_facts(*o); });
}

}  // namespace quarto::app
