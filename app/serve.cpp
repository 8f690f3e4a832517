// quartozero serve: players and exact values over HTTP, from checkpoints or light files.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/commands.h"
#include "app/interrupt.h"
#include "model/evaluators.h"
#include "serve/command.h"
#include "watch/dashboard.h"

namespace quarto::app {
namespace {

struct ServeArguments {
  serve::CommandOptions serve;
  std::string device = "auto", runs;
};

}  // namespace

void add_serve(CLI::App& app) {
  auto o = std::make_shared<ServeArguments>();
  CLI::App* command = app.add_subcommand("serve", "serve networks, search and exact values over HTTP");
  serve::add_options(*command, o->serve);
  command
      ->add_option(
          "--runs", o->runs,
          "also show the training runs of this folder, or one run, as they go: at /runs/; their best weights are "
          "networks too")
      ->type_name("DIR")
      ->check([](const std::string& folder) {
        std::error_code error;
        if (std::filesystem::is_directory(folder, error)) return std::string();
        if (std::filesystem::exists(folder, error)) return fmt::format("'{}' is no folder", folder);
        return fmt::format("there is no folder '{}': train first (quartozero train CONFIG --out {}), or make it",
                           folder, (std::filesystem::path(folder) / "NAME").string());
      });
  command->add_option("--device", o->device, "where checkpoints run: auto, cpu, cuda, cuda:N")->capture_default_str();
  add_idle_seed(*command);
  command->footer(serve::examples("quartozero serve") + "\n  quartozero serve --runs runs");
  command->callback([o] {
    const NetworkLoader load = network_loader(o->device);
    serve::run(o->serve, load, stop_on_interrupt(),
               o->runs.empty() ? serve::Additions{} : watch::dashboard(o->runs, load));
  });
}

}  // namespace quarto::app
