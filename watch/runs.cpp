#include "watch/runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
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

// A file of a run. It may be whatever somebody put there: a link is not followed, and only a regular file is read.
// Throws FileError.
class RunFile {
 public:
  explicit RunFile(const fs::path& path)
      : name_(path.filename().string()), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    if (file_ < 0) throw FileError(fmt::format("{}: cannot be opened: {}", name_, std::strerror(errno)));
    struct stat s {};
    if (::fstat(file_, &s) != 0 || !S_ISREG(s.st_mode)) {
      ::close(file_);
      throw FileError(fmt::format("{}: not a regular file", name_));
    }
    size_ = static_cast<std::uint64_t>(s.st_size);
  }
  ~RunFile() { ::close(file_); }
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  std::uint64_t size() const { return size_; }
  // At most `most` bytes from `from` on.
  std::string read(std::uint64_t from, std::size_t most) const {
    std::string text(most, '\0');
    std::size_t got = 0;
    while (got < most) {
      const ssize_t n = ::pread(file_, text.data() + got, most - got, static_cast<off_t>(from + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw FileError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
      if (n == 0) break;
      got += static_cast<std::size_t>(n);
    }
    text.resize(got);
    return text;
  }
  std::string whole() const {
    if (size_ > kMostSmallBytes) throw FileError(fmt::format("{}: too large: {} bytes", name_, size_));
    return read(0, static_cast<std::size_t>(size_));
  }

 private:
  static constexpr std::uint64_t kMostSmallBytes = std::uint64_t{1} << 20;
  const std::string name_;
  const int file_;
  std::uint64_t size_ = 0;
};

// What tells one content of a file from the next; nullopt: there is no such file.
using Stamp = std::optional<std::array<std::int64_t, 3>>;
Stamp stamp_of(const fs::path& file) {
  struct stat s {};
  if (::lstat(file.c_str(), &s) != 0) return std::nullopt;
  return {{s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_size}};
}
// Of a file in a folder of the run, neither of which may be a link.
Stamp stamp_of(const fs::path& run, const char* folder, const char* file) {
  struct stat s {};
  if (::lstat((run / folder).c_str(), &s) != 0 || !S_ISDIR(s.st_mode)) return std::nullopt;
  if (::lstat((run / folder / file).c_str(), &s) != 0 || !S_ISREG(s.st_mode)) return std::nullopt;
  return stamp_of(run / folder / file);
}

bool is_run(const fs::path& folder) {
  return stamp_of(folder / "metrics.jsonl") || (stamp_of(folder / "config.yaml") && stamp_of(folder / "checkpoint"));
}

// Calls take(text, JSON) with every whole line that is a JSON object; returns how many bytes the lines take.
template <class Take>
std::size_t each_line(std::string_view text, std::uint64_t& damaged, const Take& take) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    const std::string_view line = text.substr(begin, end - begin);
    nlohmann::json json = json_or_null(line);
    if (json.is_object())
      take(line, std::move(json));
    else
      ++damaged;
  }
  return begin;
}

}  // namespace

// A run, and its files when they were read.
struct Runs::Known {
  fs::path folder;
  Run run;
  Stamp metrics, config, state;
  bool finished = false;
  std::string config_problem, metrics_problem;

  void read_metrics();
  void read_config();
  void read_state();
};

void Runs::Known::read_metrics() {
  metrics_problem.clear();
  run.metrics_bytes = 0;
  run.updated = 0;
  run.last = run.agreement = nullptr;
  if (!metrics) return;
  run.updated = (*metrics)[0];
  try {
    const RunFile file(folder / "metrics.jsonl");
    run.metrics_bytes = file.size();
    const std::uint64_t from = file.size() > kTailBytes ? file.size() - kTailBytes : 0;
    std::string tail = file.read(from, kTailBytes);
    // The first line may be a part of one.
    if (from > 0) tail.erase(0, tail.find('\n') == std::string::npos ? tail.size() : tail.find('\n') + 1);
    std::uint64_t damaged = 0;
    each_line(tail, damaged, [&](std::string_view, nlohmann::json&& line) {
      if (line.contains("agreement")) run.agreement = line["agreement"];
      run.last = std::move(line);
    });
    if (damaged > 0) metrics_problem = fmt::format("metrics.jsonl: {} of its last lines are not JSON objects", damaged);
  } catch (const std::exception& e) {
    metrics_problem = e.what();
  }
}

void Runs::Known::read_config() {
  config_problem.clear();
  run.config.clear();
  if (!config) return;
  try {
    run.config = flat_config(parse_saved_config(RunFile(folder / "config.yaml").whole(), "config.yaml"));
  } catch (const std::exception& e) {
    config_problem = e.what();
  }
}

void Runs::Known::read_state() {
  finished = false;
  if (!state) return;
  try {
    const auto json = json_or_null(RunFile(folder / "checkpoint" / "state.json").whole());
    finished = json.is_object() && json.value("finished", false);
  } catch (const std::exception&) {  // it is being replaced
    state.reset();
  }
}

