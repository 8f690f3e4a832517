#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/utf8.h"

namespace quarto::plot {
namespace {

constexpr std::size_t kMostPoints = 500;
// Up to so many points are also drawn as dots that name their values on hovering.
constexpr std::size_t kMostDots = 60;

// Curves differ by more than their colour: the strokes of all but the first are broken, each in its own way.
std::string pattern_of(const Series& s) {
  constexpr std::array<const char*, 4> kPatterns = {"", "10 4", "3 3", "12 3 3 3"};
  const std::string pattern = kPatterns.at(static_cast<std::size_t>(s.colour % 4));
  return pattern.empty() ? "" : " stroke-dasharray=\"" + pattern + "\"";
}

bool finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

std::vector<Point> thinned(const std::vector<Point>& points) {
  std::vector<Point> kept;
  std::copy_if(points.begin(), points.end(), std::back_inserter(kept), finite);
  if (kept.size() <= kMostPoints) return kept;
  std::vector<Point> means;
  for (std::size_t b = 0; b < kMostPoints; ++b) {
    const std::size_t begin = b * kept.size() / kMostPoints, end = (b + 1) * kept.size() / kMostPoints;
    Point mean;
    for (std::size_t i = begin; i < end; ++i) {
      mean.x += kept[i].x / static_cast<double>(end - begin);
      mean.y += kept[i].y / static_cast<double>(end - begin);
    }
    means.push_back(mean);
  }
  return means;
}

struct Range {
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  void include(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  bool empty() const { return low > high; }
};

}  // namespace

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : as_utf8(text)) {  // names of files may be any bytes
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(1, count);
  if (!(rough > 0) || !std::isfinite(rough)) return {low};
  const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * magnitude;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * magnitude >= rough * 0.999) {
      step = factor * magnitude;
      break;
    }
  }
  // Counted, because beyond 2^53 steps a double does not change when one is added.
  std::vector<double> at;
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= count + 1; ++i) {
    const double tick = (first + i) * step;
    if (tick > high + step * 1e-9) break;
    if (at.empty() || tick > at.back()) at.push_back(tick);
  }
  return at;
}

std::string short_number(double x) {
  const double size = std::abs(x);
  const auto trimmed = [](double y, const char* unit) { return fmt::format("{:.4g}{}", y, unit); };
  if (size >= 1e9) return trimmed(x / 1e9, "G");
  if (size >= 1e6) return trimmed(x / 1e6, "M");
  if (size >= 1e4) return trimmed(x / 1e3, "k");
  if (size < 1e-12) return "0";
  return fmt::format("{:.4g}", x);
}

