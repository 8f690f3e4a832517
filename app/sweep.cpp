// quartozero sweep: trains one run for every combination of settings, and compares them.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/commands.h"
#include "app/comparing.h"
#include "app/interrupt.h"
#include "app/paste.h"
#include "app/torch_library.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "train/config.h"
#include "train/run_directory.h"

namespace quarto::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRuns = 1000;

struct SweepArguments {
  std::string config, out;
  std::vector<std::string> set, seeds;
  int jobs = 1;
  bool dry_run = false;
};

struct PlannedRun {
  std::string name;               // of its directory, "batch=64 seed=1" without blanks
  std::vector<std::string> sets;  // "learner.batch=64"
  fs::path directory, log;
  RunConfig config;
  pid_t child = -1;
  Clock::time_point began{};
  bool whole = true;  // begun by this sweep, so that its time is that of a run
  double seconds = 0;
  int status = -1;  // as exit() gives it; -1: not ended
};

// "key=1,2,4" to the key and its values.
std::pair<std::string, std::vector<std::string>> parse_axis(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError(fmt::format("--set {}: expected key=value or key=value,value,...", text));
  std::vector<std::string> values;
  for (std::size_t at = equals + 1;;) {
    const auto comma = text.find(',', at);
    values.push_back(text.substr(at, comma - at));
    if (comma == std::string::npos) break;
    at = comma + 1;
  }
  return {text.substr(0, equals), values};
}

std::string file_name_of(std::string text) {
  for (char& c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '=' || c == '_';
    if (!plain) c = '-';
  }
  return text;
}

// Every combination of the values, the last key's changing fastest. Names have the keys that vary, by their last part
// where that is enough.
std::vector<PlannedRun> plan(const SweepArguments& o) {
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  for (const std::string& text : o.set) {
    axes.push_back(parse_axis(text));
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      if (axes[i].first == axes.back().first)
        throw ConfigError(fmt::format("--set {}: '{}' is set twice; list its values after one =", text, axes[i].first));
    }
  }
  if (!o.seeds.empty()) {
    if (std::any_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.first == "seed"; }))
      throw ConfigError("--set seed and --seeds: 'seed' is set twice; --seeds 1,2,3 is enough");
    axes.emplace_back("seed", o.seeds);
  }
  std::map<std::string, int> last_parts;
  const auto last_part = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  for (const auto& [key, values] : axes) ++last_parts[last_part(key)];
  std::vector<PlannedRun> runs{{}};
  for (const auto& [key, values] : axes) {
    std::vector<PlannedRun> next;
    for (const PlannedRun& run : runs) {
      for (const std::string& value : values) {
        PlannedRun more = run;
        more.sets.push_back(key + "=" + value);
        const std::string shown = last_parts[last_part(key)] > 1 ? key : last_part(key);
        if (values.size() > 1) more.name += (more.name.empty() ? "" : "_") + file_name_of(shown + "=" + value);
        next.push_back(std::move(more));
      }
    }
    runs = std::move(next);
    if (runs.size() > kMostRuns) throw ConfigError(fmt::format("more than {} runs", kMostRuns));
  }
  std::set<std::string> names;
  for (PlannedRun& run : runs) {
    if (run.name.empty()) run.name = "run";
    if (!names.insert(run.name).second) throw ConfigError(fmt::format("two runs would be called '{}'", run.name));
    run.directory = fs::path(o.out) / run.name;
    run.log = fs::path(o.out) / (run.name + ".log");
    run.config = load_run_config(o.config, run.sets);
    const RunPlan planned = plan_run(o.config, run.sets, run.directory, true);
    if (!planned.changes.empty()) {
      throw RunError(
          fmt::format("'{}' was begun with another configuration: {}; name another --out, or the same settings",
                      run.directory.string(), fmt::join(planned.changes, "; ")));
    }
  }
  return runs;
}