std::optional<fs::path> best_weights(const fs::path& run) {
  if (!stamp_of(run, "best", "model.safetensors")) return std::nullopt;
  // What is loaded with the weights may be no link and no pipe either.
  std::error_code error;
  for (fs::directory_iterator entry(run / "best", error), end; !error && entry != end; entry.increment(error)) {
    if (!fs::is_regular_file(entry->symlink_status(error))) return std::nullopt;
  }
  if (error) return std::nullopt;
  return run / "best" / "model.safetensors";
}

Runs::Runs(fs::path folder) : folder_(std::move(folder)) {}
Runs::~Runs() = default;

void Runs::find_runs() {
  std::vector<std::pair<std::int64_t, fs::path>> found;  // with the time of the metrics
  std::error_code error;
  if (is_run(folder_)) {
    found.emplace_back(0, folder_);
  } else {
    fs::recursive_directory_iterator entries(folder_, fs::directory_options::skip_permission_denied, error);
    while (!error && entries != fs::recursive_directory_iterator()) {
      const fs::path path = entries->path();
      std::error_code ignored;
      const bool folder = entries->is_directory(ignored) && !entries->is_symlink(ignored);
      if (folder && is_run(path)) {
        const Stamp written = stamp_of(path / "metrics.jsonl");
        found.emplace_back(written ? (*written)[0] : 0, path);
        entries.disable_recursion_pending();  // its archive looks like runs
      } else if (!folder || path.filename().string().starts_with('.') || entries.depth() + 1 >= kMostDepth) {
        entries.disable_recursion_pending();
      }
      entries.increment(error);
    }
    // A folder went while it was being looked at: the next look sees what is left.
    if (error && !runs_.empty()) return;
  }
  if (found.size() > kMostRuns) {
    std::sort(found.begin(), found.end(), std::greater<>());
    found.resize(kMostRuns);
  }
  std::map<std::string, Known> runs;
  for (const auto& [written, path] : found) {
    std::string name = path.lexically_relative(folder_).generic_string();
    if (name == ".") {
      const fs::path absolute = fs::absolute(folder_, error).lexically_normal();
      name = (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
    }
    const auto known = runs_.find(name);
    Known& run = runs[name];
    if (known != runs_.end()) run = std::move(known->second);
    run.folder = path;
    run.run.name = name;
  }
  runs_ = std::move(runs);
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
  auto list = std::make_shared<std::vector<Run>>();
  for (auto& [name, known] : runs_) {
    const auto changed = [](Stamp& seen, const Stamp& stamp) {
      if (seen == stamp) return false;
      seen = stamp;
      return true;
    };
    if (changed(known.metrics, stamp_of(known.folder / "metrics.jsonl"))) known.read_metrics();
    if (changed(known.config, stamp_of(known.folder / "config.yaml"))) known.read_config();
    if (changed(known.state, stamp_of(known.folder, "checkpoint", "state.json"))) known.read_state();
    Run& run = known.run;
    run.playable = best_weights(known.folder).has_value();
    struct stat lock {};
    const bool running =
        ::stat((known.folder / "lock").c_str(), &lock) == 0 && locked.contains({lock.st_dev, lock.st_ino});
    run.problem = !known.config_problem.empty() ? known.config_problem : known.metrics_problem;
    run.state = !run.problem.empty() ? RunState::damaged
                : running            ? RunState::running
                : known.finished     ? RunState::finished
                                     : RunState::stopped;
    list->push_back(run);
  }
  if (*list != *list_) list_ = std::move(list);
}

RunList Runs::list() {
  const std::lock_guard lock(mutex_);
  look();
  return list_;
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
  MetricsPiece piece;
  if (!stamp_of(*folder / "metrics.jsonl")) return piece;
  const RunFile file(*folder / "metrics.jsonl");
  if (from > file.size() || (from > 0 && file.read(from - 1, 1) != "\n")) from = 0;
  piece.from = from;
  const std::string text = file.read(from, kMostPieceBytes);
  std::size_t taken = each_line(text, piece.damaged,
                                [&](std::string_view line, const nlohmann::json&) { piece.lines.emplace_back(line); });
  piece.more = text.size() == kMostPieceBytes;
  if (piece.more && taken == 0) {  // a line longer than any that is written is passed over
    ++piece.damaged;
    std::size_t end = std::string::npos;
    for (std::string rest = text; end == std::string::npos && !rest.empty() && taken < kMostPassedBytes;
         taken += rest.size()) {
      rest = file.read(from + taken, kMostPieceBytes);
      end = rest.find('\n');
      if (end != std::string::npos) rest.resize(end + 1);
    }
    // Without an end, or with none that is near, it may still be written: the same is asked for again.
    if (end == std::string::npos) {
      taken = 0;
      piece.more = false;
    }
  }
  piece.next = from + taken;
  return piece;
}

}  // namespace quarto::watch