std::string svg(const LinePlot& plot) {
  std::vector<Series> series = plot.series;
  Range xs, ys;
  for (Series& s : series) {
    s.points = thinned(s.points);
    for (const Point& p : s.points) {
      xs.include(p.x);
      ys.include(p.y);
      ys.include(p.low.value_or(p.y));
      ys.include(p.high.value_or(p.y));
    }
  }
  std::erase_if(series, [](const Series& s) { return s.points.empty(); });
  // Values so far apart that their distance is no number cannot be drawn.
  if (xs.empty() || !std::isfinite(xs.high - xs.low) || !std::isfinite(ys.high - ys.low)) return "";

  const bool logarithmic = plot.logarithmic && ys.low > 0 && ys.high / ys.low > 20;
  const auto scale = [&](double y) { return logarithmic ? std::log10(y) : y; };
  if (plot.to_hundred) {
    ys.low = std::min(0.9, std::floor(10 * std::max(0.0, ys.low)) / 10);
    ys.high = 1;
  } else if (plot.percent) {
    ys.low = std::max(0.0, ys.low - 0.03);
    ys.high = std::min(1.0, ys.high + 0.03);
  }
  // Values that are alike but for rounding get an axis around them.
  const auto widen = [](double& from, double& to, double share) {
    if (to - from >= 1e-9 * std::max(1.0, std::max(std::abs(from), std::abs(to)))) return;
    from -= std::max(0.5, share * std::abs(from));
    to += std::max(0.5, share * std::abs(to));
  };
  widen(xs.low, xs.high, 1e-6);
  double low = scale(ys.low), high = scale(ys.high);
  if (!plot.percent && !logarithmic && low > 0 && low < 0.4 * high) low = 0;
  widen(low, high, 0.1);

  const double left = 60, right = plot.width - 14.0, top = 12, bottom = plot.height - 40.0;
  const auto at_x = [&](double x) { return left + (x - xs.low) / (xs.high - xs.low) * (right - left); };
  const auto at_y = [&](double y) { return bottom - (scale(y) - low) / (high - low) * (bottom - top); };
  const auto y_text = [&](double y) { return plot.percent ? fmt::format("{:.4g}%", 100 * y) : short_number(y); };

  std::string out = fmt::format("<figure class=\"plot\"><figcaption>{}</figcaption>", escape(plot.title));
  if (series.size() > 1) {
    out += "<div class=\"legend\">";
    for (const Series& s : series) {
      if (s.dashed || pattern_of(s).empty()) {
        out += fmt::format("<span><i class=\"{}\" style=\"--k:var(--c{})\"></i>{}</span>", s.dashed ? "dash" : "solid",
                           s.colour % 8, escape(s.label));
        continue;
      }
      out += fmt::format(
          "<span><svg viewBox=\"0 0 26 8\" style=\"--k:var(--c{})\" aria-hidden=\"true\"><line class=\"curve\" "
          "x1=\"0\" x2=\"26\" y1=\"4\" y2=\"4\"{}/></svg>{}</span>",
          s.colour % 8, pattern_of(s), escape(s.label));
    }
    out += "</div>";
  }
  out += fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">", plot.width, plot.height,
                     escape(plot.title));
  std::vector<double> y_ticks;
  if (logarithmic) {
    for (double e = std::floor(low); e <= std::ceil(high); ++e) {
      for (const double f : {1.0, 2.0, 5.0}) {
        const double t = f * std::pow(10.0, e);
        if ((f == 1.0 || high - low < 2) && std::log10(t) >= low && std::log10(t) <= high) y_ticks.push_back(t);
      }
    }
  } else {
    y_ticks = ticks(low, high, 5);
  }
  for (const double t : y_ticks) {
    out += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", left, right,
                       at_y(t), at_y(t));
    out += fmt::format("<text class=\"tick\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left - 7,
                       at_y(t) + 4, y_text(t));
  }
  for (const double t : ticks(xs.low, xs.high, plot.whole_x ? 10 : 6)) {
    if (plot.whole_x && t != std::floor(t)) continue;
    out += fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at_x(t),
                       bottom + 17, short_number(t));
  }
  out += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", left, right,
                     bottom);
  out += fmt::format("<text class=\"label\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                     (left + right) / 2, plot.height - 6.0, escape(plot.x_label));
  for (const Series& s : series) {
    out += fmt::format("<g style=\"--k:var(--c{})\">", s.colour % 8);
    for (const Point& p : s.points) {
      if (!p.low || !p.high) continue;
      out += fmt::format("<line class=\"bar\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", at_x(p.x),
                         at_y(*p.low), at_y(*p.high));
    }
    std::string path;
    for (const Point& p : s.points) path += fmt::format("{:.1f},{:.1f} ", at_x(p.x), at_y(p.y));
    out += fmt::format("<polyline class=\"curve{}\"{} points=\"{}\"/>", s.dashed ? " dashed" : "",
                       s.dashed || series.size() == 1 ? "" : pattern_of(s), path);
    if (s.points.size() <= kMostDots && (!s.dashed || s.points.size() == 1)) {
      for (const Point& p : s.points) {
        out += fmt::format(
            "<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.8\"><title>{}: {} at {}</title></circle>",
            at_x(p.x), at_y(p.y), escape(s.label), y_text(p.y), short_number(p.x));
      }
    }
    out += "</g>";
  }
  return out + "</svg></figure>";
}

std::string svg(const HeatMap& map) {
  // On a phone the page's letters are larger beside the cells: 17 pixels, about 9 of them a letter.
  constexpr int kCellWidth = 52, kCellHeight = 32, kLetter = 9, kTop = 26;
  std::size_t longest = 0;
  for (const std::string& row : map.rows) longest = std::max(longest, row.size());
  const int left = 18 + kLetter * static_cast<int>(longest);
  const int width = left + kCellWidth * static_cast<int>(map.columns.size()) + 4;
  const int height = kTop + kCellHeight * static_cast<int>(map.rows.size()) + 4;
  std::string out = fmt::format(
      "<figure class=\"plot wide\"><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1} {2}\" "
      "style=\"max-width:{1}px\" role=\"img\" aria-label=\"{0}\">",
      escape(map.title), width, height);
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    out += fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"17\">{}</text>",
                       left + kCellWidth * static_cast<int>(c) + kCellWidth / 2, escape(map.columns[c]));
  }
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    const int y = kTop + kCellHeight * static_cast<int>(r);
    out += fmt::format("<text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>", left - 9, y + 20,
                       escape(map.rows[r]));
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const auto& share = map.shares[r][c];
      if (!share) continue;
      const int x = left + kCellWidth * static_cast<int>(c);
      // Half of all decisive moves are kept by chance or so: the scale spends its range above that.
      const double depth = std::clamp((*share - 0.3) / 0.7, 0.0, 1.0);
      out += fmt::format(
          "<g><title>{}</title><rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" "
          "style=\"fill-opacity:{:.3f}\"/><text class=\"value\" text-anchor=\"middle\" x=\"{}\" "
          "y=\"{}\">{:.1f}</text></g>",
          escape(map.tips[r][c]), x + 1, y + 1, kCellWidth - 2, kCellHeight - 2, 0.06 + 0.6 * depth * depth,
          x + kCellWidth / 2, y + 20, 100 * *share);
    }
  }
  return out + "</svg></figure>";
}

}  // namespace quarto::plot
