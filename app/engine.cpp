// quartozero engine: a player over standard input and output.
#include "engine/engine.h"

#include <iostream>
#include <memory>

#include "app/commands.h"
#include "model/evaluators.h"
#include "model/runtime.h"

namespace quarto::app {
namespace {

struct EngineArguments {
  std::string network;
  std::string device = "auto";
};

void run_engine(const EngineArguments& o) {
  (void)resolve_device(o.device);  // reports an invalid device, whatever the network is
  engine::Settings settings;
  settings.name = "quartozero " QUARTOZERO_VERSION;
  settings.network = o.network.empty() ? engine::default_network() : o.network;
  settings.load = network_loader(o.device);
  engine::run(std::cin, std::cout, settings);
}

}  // namespace

void add_engine(CLI::App& app) {
  auto o = std::make_shared<EngineArguments>();
  CLI::App* command =
      app.add_subcommand("engine", "play over standard input and output, by the line protocol UQI (modelled on UCI)");
  command->add_option("NETWORK", o->network,
                      "a checkpoint, a light file, or none (default: checkpoints/zero)");
  command->add_option("--device", o->device, "of checkpoints: auto, cpu, cuda, cuda:N")->capture_default_str();
  add_idle_seed(*command);
  command->footer(
      "A session:\n"
      "  uqi\n"
      "  setoption name ExactSquares value 11\n"
      "  position start moves 0 a1 7\n"
      "  go sims 200\n"
      "uqi asks who the engine is and what can be set; with ExactSquares 11 it plays exactly from 11 empty squares "
      "on.\n"
      "Instead of `go sims 200`: go movetime 500, go exact, or go infinite and later stop. It ends with `quit`, or "
      "when\n"
      "its input ends. The four lines can be piped in.\n"
      "docs/engine.md has the protocol. quartozero-engine is the same without LibTorch.\n"
      "\n"
      "Example:\n"
      "  quartozero engine checkpoints/distilled    with another network");
  command->callback([o] { run_engine(*o); });
}

}  // namespace quarto::app
