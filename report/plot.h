// Line plots and heat maps as inline SVG. Colours come from the page's CSS variables (page.cpp), so
// that one drawing serves light and dark pages; nothing outside the page is referred to.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quarto::plot {

struct Point {
  double x = 0, y = 0;
  std::optional<double> low, high;  // an error bar
};

struct Series {
  std::string label;
  std::vector<Point> points;  // in order of x; those that are not finite are left out
  int colour = 0;             // index into the palette, --c0 .. --c7
  bool dashed = false;
};

struct LinePlot {
  std::string title, x_label;
  std::vector<Series> series;
  bool percent = false;      // y in 0..1, shown in percent
  bool to_hundred = false;   // of a percent: up to 100%, from a multiple of ten below all values
  bool logarithmic = false;  // y; ignored unless all values are positive
  bool whole_x = false;      // ticks at whole numbers only
  int width = 560, height = 300;
};
// A figure with a legend where there are several series. Long series are averaged to about one point per pixel.
std::string svg(const LinePlot& plot);

struct HeatMap {
  std::string title;
  std::vector<std::string> columns, rows;
  std::vector<std::vector<std::optional<double>>> shares;  // [row][column], 0..1
  std::vector<std::vector<std::string>> tips;              // [row][column], shown on hovering
};
std::string svg(const HeatMap& map);

std::string escape(const std::string& text);  // for HTML text and attribute values
// About `count` round numbers that cover [low, high].
std::vector<double> ticks(double low, double high, int count);
// "0.25", "1,200", "15k", "2.5M".
std::string short_number(double x);

}  // namespace quarto::plot
