// quartozero label: computes exact values of many positions and writes suites or label files.
#include "data/label.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/output_file.h"
#include "app/sharing.h"
#include "app/solving.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/tell.h"
#include "data/label_share.h"
#include "data/replay.h"
#include "env/notation.h"

namespace quarto::app {
namespace {

struct LabelOptions {
  std::string out, format, from, phase = "both", pieces = "5-13", sampling = "careful", keep = "all", rules = "lines",
                                 book = "shipped";
  std::vector<std::string> exclude;
  std::uint64_t sample = 0;
  std::uint64_t per_stratum = 1000, seed = 1;
  std::size_t table_mb = 1024;
  int threads = usable_cores();
  bool json = false;
  SharingOptions sharing;
};

// "7" or "5-13".
std::pair<int, int> parse_range(const std::string& text) {
  const auto fail = [&text]() -> std::pair<int, int> {
    throw CLI::ValidationError("--pieces",
                               fmt::format("'{}': expected a number from 0 to 15, or a range such as 5-13", text));
  };
  std::pair<int, int> range;
  const char* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, range.first);
  if (error != std::errc()) return fail();
  range.second = range.first;
  if (at != end) {
    if (*at != '-') return fail();
    const auto [last, second_error] = std::from_chars(at + 1, end, range.second);
    if (second_error != std::errc() || last != end) return fail();
  }
  return range.first < 0 || range.second > 15 || range.first > range.second ? fail() : range;
}

std::vector<Stratum> strata_of(const LabelOptions& options) {
  const auto [least, most] = parse_range(options.pieces);
  std::vector<Stratum> strata;
  for (int n = least; n <= most; ++n) {
    for (const Phase phase : {Phase::place, Phase::give}) {
      if (options.phase == "both" || options.phase == to_string(phase)) strata.push_back({phase, n});
    }
  }
  return strata;
}

// What an option names: text, or a binary file of ours, which its own reader reads again. So text may be a pipe, such
// as <(...) of a shell, and the others may not.
struct Input {
  std::string name, text;
  bool labels = false, shard = false;
};

Input read_input(const std::string& file, bool standard = false) {
  Input input{.name = standard ? "standard input" : file, .text = standard ? read_standard_input() : read_file(file)};
  input.labels = input.text.starts_with("QuartoLb");
  input.shard = input.text.starts_with("QRSHARD");
  if (input.labels || input.shard) input.text.clear();
  if ((input.labels || input.shard) && (standard || !std::filesystem::is_regular_file(file))) {
    throw std::runtime_error(fmt::format("{}: {} must be named as a file, not sent through a pipe", input.name,
                                         input.labels ? "labels" : "a shard of a replay buffer"));
  }
  return input;
}

std::vector<SuiteEntry> read_labels_of(const std::string& file, Rules rules) {
  LabelFileInfo info;
  auto entries = read_labels(file, info);
  if (info.rules != rules) {
    throw LabelError(
        fmt::format("{}: labelled under the rules '{}', not '{}'", file, to_string(info.rules), to_string(rules)));
  }
  return entries;
}

// The positions of a shard of a run's replay buffer, as self-play reached them: one that was reached twice is there
// twice.
std::vector<Position> read_shard_positions(const std::string& from, Rules rules) {
  std::vector<Position> positions;
  for (const Sample& sample : read_shard(from).samples) {
    if (sample.skip & Sample::kSkipOutcome) continue;  // a further copy, to be learned from more often
    const Position position = sample.position();
    if (position.rules() != rules) {
      throw std::runtime_error(fmt::format("{}: positions under the rules '{}', not '{}': --rules {}", from,
                                           to_string(position.rules()), to_string(rules), to_string(position.rules())));
    }
    positions.push_back(position);
  }
  return positions;
}

// So many of them, drawn at random, in their order.
std::vector<Position> drawn(std::vector<Position> positions, std::uint64_t count, std::uint64_t seed) {
  if (count >= positions.size()) return positions;
  std::vector<Position> chosen;
  Rng rng(seed);
  // Selection sampling (Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S).
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (rng.below(positions.size() - i) < count - chosen.size()) chosen.push_back(positions[i]);
  }
  return chosen;
}

