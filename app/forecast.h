// When a training run on this machine gets as far as an earlier one did.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace quarto::app {

// A point of a run's curve: what the network knew after so many games of self-play. Agreement in percent; `searched`:
// with 32 simulations.
struct CurvePoint {
  double games = 0, decisive = 0, deep = 0, searched_decisive = 0, searched_deep = 0;
};

// Reads CONFIG's curve, the file CONFIG with .curve.tsv in place of .yaml; empty if there is none. Throws
// std::runtime_error, with the line, for a file that is not one.
std::vector<CurvePoint> read_curve(const std::filesystem::path& config);

// The forecast as text: games an hour, and for each point the time that it takes at this speed.
std::string forecast_text(const std::string& config, const std::vector<CurvePoint>& curve, double games_a_second);

// Measures for about `seconds` and prints the forecast.
void print_forecast(const std::string& config, double seconds);

}  // namespace quarto::app
