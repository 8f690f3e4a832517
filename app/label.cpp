// quartozero label: computes exact values of many positions and writes suites or label files.
#include "data/label.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/output_file.h"
#include "app/sharing.h"
#include "app/solving.h"
#include "base/json_library.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/tell.h"
#include "data/label_input.h"
#include "env/notation.h"

namespace quarto::app {
namespace {

struct LabelOptions {
  std::string out, format, from, phase = "both", pieces = "5-13", sampling = "careful", keep = "all";
  std::vector<std::string> exclude;
  std::uint64_t sample = 0;
  std::uint64_t per_stratum = 1000, seed = 1;
  ExactOptions exact{.table_mb = kLargeTableMb};
  bool json = false;
  SharingOptions sharing;
};

// "7" or "5-13".
std::pair<int, int> parse_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto least = number_from<int>(text.substr(0, dash));
  const auto most = dash == text.npos ? least : number_from<int>(text.substr(dash + 1));
  if (!least || !most || *least < 0 || *most > 15 || *least > *most) {
    throw CLI::ValidationError("--pieces",
                               fmt::format("'{}': expected a number from 0 to 15, or a range such as 5-13", text));
  }
  return {*least, *most};
}

std::string stratum_name(const StratumReport& report) {
  return report.stratum ? fmt::format("{} {}", to_string(report.stratum->phase), report.stratum->pieces) : "given";
}

void print(const LabelReport& report) {
  fmt::print("{:>10} {:>11} {:>10} {:>10} {:>10} {:>12}\n", "stratum", "candidates", "labelled", "kept", "seconds",
             "labels/s");
  for (const StratumReport& s : report.strata) {
    fmt::print("{:>10} {:>11} {:>10} {:>10} {:>10.1f} {:>12}{}\n", stratum_name(s), s.candidates, s.labelled, s.kept,
               s.seconds, s.seconds > 0 ? format_count(static_cast<double>(s.labelled) / s.seconds) : "-",
               s.exhausted ? "  too few different positions came up" : "");
  }
}

nlohmann::ordered_json json_of(const LabelReport& report, const std::string& file) {
  nlohmann::ordered_json strata = nlohmann::ordered_json::array();
  for (const StratumReport& s : report.strata) {
    strata.push_back({{"stratum", stratum_name(s)},
                      {"candidates", s.candidates},
                      {"labelled", s.labelled},
                      {"kept", s.kept},
                      {"seconds", s.seconds},
                      {"exhausted", s.exhausted}});
  }
  return {{"file", file}, {"resumed", report.resumed}, {"strata", strata}};
}

void run_label(const LabelOptions& options) {
  const bool there = std::filesystem::exists(options.out);
  const auto refuse = [&] {
    throw std::runtime_error(fmt::format("'{}' is there already; remove it or name another --out", options.out));
  };
  if (there && !options.sharing.wanted()) refuse();
  LabelJob job;
  job.rules = options.exact.parsed_rules();
  job.out = options.out;
  job.format = value_named<LabelFormat>(options.format).value_or(label_format_of(options.out));
  job.keep = value_named<Keep>(options.keep).value();
  if (options.from.empty()) {
    std::vector<Phase> phases{Phase::place, Phase::give};
    std::erase_if(phases, [&](Phase p) { return options.phase != "both" && options.phase != to_string(p); });
    const auto [least, most] = parse_range(options.pieces);
    job.strata = strata_of(phases, least, most);
    job.per_stratum = options.per_stratum;
    job.sampling = value_named<Sampling>(options.sampling).value();
    job.seed = options.seed;
  } else {
    job.positions = read_positions(options.from, job.rules);
    if (options.sample > 0) job.positions = drawn(job.positions, options.sample, options.seed);
  }
  for (const std::string& file : options.exclude) add_keys(file, job.rules, job.excluded);
  if (there) {
    tell_ended(options.sharing, label_job(job), options.out);
    refuse();
  }
  job.stop = &stop_on_interrupt();
  LabelReport report;
  {
    const std::uint64_t asked = job.strata.empty() ? job.positions.size() : job.per_stratum * job.strata.size();
    std::optional<Progress> progress;
    const auto show = [&](std::uint64_t kept, const std::string& note) {
      // The first portion may hold an earlier run's results.
      if (!progress) progress.emplace("labelling", asked, "positions", kept);
      progress->update(kept, note);
    };
    if (options.sharing.wanted()) {
      std::optional<Sharing> sharing;
      // Only the process that holds the file takes the job over in the store.
      const auto shares = [&]() -> Shares& {
        sharing.emplace(options.sharing, label_job(job), options.out,
                        WorkerSettings{.threads = options.exact.threads, .table_bytes = options.exact.table_mb << 20});
        return sharing->shares();
      };
      report = label(job, shares, [&](std::uint64_t kept) { show(kept, sharing->note()); });
      if (!report.stopped) sharing->finish();
    } else {
      Solver solver = options.exact.solver();
      report = label(job, solver, [&](std::uint64_t kept) { show(kept, ""); });
    }
  }
  if (report.dropped_bytes > 0) {
    tell("{} bytes at the end of {}.partial were damaged and are done again\n", report.dropped_bytes, options.out);
  }
  if (report.resumed > 0)
    tell("{} positions were kept by earlier runs; the table counts their candidates and time no more\n",
         report.resumed);
  if (report.stopped) {
    throw Failed(fmt::format("stopped; the same command continues from {}.partial", options.out));
  }
  std::uint64_t kept = 0;
  for (const StratumReport& s : report.strata) kept += s.kept;
  if (kept == 0) {
    std::filesystem::remove(options.out);
    throw Failed(fmt::format("no position was kept, so there is no '{}'", options.out));
  }
  if (options.json) {
    print_json(json_of(report, options.out));
  } else {
    print(report);
  }
}

}  // namespace

