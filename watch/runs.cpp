#include "watch/runs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "base/file.h"
#include "base/json.h"
#include "train/config.h"

namespace quarto::watch {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds kLook{500}, kSearch{4000};
constexpr std::size_t kTailBytes = std::size_t{64} << 10;  // of metrics.jsonl, for its last lines

bool is_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "metrics.jsonl", ignored) ||
         (fs::exists(folder / "config.yaml", ignored) && fs::exists(folder / "checkpoint", ignored));
}

// The files that somebody holds a lock on, from /proc/locks. To try a lock would take it for a moment, in which the run
// could not be started.
std::set<std::pair<dev_t, ino_t>> locked_files() {
  std::set<std::pair<dev_t, ino_t>> files;
  std::ifstream locks("/proc/locks");
  // "1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF"
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, process, file;
    if (!(words >> number >> kind) || kind == "->") continue;
    words >> mode >> access >> process >> file;
    unsigned major_number = 0, minor_number = 0;
    unsigned long long inode = 0;
    if (std::sscanf(file.c_str(), "%x:%x:%llu", &major_number, &minor_number, &inode) == 3)
      files.insert({makedev(major_number, minor_number), static_cast<ino_t>(inode)});
  }
  return files;
}

bool same_moment(const fs::file_time_type& a, const fs::file_time_type& b) { return a == b; }

std::int64_t seconds_since_1970(const fs::path& file) {
  struct stat s {};
  return ::stat(file.c_str(), &s) == 0 ? static_cast<std::int64_t>(s.st_mtim.tv_sec) : 0;
}

std::string read_piece(const fs::path& file, std::uint64_t from, std::size_t most) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw FileError(fmt::format("{}: cannot be opened", file.filename().string()));
  in.seekg(static_cast<std::streamoff>(from));
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw FileError(fmt::format("{}: cannot be read", file.filename().string()));
  return text;
}

// Whole lines; returns how many bytes they take.
std::size_t take_lines(std::string_view text, std::vector<nlohmann::json>& lines, std::uint64_t& damaged) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    nlohmann::json line = json_or_null(text.substr(begin, end - begin));
    if (line.is_object())
      lines.push_back(std::move(line));
    else
      ++damaged;
  }
  return begin;
}

}  // namespace

const char* to_string(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::stopped:
      return "stopped";
    case RunState::finished:
      return "finished";
    case RunState::damaged:
      break;
  }
  return "damaged";
}

// A run and the states of its files when it was read.
struct Runs::Known {
  fs::path folder;
  Run run;
  std::optional<fs::file_time_type> metrics_time, config_time, state_time;
  bool finished = false;
  std::string config_problem, metrics_problem;
};

Runs::Runs(fs::path folder) : folder_(std::move(folder)) {}
Runs::~Runs() = default;

void Runs::find_runs() {
  std::map<std::string, fs::path> found;
  std::error_code error;
  if (is_run(folder_)) {
    const fs::path absolute = fs::absolute(folder_, error).lexically_normal();
    found.emplace(absolute.has_filename() ? absolute.filename().string() : absolute.parent_path().filename().string(),
                  folder_);
  } else {
    fs::recursive_directory_iterator entries(folder_, fs::directory_options::skip_permission_denied, error);
    while (!error && entries != fs::recursive_directory_iterator() && found.size() < kMostRuns) {
      const fs::path path = entries->path();
      std::error_code ignored;
      const bool folder = entries->is_directory(ignored) && !entries->is_symlink(ignored);
      if (folder && is_run(path)) {
        found.emplace(path.lexically_relative(folder_).generic_string(), path);
        entries.disable_recursion_pending();  // its archive looks like runs
      } else if (!folder || path.filename().string().starts_with('.') || entries.depth() + 1 >= kMostDepth) {
        entries.disable_recursion_pending();
      }
      entries.increment(error);
    }
  }
  std::erase_if(runs_, [&](const auto& known) { return !found.contains(known.first); });
  for (const auto& [name, path] : found) {
    auto& known = runs_[name];
    known.folder = path;
    known.run.name = name;
  }
}