// One position a line. Text after a tab is ignored, so a suite can be labelled again.
std::vector<Position> parse_positions(const Input& input, Rules rules) {
  const std::string& text = input.text;
  std::vector<Position> positions;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    at = end + 1;
    ++line_number;
    line = line.substr(0, line.find('\t'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    try {
      positions.push_back(parse_position(line, rules));
    } catch (const NotationError& e) {
      throw std::runtime_error(fmt::format("{}:{}: column {}: {}", input.name, line_number, e.column(), e.what()));
    }
    if (positions.back().is_terminal()) {
      throw std::runtime_error(fmt::format("{}:{}: the game is over in this position", input.name, line_number));
    }
  }
  return positions;
}

// Reads a label file, a shard of a replay buffer, or text.
std::vector<Position> read_positions(const std::string& from, Rules rules) {
  const Input input = read_input(from, from == "-");
  std::vector<Position> positions;
  if (input.shard) {
    positions = read_shard_positions(from, rules);
  } else if (input.labels) {
    for (const SuiteEntry& entry : read_labels_of(from, rules)) positions.push_back(entry.position);
  } else {
    positions = parse_positions(input, rules);
  }
  if (positions.empty()) throw std::runtime_error(fmt::format("{}: no positions", input.name));
  return positions;
}

// Adds the keys of a suite or a label file.
void exclude(const std::string& file, Rules rules, std::set<CanonicalKey>& keys) {
  const Input input = read_input(file);
  const auto entries = input.labels ? read_labels_of(file, rules) : parse_suite(input.text, input.name, rules);
  for (const SuiteEntry& entry : entries) keys.insert(canonical_key(entry.position));
}

template <class T>
T named(const std::string& name, std::initializer_list<std::pair<const char*, T>> values) {
  for (const auto& [text, value] : values) {
    if (name == text) return value;
  }
  throw std::logic_error(name);
}

std::string name_of(const StratumReport& report) {
  return report.stratum ? fmt::format("{} {}", to_string(report.stratum->phase), report.stratum->pieces) : "given";
}

void print(const LabelReport& report) {
  fmt::print("{:>10} {:>11} {:>10} {:>10} {:>10} {:>12}\n", "stratum", "candidates", "labelled", "kept", "seconds",
             "labels/s");
  for (const StratumReport& s : report.strata) {
    fmt::print("{:>10} {:>11} {:>10} {:>10} {:>10.1f} {:>12}{}\n", name_of(s), s.candidates, s.labelled, s.kept,
               s.seconds, s.seconds > 0 ? format_count(static_cast<double>(s.labelled) / s.seconds) : "-",
               s.exhausted ? "  too few different positions came up" : "");
  }
}

nlohmann::ordered_json json_of(const LabelReport& report, const std::string& file) {
  nlohmann::ordered_json strata = nlohmann::ordered_json::array();
  for (const StratumReport& s : report.strata) {
    strata.push_back({{"stratum", name_of(s)},
                      {"candidates", s.candidates},
                      {"labelled", s.labelled},
                      {"kept", s.kept},
                      {"seconds", s.seconds},
                      {"exhausted", s.exhausted}});
  }
  return {{"file", file}, {"resumed", report.resumed}, {"strata", strata}};
}

LabelFormat format_of(const LabelOptions& options) {
  if (!options.format.empty()) {
    return named<LabelFormat>(
        options.format,
        {{"suite", LabelFormat::suite}, {"shards", LabelFormat::shards}, {"jsonl", LabelFormat::jsonl}});
  }
  if (options.out.ends_with(".labels")) return LabelFormat::shards;
  return options.out.ends_with(".jsonl") ? LabelFormat::jsonl : LabelFormat::suite;
}

// The job for workers elsewhere. The book is the shipped one everywhere: no value depends on it.
Job shared_job(const LabelOptions& options, const LabelJob& job) {
  Job shared{.kind = kLabelJob,
             .settings = {{"rules", options.rules}, {"job", store::fingerprint_text(fingerprint(job))}}};
  shared.check = [rules = job.rules](const std::string& input, const std::string& result) {
    (void)labels_of_share(input, rules, result);
  };
  return shared;
}

LabelReport label_in_shares(const LabelOptions& options, const LabelJob& job,
                            const std::function<void(std::uint64_t kept, const std::string& note)>& show) {
  Job shared = shared_job(options, job);
  const bool works = !options.sharing.only_coordinate;
  // One that only coordinates needs no memory but for the probe.
  auto local = make_label_worker(
      shared.settings, {.threads = works ? options.threads : 1, .table_bytes = (works ? options.table_mb : 16) << 20});
  shared.probe = local->probe();
  if (!works) local.reset();
  std::optional<Sharing> sharing;
  // Only the process that holds the file takes the job over in the store.
  const auto shares = [&]() -> Shares& {
    sharing.emplace(options.sharing, shared, options.out, std::move(local));
    return sharing->shares();
  };
  const LabelReport report = label(job, shares, [&](std::uint64_t kept) { show(kept, sharing->note()); });
  if (!report.stopped) sharing->finish();
  return report;
}

void run_label(const LabelOptions& options) {
  const bool there = std::filesystem::exists(options.out);
  const auto refuse = [&] {
    throw std::runtime_error(fmt::format("'{}' is there already; remove it or name another --out", options.out));
  };
  if (there && !options.sharing.wanted()) refuse();
  LabelJob job;
  job.rules = parse_rules(options.rules);
  job.out = options.out;
  job.format = format_of(options);
  job.keep = named<Keep>(options.keep, {{"all", Keep::all}, {"decisive", Keep::decisive}, {"deep", Keep::deep}});
  if (options.from.empty()) {
    job.strata = strata_of(options);
    job.per_stratum = options.per_stratum;
    job.sampling = named<Sampling>(
        options.sampling, {{"careful", Sampling::careful}, {"quiet", Sampling::quiet}, {"any", Sampling::any}});
    job.seed = options.seed;
  } else {
    job.positions = read_positions(options.from, job.rules);
    if (options.sample > 0) job.positions = drawn(std::move(job.positions), options.sample, options.seed);
  }
  for (const std::string& file : options.exclude) exclude(file, job.rules, job.excluded);
  if (there) {
    tell_ended(options.sharing, shared_job(options, job), options.out);
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
      report = label_in_shares(options, job, show);
    } else {
      Solver solver({.table_bytes = options.table_mb << 20,
                     .threads = options.threads,
                     .books = book_named(options.book, job.rules)});
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
      ->check(CLI::IsMember({"suite", "shards", "jsonl"}));
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
      ->check(CLI::IsMember({"careful", "quiet", "any"}))
      ->capture_default_str()
      ->excludes(from);
  command
      ->add_option("--keep", options->keep,
                   "all; decisive: moves of at least two values; deep: so even after the one-ply rule")
      ->check(CLI::IsMember({"all", "decisive", "deep"}))
      ->capture_default_str();
  command
      ->add_option("--exclude", options->exclude,
                   "leave out the positions of these suites or label files, in every image")
      ->type_name("FILE");
  add_rules_option(*command, options->rules);
  add_book_option(*command, options->book);
  command->add_option("--seed", options->seed, "seed of the generated or drawn positions")->capture_default_str();
  add_threads_option(*command, options->threads);
  add_table_option(*command, options->table_mb);
  command->add_flag("--json", options->json, "one line of JSON instead of a table");
  options->sharing.add_to(*command);
  command->get_option("--store")->excludes("--book");
  command->callback([options] { run_label(*options); });
}

}  // namespace quarto::app
