// A walk on disk: its state as it is, and changes to a good state with a right checksum; behind a line with a NUL, the
// positions of its first ply.
#include <unistd.h>

#include "base/checksum.h"
#include "base/file.h"
#include "base/json.h"
#include "eval/exploit_state.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using namespace quarto;
namespace fs = std::filesystem;

void read(const ExploitOptions& options) {
  try {
    WalkState state;
    WalkStores stores = walk_stores(options);
    if (!read_walk(options, 0, state, stores, true)) return;
    fuzz::require(state.seat >= 0 && state.seat <= 2 && state.ply >= 0 && state.ply <= kLastPly);
    for (const WalkEntry& e : entries_of(stores[0], 0, 0)) fuzz::require(representative(e.key).ply() == 0);
  } catch (const ExploitError&) {
  } catch (const FileError&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFile place("-walk");
  static const ExploitOptions options = [] {
    ExploitOptions o;
    o.directory = place.path();
    o.identity = "fuzz";
    make_directories(seat_directory(o, 0));
    return o;
  }();
  static const nlohmann::json good = [] {
    write_walk(options, 0, WalkState(), walk_stores(options));
    nlohmann::json state = parse_json(read_file(options.directory / "state.json"));
    // All are empty, and fewer may be there: ten times as many executions a second.
    for (nlohmann::json& plies : state["written"]) plies.erase(plies.begin() + 1, plies.end());
    return state;
  }();

  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t nul = std::min(text.find('\0'), text.size());
  const std::string_view state = text.substr(0, nul);
  const std::string positions(nul < text.size() ? text.substr(nul + 1) : "");
  write_file_atomic(options.directory / "state.json", std::string(state));
  write_file_atomic(seat_directory(options, 0) / "ply00-00", positions);
  read(options);

  nlohmann::json changed = good;
  const nlohmann::json patch = json_or_null(state);
  if (patch.is_object()) changed.merge_patch(patch);
  if (changed.is_object() && !patch.contains("written"))
    changed["written"][0][0][0] = {positions.size(), crc32c(positions)};
  write_file_atomic(options.directory / "state.json", sealed(changed, -1));
  read(options);
  return 0;
}
