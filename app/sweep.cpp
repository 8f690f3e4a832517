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
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
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
#include "base/directory_lock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"
#include "train/run_directory.h"
#include "train/sweep.h"

namespace quarto::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct SweepArguments {
  std::string config, out;
  std::vector<std::string> set, seeds;
  int jobs = 1;
  bool dry_run = false;
};

struct Run : SweepRun {
  fs::path log;
  pid_t child = -1;
  Clock::time_point began{};
  bool whole = true;  // begun by this sweep, so that its time is that of a run
  double seconds = 0;
  int status = -1;  // as exit() gives it; -1: not ended
};

void start(Run& run, const SweepArguments& o) {
  std::vector<std::string> words{program_invocation_name, "train", o.config, "--out", run.directory.string()};
  run.whole = !fs::exists(run.directory);
  if (!run.whole) words.emplace_back("--resume");
  for (const std::string& set : run.sets) words.insert(words.end(), {"--set", set});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int log = ::open(run.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log < 0) throw_file_error("cannot write", run.log, errno);
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

bool ended(Run& run) {
  int status = 0;
  if (::waitpid(run.child, &status, WNOHANG) != run.child) return false;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.seconds = seconds_since(run.began);
  run.child = -1;
  return true;
}

// Until the last run has ended, from the runs that this sweep has begun and ended or else from the limits in minutes.
// What a resumed run did earlier counts as still to do.
std::optional<double> seconds_left(const std::vector<Run>& runs, int jobs) {
  double known = 0, left = 0, longest = 0;
  int n = 0;
  for (const Run& run : runs) {
    if (run.status != 0 || !run.whole) continue;
    known += run.seconds;
    ++n;
  }
  for (const Run& run : runs) {
    if (run.status >= 0) continue;
    if (run.config.limits.minutes <= 0 && n == 0) return std::nullopt;
    // Evaluations do not count as the limit's minutes: runs that have ended tell more.
    double takes = n > 0 ? known / n : 60 * run.config.limits.minutes;
    if (run.child > 0) takes = std::max(0.0, takes - seconds_since(run.began));
    left += takes;
    longest = std::max(longest, takes);
  }
  return std::max(left / jobs, longest);
}

std::string estimate(const std::vector<Run>& runs, int jobs) {
  const auto left = seconds_left(runs, jobs);
  return left ? fmt::format(", the rest takes about {}", format_duration(*left)) : "";
}

std::string at_work(const std::vector<Run>& runs) {
  std::vector<std::string_view> names;
  for (const Run& run : runs) {
    if (run.child > 0) names.push_back(run.name);
  }
  return names.empty() ? "" : fmt::format("{} at work: {}", names.size(), fmt::join(names, ", "));
}

void run_sweep(const SweepArguments& o) {
  for (const char* of_a_run : {"checkpoint", "metrics.jsonl"}) {
    if (fs::exists(fs::path(o.out) / of_a_run))
      throw RunError(fmt::format("'{}' holds a run; name another directory with --out for the sweep's runs", o.out));
  }
  std::vector<Run> runs;
  for (const SweepRun& run : plan_sweep(o.config, o.set, o.seeds, o.out))
    runs.push_back({run, fs::path(o.out) / (run.name + ".log")});
  if (o.dry_run) {
    for (const Run& r : runs) fmt::print("{}  {}\n", r.directory.string(), fmt::join(r.sets, " "));
    fmt::print("{} runs\n", runs.size());
    return;
  }
  require_torch_library();  // or each run would fail, one after the other
  make_directories(o.out);
  const DirectoryLock lock{o.out};
  const RunInterrupt& interrupt = stop_run_on_interrupt();
  std::size_t next = 0, done = 0;
  bool told_int = false, told_term = false;
  fmt::print("{} runs in {}, {} at a time{}\n", runs.size(), o.out, o.jobs, estimate(runs, o.jobs));
  Progress progress("sweep", runs.size(), "runs");
  while (true) {
    const bool stopping = interrupt.after_iteration || interrupt.now;
    int going = 0;
    for (Run& r : runs) going += r.child > 0;
    while (!stopping && next < runs.size() && going < o.jobs) {
      progress.finish();
      fmt::print("run {} of {}: {}\n", next + 1, runs.size(), runs[next].name);
      start(runs[next++], o);
      ++going;
    }
    if (going == 0) break;
    const auto tell = [&](int signal, bool& told) {
      for (Run& r : runs) {
        if (!told && r.child > 0) ::kill(r.child, signal);
      }
      told = true;
    };
    if (interrupt.after_iteration) tell(SIGINT, told_int);
    if (interrupt.now) tell(SIGTERM, told_term);
    for (Run& r : runs) {
      if (r.child <= 0 || !ended(r)) continue;
      ++done;
      if (!r.whole) progress.count_as_before(1);
      progress.finish();
      fmt::print("{} {} after {}{}\n", r.name,
                 r.status == 0 ? "finished"
                 : stopping    ? "stopped"
                               : fmt::format("FAILED with status {}", r.status),
                 format_duration(r.seconds), done < runs.size() ? estimate(runs, o.jobs) : "");
      if (r.status != 0 && !stopping) fmt::print("  {}\n  ({})\n", last_line(read_file(r.log)), r.log.string());
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
  for (const Run& r : runs) {
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
