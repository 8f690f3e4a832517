#include "train/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/clock.h"
#include "base/progress.h"
#include "base/tell.h"
#include "train/throughput.h"

namespace quarto {
namespace {

constexpr std::size_t kHistory = 40;
constexpr double kPlainSeconds = 10;

double rate(std::uint64_t n, double seconds) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; }

std::string left_text(const RunStatus& s) {
  return s.remaining >= 0 ? format_duration(s.remaining) + " left" : "time left unknown";
}

std::string bar(double share, int width) {
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * width + 0.5);
  std::string text;
  for (int i = 0; i < width; ++i) text += i < full ? "█" : "░";
  return text;
}

}  // namespace

std::string sparkline(const std::deque<double>& values) {
  static constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty()) return "";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string text;
  for (const double v : values) {
    const double share = *high > *low ? (v - *low) / (*high - *low) : 0;
    text += kBars[static_cast<std::size_t>(share * 7.0 + 0.5)];
  }
  return text;
}

std::string agreement_text(const nlohmann::json& agreement) {
  std::string text;
  for (const auto& [name, share] : agreement.items()) {
    if (!share.is_number()) continue;
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : "  ", name, 100.0 * share.get<double>());
  }
  return text;
}

std::string plain_line(const RunStatus& s) {
  std::string line = fmt::format(
      "iteration {}: {:.0f}% done, {}; {} games ({}), {} evaluations/s, batch {:.0f}; loss {:.3f} (place {:.3f}, give "
      "{:.3f}, outcome {:.3f})",
      s.iteration, 100 * s.progress, left_text(s), format_count(static_cast<double>(s.games)),
      format_rate(rate(s.counts.games, s.self_play_seconds)),
      format_count(rate(s.counts.evaluations, s.self_play_seconds)),
      rate(s.counts.evaluations, static_cast<double>(s.counts.batches)), s.loss.total, s.loss.place, s.loss.give,
      s.loss.outcome);
  if (s.measured.is_object()) line += "; agreement " + agreement_text(s.agreement);
  return line;
}

Display::Display(std::string title, bool quiet)
    : title_(std::move(title)), quiet_(quiet), terminal_(stderr_is_terminal()), last_line_(Clock::now()) {}

Display::~Display() {
  // The last panel stays on the screen.
  if (drawn_lines_ > 0) draw();
}

void Display::begin(const std::string& line) {
  if (quiet_ || terminal_) return;
  last_line_ = Clock::now();
  tell("{}\n", line);
}

void Display::activity(const std::string& what) {
  if (quiet_) return;
  if (!terminal_) {
    // A long iteration is not silent.
    if (seconds_since(last_line_) < kPlainSeconds) return;
    last_line_ = Clock::now();
    const double left = status_.remaining - std::chrono::duration<double>(last_line_ - status_at_).count();
    tell("{}{}\n", what, has_status_ && left > 0 ? fmt::format("; {} left", format_duration(left)) : "");
    return;
  }
  activity_ = what;
  if (Clock::now() - last_draw_ < std::chrono::milliseconds(200)) return;
  draw();
}

void Display::iteration(const RunStatus& status) {
  status_ = status;
  status_at_ = Clock::now();
  losses_.push_back(status.loss.total);
  if (losses_.size() > kHistory) losses_.pop_front();
  if (quiet_) return;
  const bool first = !has_status_;
  has_status_ = true;
  if (terminal_) return draw();
  const auto now = Clock::now();
  const bool soon = std::chrono::duration<double>(now - last_line_).count() < kPlainSeconds;
  if (!first && soon && status.progress < 1 && !status.measured.is_object()) return;
  last_line_ = now;
  std::string line = plain_line(status);
  // Its percentages always change a little, and two limits may take turns.
  const std::string limit = bottleneck_of(status);
  if (said_limits_.insert(limit.substr(0, limit.find_first_of(":,"))).second) line += "; " + limit;
  tell("{}\n", line);
}

void Display::message(const std::string& line) {
  if (quiet_) return;
  clear();
  tell("{}\n", line);
  if (terminal_ && has_status_) draw();
}

void Display::clear() {
  if (drawn_lines_ > 0) tell("\033[{}A\033[J", drawn_lines_);
  drawn_lines_ = 0;
}

void Display::draw() {
  clear();
  last_draw_ = Clock::now();
  const RunStatus& s = status_;
  // Switches automatic wrapping off: the panel must keep its number of lines on a narrow terminal to be redrawn in
  // place.
  std::string text = fmt::format("\033[?7l\033[1m{}\033[0m\n", title_);
  if (has_status_) {
    text += fmt::format("  {} {:3.0f}%   {} gone, {}\n", bar(s.progress, 30), 100 * s.progress,
                        format_duration(s.elapsed), left_text(s));
    text += fmt::format("  iteration {}   games {}   samples {}   replay {} of {}   steps {}\n", s.iteration,
                        format_count(static_cast<double>(s.games)), format_count(static_cast<double>(s.samples)),
                        format_count(static_cast<double>(s.replay_size)),
                        format_count(static_cast<double>(s.replay_window)), format_count(static_cast<double>(s.steps)));
    const double seconds = s.self_play_seconds;
    text += fmt::format(
        "  self-play {:.1f} games/s, {} moves/s, {} simulations/s, {} evaluations/s in batches of {:.0f}\n",
        rate(s.counts.games, seconds), format_count(rate(s.counts.moves, seconds)),
        format_count(rate(s.counts.simulations, seconds)), format_count(rate(s.counts.evaluations, seconds)),
        rate(s.counts.evaluations, static_cast<double>(s.counts.batches)));
    const double both = s.self_play_seconds + s.learning_seconds;
    const TimeShares shares = time_shares(s.counts);
    text += fmt::format(
        "  time      self-play {:.0f}%, learning {:.0f}%; of self-play: network {:.0f}%, tree {:.0f}%, proofs and "
        "cache {:.0f}%; cache answers {:.0f}%\n",
        s.in_turn && both > 0 ? 100 * s.self_play_seconds / both : 100.0,
        s.in_turn && both > 0 ? 100 * s.learning_seconds / both : 100.0, 100 * shares.network, 100 * shares.tree,
        100 * shares.asking, 100 * cache_share(s.counts));
    if (s.store.used) {
      text += fmt::format(
          "  store     {} actors, {} results wait, {:.1f} ms an answer; dropped: {} duplicates, {} too old, {} "
          "refused\n",
          s.store.figures.actors, s.store.figures.queue, 1000 * s.store.figures.answer_seconds,
          s.store.figures.duplicates, s.store.figures.old, s.store.figures.refused);
    }
    text += fmt::format("  limit     {}\n", bottleneck_of(s));
    text += fmt::format("  loss      {:.3f} (place {:.3f}, give {:.3f}, outcome {:.3f})   rate {:.2g}   {}\n",
                        s.loss.total, s.loss.place, s.loss.give, s.loss.outcome, s.learning_rate, sparkline(losses_));
    text += s.agreement.is_object()
                ? fmt::format("  agreement {}   (iteration {})\n", agreement_text(s.agreement), s.agreement_iteration)
                : "  agreement not measured yet\n";
    if (!s.note.empty()) text += fmt::format("  {}\n", s.note);
  }
  text += fmt::format("  \033[2m{}\033[0m\n\033[?7h", activity_);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  drawn_lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace quarto
