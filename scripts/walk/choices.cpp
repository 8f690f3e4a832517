// A walk of `quartozero exploit` in a few kilobytes: the player's choices, a hexadecimal digit for each decision in the
// order of the walk. From these the walk's folder is made again in seconds, and goes on. For the seat that is open in
// docs/experiments/exploitability.md, until its walk has ended:
//
//   g++ -std=c++20 -O2 -march=native -DFMT_SHARED -I. -o build/choices scripts/walk/choices.cpp \
//     build/{eval,data,store}/libquartozero_*.a build/base/libquartozero_config.a \
//     build/{play,solver,mcts,light,env}/libquartozero_*.a build/{play,solver,env,base}/libquartozero_*.a \
//     -lhiredis -lyaml-cpp -lzstd -lspdlog -lfmt -ldl -lpthread
//   walk() { build/quartozero exploit light:checkpoints/zero/model.light@128:10000 --seat places --solve 10 \
//     --out runs/walks/places-10000 --threads 2 "$@"; }
//   walk --time-limit 1
//   build/choices load scripts/walk/places-10000.txt runs/walks/places-10000
//   walk --record runs/walks/places-10000.json
//   build/choices save runs/walks/places-10000 scripts/walk/places-10000.txt light:checkpoints/zero/model.light@128:10000
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json_library.h"
#include "env/canonical.h"
#include "eval/exploit.h"
#include "eval/exploit_state.h"
#include "play/player.h"
#include "solver/proof_bound.h"
#include "solver/solver.h"

namespace quarto {
namespace {

constexpr const char* kDigits = "0123456789abcdef";

int digit(char c) { return static_cast<int>(std::string_view(kDigits).find(c)); }

// With the settings of the walk in this folder. `secured_by`: nodes.
ExploitOptions walk_in(const std::filesystem::path& folder, std::uint64_t& secured_by) {
  const auto json = nlohmann::json::parse(read_file(folder / "state.json"));
  const auto& settings = json.at("settings");
  ExploitOptions options;
  options.directory = folder;
  options.only_seat = settings.at("seat").get<int>();
  options.identity = settings.at("player").get<std::string>();
  options.solve_squares = settings.at("solve_squares").get<int>();
  options.probe = json.value("probe", "");
  options.threads = 2;
  secured_by = settings.at("secured_by_nodes").get<std::uint64_t>();
  return options;
}

bool acts(int ply, int seat) { return (ply % 4 == 0 || ply % 4 == 3) == (seat == 0); }

// Where a choice does not follow from the next ply, the player is asked.
void save(const std::filesystem::path& folder, const std::string& file, const std::string& name) {
  std::uint64_t nodes = 0;
  const ExploitOptions options = walk_in(folder, nodes);
  WalkState state;
  WalkStores stores = walk_stores(options);
  read_walk(options, nodes, state, stores, true);
  PlayerOptions with;
  with.threads = 2;
  const auto player = make_player(name, with);
  const int seat = *options.only_seat;
  const auto s = static_cast<std::size_t>(seat);
  const ExploitSeat& walked = state.result.seats[s];
  std::ofstream out(file);
  for (int ply = 0; walked.by_ply.at(static_cast<std::size_t>(ply)) > 0; ++ply) {
    if (!acts(ply, seat)) continue;
    const auto at = static_cast<std::size_t>(ply);
    std::vector<CanonicalKey> next;
    std::map<std::pair<std::uint32_t, std::uint32_t>, CanonicalKey> child_of;
    for (int b = 0; b < WalkStore::kBuckets; ++b) {
      for (const WalkEntry& e : stores[s].read(ply + 1, b)) {
        next.push_back(e.key);
        child_of.emplace(std::pair(e.parent.bucket, e.parent.index), e.key);
      }
    }
    std::sort(next.begin(), next.end());
    std::string line;
    std::vector<Position> all, unclear;
    std::vector<std::size_t> where;
    for (int b = 0; b < WalkStore::kBuckets; ++b) {
      std::vector<WalkEntry> entries = stores[s].read(ply, b);
      if (ply == walked.whole_plies) {
        entries.resize(b < state.bucket    ? entries.size()
                       : b == state.bucket ? std::min(state.index, entries.size())
                                           : 0);
      }
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const Position p = representative(entries[i].key);
        if (walked.secured_by_ply[at] > 0 && p.has_hand() && proofs_suffice(p, nodes)) continue;
        // An entry names one of its parents. The others have it among their children, perhaps with others.
        const auto own = child_of.find({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(i)});
        std::map<CanonicalKey, int> found;
        for (const Move m : p.moves()) {
          const Position child = p.after(m);
          if (child.is_terminal()) continue;
          const CanonicalKey key = canonical_key(child);
          if (own != child_of.end() ? key == own->second : std::binary_search(next.begin(), next.end(), key))
            found.try_emplace(key, m.index);
        }
        if (found.size() != 1 || (own == child_of.end() && p.has_hand() && p.winning_squares(p.hand()))) {
          unclear.push_back(p);
          where.push_back(line.size());
        }
        line += kDigits[found.empty() ? 0 : found.begin()->second];
        all.push_back(p);
      }
    }
    const std::vector<Move> moves = player->choose(unclear);
    for (std::size_t i = 0; i < moves.size(); ++i) line[where[i]] = kDigits[moves[i].index];
    std::uint64_t digest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Move move{all[i].phase(), static_cast<std::uint8_t>(digit(line[i]))};
      digest += canonical_key(all[i]).hash() * (canonical_key(all[i].after(move)).hash() | 1);
    }
    if (digest != walked.moves_by_ply[at]) throw std::runtime_error(fmt::format("ply {}: other moves", ply));
    fmt::print("ply {}: {} decisions, {} asked for\n", ply, line.size(), unclear.size());
    out << ply << ' ' << line << '\n';
  }
}

