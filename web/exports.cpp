// The engine as functions that JavaScript can call: texts are UTF-8 with their length, and lie in memory that the page
// took with quartozero_allocate. An answer ends with a zero byte and stays until the next question.
#include <cstdlib>
#include <string>
#include <string_view>

#include "web/engine.h"

namespace {

quarto::web::Engine& engine() {
  static quarto::web::Engine engine;
  return engine;
}

const char* keep(std::string answer) {
  static std::string kept;
  kept = std::move(answer);
  return kept.c_str();
}

}  // namespace

extern "C" {
[[gnu::used]] void* quartozero_allocate(std::size_t bytes) { return std::malloc(bytes); }
[[gnu::used]] void quartozero_free(void* memory) { std::free(memory); }
[[gnu::used]] const char* quartozero_add_network(const char* name, std::size_t n, const char* bytes, std::size_t size) {
  return keep(engine().add_network({name, n}, {bytes, size}));
}
[[gnu::used]] const char* quartozero_set_book(const char* bytes, std::size_t size) {
  return keep(engine().set_book({bytes, size}));
}
[[gnu::used]] const char* quartozero_state(const char* rules, std::size_t r, const char* start, std::size_t n,
                                           const char* moves, std::size_t m) {
  return keep(engine().state({rules, r}, {start, n}, {moves, m}));
}
[[gnu::used]] const char* quartozero_levels(const char* rules, std::size_t r) {
  return keep(engine().levels({rules, r}));
}
[[gnu::used]] const char* quartozero_think(const char* network, std::size_t n, const char* rules, std::size_t r,
                                           const char* position, std::size_t m, int simulations) {
  return keep(engine().think({network, n}, {rules, r}, {position, m}, simulations));
}
[[gnu::used]] const char* quartozero_choose(const char* network, std::size_t n, const char* rules, std::size_t r,
                                            const char* position, std::size_t m, int simulations, int exact_squares,
                                            int milliseconds, int sharp) {
  return keep(engine().choose({network, n}, {rules, r}, {position, m}, simulations, exact_squares,
                              std::chrono::milliseconds(milliseconds), sharp != 0));
}
[[gnu::used]] const char* quartozero_hint(const char* network, std::size_t n, const char* rules, std::size_t r,
                                          const char* position, std::size_t m, int simulations, int exact_squares,
                                          int milliseconds) {
  return keep(engine().hint({network, n}, {rules, r}, {position, m}, simulations, exact_squares,
                            std::chrono::milliseconds(milliseconds)));
}
[[gnu::used]] const char* quartozero_simple(const char* rules, std::size_t r, const char* position, std::size_t m,
                                            int lookahead, int careless, unsigned seed) {
  return keep(engine().simple({rules, r}, {position, m}, lookahead, careless, seed));
}
[[gnu::used]] const char* quartozero_solve(const char* rules, std::size_t r, const char* position, std::size_t n,
                                           int milliseconds) {
  return keep(engine().solve({rules, r}, {position, n}, std::chrono::milliseconds(milliseconds)));
}
[[gnu::used]] const char* quartozero_distances(const char* rules, std::size_t r, const char* position, std::size_t n,
                                               int milliseconds) {
  return keep(engine().distances({rules, r}, {position, n}, std::chrono::milliseconds(milliseconds)));
}
[[gnu::used]] const char* quartozero_counts(const char* rules, std::size_t r, const char* position, std::size_t n) {
  return keep(engine().counts({rules, r}, {position, n}));
}
}  // extern "C"
