// quartozero serve: players and exact values over HTTP, from checkpoints or light files.
#include <memory>

#include "app/commands.h"
#include "app/interrupt.h"
#include "model/evaluators.h"
#include "serve/command.h"

namespace quarto::app {
namespace {

struct Options {
  serve::CommandOptions serve;
  std::string device = "auto";
};

}  // namespace

void add_serve(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("serve", "serve networks, search and exact values over HTTP");
  serve::add_options(*command, o->serve);
  command->add_option("--device", o->device, "where checkpoints run: auto, cpu, cuda, cuda:N")->capture_default_str();
  add_idle_seed(*command);
  command->footer(serve::examples("quartozero serve"));
  command->callback([o] { serve::run(o->serve, network_loader(o->device), stop_on_interrupt()); });
}

}  // namespace quarto::app