void start(PlannedRun& run, const SweepArguments& o) {
  std::vector<std::string> words{program_invocation_name, "train", o.config, "--out", run.directory.string()};
  run.whole = !fs::exists(run.directory);
  if (!run.whole) words.emplace_back("--resume");
  for (const std::string& set : run.sets) words.insert(words.end(), {"--set", set});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int log = ::open(run.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) throw FileError(fmt::format("cannot write '{}': {}", run.log.string(), std::strerror(errno)));
  run.began = Clock::now();
  std::fflush(stdout);
  run.child = ::fork();
  if (run.child == 0) {
    // A group of its own: Ctrl-C is passed on once, by this program.
    ::setpgid(0, 0);
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }
  ::close(log);
  if (run.child < 0) throw std::runtime_error(fmt::format("a process cannot be started: {}", std::strerror(errno)));
}

bool ended(PlannedRun& run) {
  int status = 0;
  if (::waitpid(run.child, &status, WNOHANG) != run.child) return false;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.seconds = seconds_since(run.began);
  run.child = -1;
  return true;
}

std::string last_line(const fs::path& file) {
  std::string text = read_file(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Until the last run has ended, from the limits in minutes or else from the runs that this sweep has begun and ended.
// What a resumed run did earlier counts as still to do.
std::optional<double> seconds_left(const std::vector<PlannedRun>& runs, int jobs) {
  double known = 0, left = 0, longest = 0;
  int n = 0;
  for (const PlannedRun& run : runs) {
    if (run.status != 0 || !run.whole) continue;
    known += run.seconds;
    ++n;
  }
  for (const PlannedRun& run : runs) {
    if (run.status >= 0) continue;
    if (run.config.limits.minutes <= 0 && n == 0) return std::nullopt;
    double takes = run.config.limits.minutes > 0 ? 60 * run.config.limits.minutes : known / n;
    if (run.child > 0) takes = std::max(0.0, takes - seconds_since(run.began));
    left += takes;
    longest = std::max(longest, takes);
  }
  return std::max(left / jobs, longest);
}

std::string estimate(const std::vector<PlannedRun>& runs, int jobs) {
  const auto left = seconds_left(runs, jobs);
  return left ? fmt::format(", the rest takes about {}", format_duration(*left)) : "";
}

std::string at_work(const std::vector<PlannedRun>& runs) {
  std::vector<std::string_view> names;
  for (const PlannedRun& run : runs) {
    if (run.child > 0) names.push_back(run.name);
  }
  return names.empty() ? "" : fmt::format("{} at work: {}", names.size(), fmt::join(names, ", "));
}

void run_sweep(const SweepArguments& o) {
  for (const char* of_a_run : {"checkpoint", "metrics.jsonl"}) {
    if (fs::exists(fs::path(o.out) / of_a_run))
      throw RunError(fmt::format("'{}' holds a run; name another directory with --out for the sweep's runs", o.out));
  }
  std::vector<PlannedRun> runs = plan(o);
  if (o.dry_run) {
    for (const PlannedRun& r : runs) fmt::print("{}  {}\n", r.directory.string(), fmt::join(r.sets, " "));
    fmt::print("{} runs\n", runs.size());
    return;
  }
  require_torch_library();  // or each run would fail, one after the other
  make_directories(o.out);
  const RunLock lock{o.out};
  const RunInterrupt& interrupt = stop_run_on_interrupt();
  std::size_t next = 0, done = 0;
  bool told_int = false, told_term = false;
  fmt::print("{} runs in {}, {} at a time{}\n", runs.size(), o.out, o.jobs, estimate(runs, o.jobs));
  Progress progress("sweep", runs.size(), "runs");
  while (true) {
    const bool stopping = interrupt.after_iteration || interrupt.now;
    int going = 0;
    for (PlannedRun& r : runs) going += r.child > 0;
    while (!stopping && next < runs.size() && going < o.jobs) {
      progress.finish();
      fmt::print("run {} of {}: {}\n", next + 1, runs.size(), runs[next].name);
      start(runs[next++], o);
      ++going;
    }
    if (going == 0) break;
    const auto tell = [&](int signal, bool& told) {
      for (PlannedRun& r : runs) {
        if (!told && r.child > 0) ::kill(r.child, signal);
      }
      told = true;
    };
    if (interrupt.after_iteration) tell(SIGINT, told_int);
    if (interrupt.now) tell(SIGTERM, told_term);
    for (PlannedRun& r : runs) {
      if (r.child <= 0 || !ended(r)) continue;
      ++done;
      if (!r.whole) progress.count_as_before(1);
      progress.finish();
      fmt::print("{} {} after {}{}\n", r.name,
                 r.status == 0 ? "finished"
                 : stopping    ? "stopped"
                               : fmt::format("FAILED with status {}", r.status),
                 format_duration(r.seconds), done < runs.size() ? estimate(runs, o.jobs) : "");
      if (r.status != 0 && !stopping) fmt::print("  {}\n  ({})\n", last_line(r.log), r.log.string());
      std::fflush(stdout);
    }
    if (!stopping) progress.update(done, at_work(runs), seconds_left(runs, o.jobs).value_or(Progress::kNotKnown));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  progress.finish();
  if (interrupt.after_iteration || interrupt.now) {
    std::string again = fmt::format("{} sweep {} --out {}", this_program(), shell_word(o.config), shell_word(o.out));
    for (const std::string& set : o.set) again += " --set " + shell_word(set);
    if (!o.seeds.empty()) again += fmt::format(" --seeds {}", fmt::join(o.seeds, ","));
    if (o.jobs != 1) again += fmt::format(" --jobs {}", o.jobs);
    fmt::print("go on with:  {}\n", again);
    throw Failed("");
  }
  std::vector<std::string> finished;
  for (const PlannedRun& r : runs) {
    if (r.status == 0) finished.push_back(r.directory.string());
  }
  if (finished.size() > 1) {
    fmt::print("\n");
    print_comparison(finished);
    fmt::print("\ncurves over each other:  {} serve --runs {}\n", this_program(), shell_word(o.out));
  }
  if (finished.size() < runs.size())
    throw Failed(fmt::format("{} of {} runs failed", runs.size() - finished.size(), runs.size()));
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto o = std::make_shared<SweepArguments>();
  CLI::App* command = app.add_subcommand("sweep", "train a run for every combination of settings, and compare them");
  command->add_option("CONFIG", o->config, "YAML file with what the runs have in common, e.g. configs/demo.yaml")
      ->required();
  command->add_option("--out", o->out, "directory for the runs, each in a folder named by its settings")
      ->type_name("DIR")
      ->required();
  command->add_option("--set", o->set, "a key and its values, e.g. --set learner.batch=64,256; may be repeated")
      ->type_name("KEY=VALUE,VALUE,...")
      ->take_all();
  command->add_option("--seeds", o->seeds, "seeds of every combination, e.g. 1,2,3")
      ->delimiter(',')
      ->type_name("N,N,...");
  command->add_option("--jobs", o->jobs, "runs side by side; each has the threads that its configuration says")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--dry-run", o->dry_run, "list the runs and their settings, and exit");
  command->footer(
      "The same command goes on where it was stopped: finished runs are left as they are, others are resumed. Ctrl-C\n"
      "finishes the iterations of the runs at work. At the end, a table; quartozero serve --runs DIR\n"
      "draws the runs over each other.\n"
      "\n"
      "Examples:\n"
      "  quartozero sweep configs/demo.yaml --out runs/sweep --set learner.batch=64,256 --seeds 1,2,3\n"
      "  quartozero sweep configs/demo.yaml --out runs/sweep --set network.width=16,32 --set limits.minutes=2 --jobs "
      "2");
  command->callback([o] { run_sweep(*o); });
}

}  // namespace quarto::app