void add_label(CLI::App& app) {
  auto options = std::make_shared<LabelOptions>();
  CLI::App* command =
      app.add_subcommand("label", "find the exact values of all moves of many positions: suites, or data to train on");
  command->footer(
      "Positions are read from a file or generated by random play, so many for each stratum (a phase and a number of\n"
      "pieces on the board), no two of them images of each other. May be interrupted: what was found is kept in\n"
      "FILE.partial, and the same command continues there. docs/formats.md has the formats.\n"
      "\n"
      "Examples:\n"
      "  quartozero label --out train.labels --pieces 4-14 --per-stratum 20000 --exclude eval/suites/deep.tsv\n"
      "  quartozero label --out hard.tsv --keep deep --pieces 6-12 --per-stratum 100 --seed 7\n"
      "  quartozero label --out answers.tsv --from positions.txt        one position a line; - for standard input\n"
      "  quartozero label --out deep.jsonl --from eval/suites/deep.tsv  JSON lines, for other programs\n"
      "  quartozero label --out reached.tsv --from runs/first/replay/00000010.qrs --sample 2000   what self-play "
      "reaches\n"
      "  quartozero label --out train.labels --per-stratum 1000000 --store redis://localhost\n"
      "  quartozero worker --store redis://this-host                    on other machines, any number, at any time");
  command->add_option("--out", options->out, "file to write")->required()->type_name("FILE");
  command
      ->add_option("--format", options->format,
                   "suite (text), shards (16 bytes a position) or jsonl (JSON lines, for other programs); by default\n"
                   "shards if FILE ends in .labels, jsonl if it ends in .jsonl")
      ->check(CLI::IsMember(all_names<LabelFormat>()));
  auto* from =
      command
          ->add_option(
              "--from", options->from,
              "label the positions of this file: text, labels, or a shard of a run's replay buffer (.qrs), whose\n"
              "positions are as self-play reached them; - for standard input")
          ->type_name("FILE");
  command->add_option("--sample", options->sample, "of --from so many positions, drawn with --seed; 0: all")
      ->needs(from);
  command->add_option("--phase", options->phase, "place, give or both")
      ->check(CLI::IsMember({"place", "give", "both"}))
      ->capture_default_str()
      ->excludes(from);
  command->add_option("--pieces", options->pieces, "pieces on the board: a number or a range")
      ->type_name("N-M")
      ->capture_default_str()
      ->excludes(from);
  command->add_option("--per-stratum", options->per_stratum, "positions of each phase and number of pieces")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str()
      ->excludes(from);
  command
      ->add_option("--sampling", options->sampling,
                   "random play that avoids ending the game (careful), that never nears its end (quiet), or any")
      ->check(CLI::IsMember(all_names<Sampling>()))
      ->capture_default_str()
      ->excludes(from);
  command
      ->add_option("--keep", options->keep,
                   "all; decisive: moves of at least two values; deep: so even after the one-ply rule")
      ->check(CLI::IsMember(all_names<Keep>()))
      ->capture_default_str();
  command
      ->add_option("--exclude", options->exclude,
                   "leave out the positions of these suites or label files, in every image")
      ->type_name("FILE");
  command->add_option("--seed", options->seed, "seed of the generated or drawn positions")->capture_default_str();
  options->exact.add_to(*command);
  command->add_flag("--json", options->json, "one line of JSON instead of a table");
  options->sharing.add_to(*command);
  command->get_option("--store")->excludes("--book");
  command->callback([options] { run_label(*options); });
}

}  // namespace quarto::app