class Recorded final : public Player {
 public:
  Recorded(const std::string& file, std::uint64_t nodes) : nodes_(nodes) {
    std::ifstream in(file);
    for (int ply = 0; in >> ply;) in >> choices_[ply];
  }
  std::string name() const override { return "recorded"; }
  bool deterministic() const override { return true; }
  Proofs proofs() const override { return {nodes_, 9}; }
  std::size_t preferred_batch() const override { return 256; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    const int ply = positions.front().ply();
    const std::string& choices = choices_[ply];
    std::size_t& at = used_[ply];
    std::vector<Move> moves;
    for (const Position& p : positions) {
      if (at == choices.size()) throw std::runtime_error(fmt::format("the choices end in ply {}", ply));
      moves.push_back({p.phase(), static_cast<std::uint8_t>(digit(choices[at++]))});
      if (!p.is_legal(moves.back())) throw std::runtime_error("a choice that is no move: those of another walk");
    }
    return moves;
  }

 private:
  std::uint64_t nodes_;
  std::map<int, std::string> choices_;
  std::map<int, std::size_t> used_;
};

// In place of the walk that is begun there.
void load(const std::string& file, const std::filesystem::path& folder) {
  std::uint64_t nodes = 0;
  const ExploitOptions options = walk_in(folder, nodes);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Recorded player(file, nodes);
  Solver solver({.table_bytes = std::size_t{512} << 20, .threads = 2});
  try {
    exploit(player, solver, options);
  } catch (const std::runtime_error& e) {
    fmt::print("{}\n", e.what());
  }
}

}  // namespace
}  // namespace quarto

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 4 && words[0] == "save") {
      quarto::save(words[1], words[2], words[3]);
    } else if (words.size() == 3 && words[0] == "load") {
      quarto::load(words[1], words[2]);
    } else {
      fmt::print(stderr, "choices save WALK FILE PLAYER | choices load FILE WALK\n");
      return 2;
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "choices: error: {}\n", e.what());
    return 1;
  }
  return 0;
}
