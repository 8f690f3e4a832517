// quarto serve: players and exact values over HTTP, from checkpoints or the light engine's files.
#include <memory>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/measure.h"
#include "env/notation.h"
#include "eval/player.h"
#include "model/checkpoint.h"
#include "serve/command.h"

namespace quarto::app {
namespace {

struct Options {
  serve::CommandOptions serve;
  std::string device = "auto";
};

serve::ServedNetwork load(const std::filesystem::path& path, const std::string& device) {
  if (std::filesystem::is_regular_file(path) && light::is_network_file(path)) return serve::load_light_network(path);
  const WeightsInfo info = read_weights_info(path);
  serve::ServedNetwork network;
  network.rules = info.rules;
  network.evaluator = load_evaluator_for(info.rules, path, device);
  network.info = {info.extra.begin(), info.extra.end()};
  network.info["track"] = info.track;
  network.info["step"] = std::to_string(info.step);
  return network;
}

}  // namespace

void add_serve(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("serve", "networks, search and exact values over HTTP");
  serve::add_options(*command, o->serve);
  command->add_option("--device", o->device, "where checkpoints run: auto, cpu, cuda, cuda:N")->capture_default_str();
  add_idle_seed(*command);
  command->footer(serve::examples("quarto serve"));
  command->callback([o] {
    const auto with_device = [o](const std::filesystem::path& path) { return load(path, o->device); };
    serve::run(o->serve, with_device, stop_on_interrupt());
  });
}

}  // namespace quarto::app
