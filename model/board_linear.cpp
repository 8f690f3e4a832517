#include "model/board_linear.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "env/lines.h"
#include "env/symmetry.h"

namespace quarto {
namespace {

int place_count(Field::Place place, Rules rules) {
  switch (place) {
    case Field::Place::square:
      return kSquares;
    case Field::Place::line:
      return static_cast<int>(winning_sets(rules).size());
    case Field::Place::once:
      return 1;
  }
  return 0;
}

int image(const BoardSymmetry& g, Field::Place place, int i, const std::vector<Mask>& lines) {
  switch (place) {
    case Field::Place::square:
      return g.to[static_cast<std::size_t>(i)];
    case Field::Place::line: {
      const Mask to = g.apply(lines[static_cast<std::size_t>(i)]);
      return static_cast<int>(std::find(lines.begin(), lines.end(), to) - lines.begin());
    }
    case Field::Place::once:
      return 0;
  }
  return 0;
}

struct Orbits {
  std::vector<std::int64_t> of;  // [from * places(to) + to]: numbered in order of first appearance
  int count = 0;
};

Orbits pair_orbits(Field::Place from, Field::Place to, Rules rules) {
  const std::vector<Mask> lines = winning_sets(rules);
  const int n = place_count(from, rules), m = place_count(to, rules);
  Orbits orbits{std::vector<std::int64_t>(static_cast<std::size_t>(n * m), -1), 0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      if (orbits.of[static_cast<std::size_t>(i * m + j)] >= 0) continue;
      for (const BoardSymmetry& g : board_symmetries(rules)) {
        const int at = image(g, from, i, lines) * m + image(g, to, j, lines);
        orbits.of[static_cast<std::size_t>(at)] = orbits.count;
      }
      ++orbits.count;
    }
  }
  return orbits;
}

}  // namespace

std::int64_t row_size(const std::vector<Field>& fields, Rules rules) {
  std::int64_t n = 0;
  for (const Field& f : fields) n += place_count(f.place, rules) * f.channels;
  return n;
}

BoardLinearImpl::BoardLinearImpl(Rules rules, std::vector<Field> in, std::vector<Field> out, double gain, bool bias)
    : rules_(rules), in_(std::move(in)), out_(std::move(out)) {
  for (std::size_t i = 0; i < in_.size(); ++i) {
    shared_.emplace_back();
    orbit_.emplace_back();
    for (std::size_t j = 0; j < out_.size(); ++j) {
      const Orbits orbits = pair_orbits(in_[i].place, out_[j].place, rules);
      const std::string name = std::to_string(i) + "_" + std::to_string(j);
      const int m = place_count(out_[j].place, rules);
      torch::Tensor scale = torch::empty({orbits.count, 1, 1});
      for (int o = 0; o < orbits.count; ++o) {
        const auto first = std::find(orbits.of.begin(), orbits.of.end(), o) - orbits.of.begin();
        int size = 0;
        for (std::size_t k = static_cast<std::size_t>(first % m); k < orbits.of.size();
             k += static_cast<std::size_t>(m)) {
          size += orbits.of[k] == o;
        }
        // As a mean over the orbit: what stands on neighbouring squares and lines is far from independent.
        scale[o] = std::sqrt(gain / (2.0 * in_[i].channels * static_cast<double>(in_.size()))) / (size * in_[i].scale);
      }
      shared_.back().push_back(register_parameter(
          "weight_" + name, torch::randn({orbits.count, in_[i].channels, out_[j].channels}) * scale));
      orbit_.back().push_back(register_buffer("const_orbit_" + name, torch::tensor(orbits.of)));
    }
  }
  for (std::size_t j = 0; j < out_.size(); ++j) {
    const Orbits orbits = pair_orbits(Field::Place::once, out_[j].place, rules);
    const torch::Tensor zeros = torch::zeros({orbits.count, out_[j].channels});
    shared_bias_.push_back(bias ? register_parameter("bias_" + std::to_string(j), zeros)
                                : register_buffer("const_bias_" + std::to_string(j), zeros));
    bias_orbit_.push_back(register_buffer("const_bias_orbit_" + std::to_string(j), torch::tensor(orbits.of)));
  }
}

torch::Tensor BoardLinearImpl::weight() const {
  std::vector<torch::Tensor> rows;
  for (std::size_t i = 0; i < in_.size(); ++i) {
    std::vector<torch::Tensor> row;
    const std::int64_t n = place_count(in_[i].place, rules_);
    for (std::size_t j = 0; j < out_.size(); ++j) {
      const std::int64_t m = place_count(out_[j].place, rules_);
      row.push_back(shared_[i][j]
                        .index_select(0, orbit_[i][j])
                        .view({n, m, in_[i].channels, out_[j].channels})
                        .permute({0, 2, 1, 3})
                        .reshape({n * in_[i].channels, m * out_[j].channels}));
    }
    rows.push_back(torch::cat(row, 1));
  }
  return torch::cat(rows, 0);
}

torch::Tensor BoardLinearImpl::bias() const {
  std::vector<torch::Tensor> parts;
  for (std::size_t j = 0; j < out_.size(); ++j) {
    parts.push_back(shared_bias_[j].index_select(0, bias_orbit_[j]).flatten());
  }
  return torch::cat(parts, 0);
}

}  // namespace quarto
