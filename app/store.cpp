// quartozero store: what is in a store, for people.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/commands.h"
#include "app/store_option.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/progress.h"

namespace quarto::app {
namespace {

struct StoreArguments {
  std::string store;
  bool json = false, clear = false;
};

// What an actor or the learner says of itself is another's text.
nlohmann::json object_of(const std::string& text) {
  nlohmann::json json = json_or_null(text);
  return json.is_object() ? json : nlohmann::json::object();
}
double number(const nlohmann::json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_number() ? at->get<double>() : 0;
}
std::string text(const nlohmann::json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? printable(at->get<std::string>(), 40) : "?";
}

nlohmann::json to_json(const store::Overview& all) {
  const store::Pulse& p = all.pulse;
  nlohmann::json actors = nlohmann::json::array();
  for (const store::ActorLine& actor : all.actors) {
    nlohmann::json line = object_of(actor.status);
    line["session"] = printable(actor.session);
    line["seen_seconds_ago"] = actor.seconds_since;
    actors.push_back(line);
  }
  return {{"run", printable(all.card.id)},
          {"kind", printable(all.card.kind, 20)},
          {"build", printable(all.card.build)},
          {"phase", name_of(p.phase)},
          {"version", p.version},
          {"weights_bytes", all.weights_bytes},
          {"weights_seconds", all.published_seconds},
          {"learner_seen_seconds_ago", all.learner_seconds},
          {"upto", p.upto},
          {"next", p.next},
          {"leased", p.leased},
          {"free", p.free},
          {"results", p.results},
          {"inputs", p.inputs},
          {"memory_bytes", all.memory_bytes},
          {"server", all.server},
          {"advice", all.advice},
          {"learner", object_of(all.stats)},
          {"actors", actors}};
}

// What was refused, by actor.
void print_refused(const nlohmann::json& owner) {
  const auto by = owner.find("refused_by");
  if (by == owner.end() || !by->is_object()) return;
  for (const auto& [who, times] : by->items()) {
    if (times.is_number()) fmt::print("         {} refused of {}\n", times.get<double>(), printable(who, 64));
  }
}

std::vector<store::ActorLine> by_name(std::vector<store::ActorLine> actors) {
  std::sort(actors.begin(), actors.end(), [](const auto& a, const auto& b) { return a.session < b.session; });
  return actors;
}

void print_store(const std::string& name, const store::Overview& all) {
  fmt::print("store    {} ({}, {:.1f} MB in use)\n", name, all.server, static_cast<double>(all.memory_bytes) / 1e6);
  if (!all.advice.empty()) fmt::print("advice   {}\n", all.advice);
}

void print_finished(const std::string& name, const char* what) {
  fmt::print("\nthe {0} has finished: no one needs it here any more; quartozero store {1} --clear removes it\n", what,
             name);
}

void print_job(const std::string& name, const store::Overview& all) {
  const store::Pulse& p = all.pulse;
  const nlohmann::json owner = object_of(all.stats);
  print_store(name, all);
  fmt::print("job      {}, {}, {}, {}; coordinator seen {} ago\n", printable(all.card.id.substr(0, 8)),
             printable(all.card.kind, 20), name_of(p.phase), printable(all.card.build, 60),
             format_duration(all.learner_seconds));
  fmt::print("shares   {:.0f} done of {:.0f} asked for; {} leased, {} to be leased again, {} results to be read\n",
             number(owner, "done"), number(owner, "asked"), p.leased, p.free, p.results);
  fmt::print(
      "dropped  {:.0f} duplicates, {:.0f} of an earlier coordinator, {:.0f} results refused; {:.0f} leases ended\n",
      number(owner, "duplicates"), number(owner, "old"), number(owner, "refused"), number(owner, "expired"));
  print_refused(owner);
  if (p.phase == store::RunPhase::finished) return print_finished(name, "job");
  if (all.actors.empty()) {
    fmt::print("\nno workers: start them with quartozero worker --store {}\n", name);
    return;
  }
  fmt::print("\n{:<34} {:>7} {:>9} {:>9} {:>8} {:>11}  {}\n", "worker", "threads", "shares/s", "shares", "s/share",
             "answer/ms", "seen");
  double rate = 0;
  for (const store::ActorLine& actor : by_name(all.actors)) {
    const nlohmann::json status = object_of(actor.status);
    rate += number(status, "shares_per_s");
    fmt::print("{:<34} {:>7.0f} {:>9.1f} {:>9} {:>8.2f} {:>11.1f}  {} ago\n", printable(actor.session, 31),
               number(status, "threads"), number(status, "shares_per_s"), format_count(number(status, "shares")),
               number(status, "seconds_of_a_share"), number(status, "answer_ms"), format_duration(actor.seconds_since));
  }
  fmt::print("{}, {:.1f} shares/s\n", counted(all.actors.size(), "worker"), rate);
}

void print(const std::string& name, const store::Overview& all) {
  if (all.card.kind != store::kGames) return print_job(name, all);
  const store::Pulse& p = all.pulse;
  const nlohmann::json learner = object_of(all.stats);
  const auto count = [](double n) { return format_count(n); };
  print_store(name, all);
  fmt::print("run      {}, {}, {}; learner seen {} ago\n", printable(all.card.id.substr(0, 8)), name_of(p.phase),
             printable(all.card.build, 60), format_duration(all.learner_seconds));
  if (p.published) {
    fmt::print("weights  version {}, {:.0f} kB, {} old\n", p.version, static_cast<double>(all.weights_bytes) / 1000,
               format_duration(all.published_seconds));
  } else {
    fmt::print("weights  none\n");
  }
  fmt::print("games    {} learned from, {} received; numbers below {} may be played, {} were leased at least once\n",
             count(number(learner, "taken")), count(number(learner, "received")), p.upto, p.next);
  fmt::print("queue    {} results wait for the learner's checkpoint, {} leases out, {} to be leased again\n", p.results,
             p.leased, p.free);
  fmt::print("dropped  {} duplicates, {} of old weights, {} results refused\n", count(number(learner, "duplicates")),
             count(number(learner, "old")), count(number(learner, "refused")));
  print_refused(learner);
  if (p.phase == store::RunPhase::finished) return print_finished(name, "run");
  if (all.actors.empty()) {
    fmt::print("\nno actors: start them with quartozero actor --store {}\n", name);
    return;
  }
  const std::vector<store::ActorLine> actors = by_name(all.actors);
  fmt::print("\n{:<34} {:<8} {:>7} {:>9} {:>9} {:>9} {:>9} {:>11}  {}\n", "actor", "device", "threads", "games/s",
             "games", "version", "lag", "answer/ms", "seen");
  double rate = 0;
  for (const store::ActorLine& actor : actors) {
    const nlohmann::json status = object_of(actor.status);
    const double version = number(status, "version");
    rate += number(status, "games_per_s");
    fmt::print("{:<34} {:<8} {:>7.0f} {:>9.1f} {:>9} {:>9.0f} {:>9.0f} {:>11.1f}  {} ago\n",
               printable(actor.session, 31), text(status, "device"), number(status, "threads"),
               number(status, "games_per_s"), count(number(status, "games")), version,
               static_cast<double>(p.version) - version, number(status, "answer_ms"),
               format_duration(actor.seconds_since));
  }
  fmt::print("{}, {:.1f} games/s\n", counted(actors.size(), "actor"), rate);
}

void run_store(const StoreArguments& o) {
  const auto store = store_connector(o.store)();
  if (o.clear) {
    const auto card = store->card();
    store->clear();
    fmt::print("{}: {}\n", store->name(),
               card ? fmt::format("removed {} {}", card->kind == store::kGames ? "run" : "job", printable(card->id, 40))
                    : "there was no run");
    return;
  }
  const auto all = store->overview();
  if (o.json) {
    fmt::print("{}\n", all ? json_text(to_json(*all), 2) : "null");
  } else if (all) {
    print(store->name(), *all);
  } else {
    fmt::print("store    {}\nno run: start one with quartozero train CONFIG --out DIR --store {}\n", store->name(),
               store->name());
  }
}

}  // namespace

void add_store(CLI::App& app) {
  auto options = std::make_shared<StoreArguments>();
  CLI::App* command =
      app.add_subcommand("store", "show what a store holds: a run and its actors, or a job and its workers");
  command->add_option("URL", options->store, "the store's address, redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]")
      ->required();
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag(
      "--clear", options->clear,
      "remove the run from the store. A learner that is at work puts it there again; games that are not in "
      "a checkpoint are played again");
  add_idle_seed(*command);
  command->footer(
      "Times are by the store's own clock.\n"
      "\n"
      "Examples:\n"
      "  quartozero store redis://learner-host\n"
      "  watch quartozero store redis://learner-host:6379/2\n"
      "  quartozero store redis://learner-host --clear");
  command->callback([options] { run_store(*options); });
}

}  // namespace quarto::app
