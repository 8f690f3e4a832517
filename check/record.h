// The record of a walk (docs/formats.md, "Records of walks").
#pragma once
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

#include "quarto.h"

namespace check {

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) throw std::runtime_error("cannot read " + path);
  return text.str();
}

/// What is counted of one ply of a walk.
struct Counts {
  std::uint64_t positions = 0, decisions = 0, secured = 0, moves = 0;
  bool operator==(const Counts&) const = default;
};
struct SeatCounts {
  std::array<Counts, 33> plies{};  // by moves made before
  std::uint64_t losing_lines = 0;
};

struct Record {
  std::string player, rules;
  int solve_squares = 0, exact_squares = 0;
  std::map<std::string, SeatCounts> seats;  // "gives", "places"
};

/// JSON as a map from paths to texts: {"a": [{"b": 7}]} is "a.0.b" -> "7". Enough for a record.
class JsonPaths {
 public:
  explicit JsonPaths(const std::string& text) : text_(text) {
    value("");
    if (next() != '\0') fail();
  }
  bool has(const std::string& path) const { return values_.contains(path); }
  const std::string& text(const std::string& path) const {
    const auto found = values_.find(path);
    if (found == values_.end()) throw std::runtime_error("the record has no \"" + path + "\"");
    return found->second;
  }
  std::uint64_t number(const std::string& path, int base = 10) const {
    std::size_t end = 0;
    std::uint64_t n = 0;
    if (std::isxdigit(static_cast<unsigned char>(text(path).c_str()[0]))) n = std::stoull(text(path), &end, base);
    if (end == 0 || end != text(path).size()) throw std::runtime_error("in the record, " + path + " is no count");
    return n;
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error("the record is not JSON at byte " + std::to_string(at_)); }
  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void take(char c) {
    if (next() != c) fail();
    ++at_;
  }
  std::string quoted() {
    std::string s;
    for (take('"'); at_ < text_.size() && text_[at_] != '"'; ++at_) s += text_[at_] == '\\' ? text_[++at_] : text_[at_];
    take('"');
    return s;
  }
  void value(const std::string& path) {
    const char open = next();
    if (open == '"') {
      values_[path] = quoted();
    } else if (open == '{' || open == '[') {
      const char close = open == '{' ? '}' : ']';
      take(open);
      for (int i = 0; next() != close; ++i) {
        if (i > 0) take(',');
        std::string name = std::to_string(i);
        if (open == '{') {
          name = quoted();
          take(':');
        }
        value(path.empty() ? name : path + "." + name);
      }
      take(close);
    } else {
      std::string word;
      while (at_ < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.' || text_[at_] == '-'))
        word += text_[at_++];
      if (word.empty()) fail();
      values_[path] = word;
    }
  }

  const std::string text_;
  std::size_t at_ = 0;
  std::map<std::string, std::string> values_;
};

inline Record read_record(const std::string& path) {
  const JsonPaths json(file_text(path));
  if (json.number("secured_by_nodes") != 0)
    throw std::runtime_error(
        "its lines end at secured positions, which only a prover with that many nodes finds:"
        " make the record with exploit --every-line, or check a sample (--sample)");
  Record record{json.text("player"),
                json.text("rules"),
                static_cast<int>(json.number("solve_squares")),
                static_cast<int>(json.number("exact_squares")),
                {}};
  if (record.rules != "lines" && record.rules != "squares") throw std::runtime_error("unknown rules " + record.rules);
  for (int i = 0; json.has("seats." + std::to_string(i) + ".seat"); ++i) {
    const std::string at = "seats." + std::to_string(i);
    SeatCounts& seat = record.seats[json.text(at + ".seat")];
    seat.losing_lines = json.number(at + ".losing_lines");
    for (int k = 0; json.has(at + ".plies." + std::to_string(k) + ".ply"); ++k) {
      const std::string of = at + ".plies." + std::to_string(k) + ".";
      seat.plies.at(json.number(of + "ply")) = {json.number(of + "positions"), json.number(of + "decisions"),
                                                json.number(of + "secured"), json.number(of + "moves", 16)};
    }
  }
  if (record.seats.empty()) throw std::runtime_error("the record has no seats");
  return record;
}

}  // namespace check