void Runs::look() {
  const auto now = Clock::now();
  if (looked_ && now - *looked_ < kLook) return;
  if (!searched_ || now - *searched_ >= kSearch) {
    find_runs();
    searched_ = now;
  }
  looked_ = now;
  const auto locked = locked_files();
  for (auto& [name, known] : runs_) {
    Run& run = known.run;
    const auto changed = [&](const char* file, std::optional<fs::file_time_type>& seen) {
      std::error_code error;
      const auto time = fs::last_write_time(known.folder / file, error);
      if (error) {
        seen.reset();
        return false;
      }
      if (seen && same_moment(*seen, time)) return false;
      seen = time;
      return true;
    };
    std::error_code error;
    const fs::path metrics = known.folder / "metrics.jsonl";
    const auto size = fs::file_size(metrics, error);
    const std::uint64_t bytes = error ? 0 : size;
    if (changed("metrics.jsonl", known.metrics_time) || bytes != run.metrics_bytes) {
      known.metrics_problem.clear();
      run.metrics_bytes = bytes;
      run.updated = seconds_since_1970(metrics);
      run.last = run.agreement = nullptr;
      try {
        const std::uint64_t from = bytes > kTailBytes ? bytes - kTailBytes : 0;
        std::string tail = read_piece(metrics, from, kTailBytes);
        // The first line may be a part of one.
        if (from > 0) tail.erase(0, tail.find('\n') == std::string::npos ? tail.size() : tail.find('\n') + 1);
        std::vector<nlohmann::json> lines;
        std::uint64_t damaged = 0;
        take_lines(tail, lines, damaged);
        if (!lines.empty()) run.last = lines.back();
        const auto measured = std::find_if(lines.rbegin(), lines.rend(),
                                           [](const nlohmann::json& line) { return line.contains("agreement"); });
        if (measured != lines.rend()) run.agreement = measured->at("agreement");
        if (damaged > 0)
          known.metrics_problem = fmt::format("metrics.jsonl: {} of its last lines are not JSON objects", damaged);
      } catch (const std::exception& e) {
        if (bytes > 0) known.metrics_problem = e.what();
      }
    }
    if (changed("config.yaml", known.config_time)) {
      known.config_problem.clear();
      try {
        run.config = flat_config(load_saved_config(known.folder / "config.yaml"));
      } catch (const std::exception& e) {
        run.config.clear();
        known.config_problem = e.what();
      }
    }
    if (changed("checkpoint/state.json", known.state_time)) {
      known.finished = false;
      try {
        const auto state = json_or_null(read_file(known.folder / "checkpoint/state.json"));
        known.finished = state.is_object() && state.value("finished", false);
      } catch (const std::exception&) {  // it is being replaced
        known.state_time.reset();
      }
    }
    run.playable = fs::exists(known.folder / "best/model.safetensors", error);
    struct stat lock {};
    const bool running =
        ::stat((known.folder / "lock").c_str(), &lock) == 0 && locked.contains({lock.st_dev, lock.st_ino});
    run.problem = !known.config_problem.empty() ? known.config_problem : known.metrics_problem;
    run.state = !run.problem.empty() ? RunState::damaged
                : running            ? RunState::running
                : known.finished     ? RunState::finished
                                     : RunState::stopped;
  }
}

std::vector<Run> Runs::list() {
  const std::lock_guard lock(mutex_);
  look();
  std::vector<Run> runs;
  for (const auto& [name, known] : runs_) runs.push_back(known.run);
  return runs;
}

std::optional<fs::path> Runs::folder_of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  look();
  const auto it = runs_.find(name);
  return it == runs_.end() ? std::nullopt : std::optional(it->second.folder);
}

std::optional<MetricsPiece> Runs::metrics(const std::string& name, std::uint64_t from) {
  const auto folder = folder_of(name);
  if (!folder) return std::nullopt;
  const fs::path file = *folder / "metrics.jsonl";
  MetricsPiece piece;
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  if (error) return piece;
  if (from > size || (from > 0 && read_piece(file, from - 1, 1) != "\n")) from = 0;
  piece.from = from;
  const std::string text = read_piece(file, from, kMostPieceBytes);
  const std::size_t taken = take_lines(text, piece.lines, piece.damaged);
  piece.next = from + taken;
  piece.more = text.size() == kMostPieceBytes && taken > 0;
  // A line longer than any that is written: the rest of the file is not looked at.
  if (text.size() == kMostPieceBytes && taken == 0) ++piece.damaged;
  return piece;
}

}  // namespace quarto::watch
