// --store URL, of the commands that work through a store.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/screen.h"
#include "store/store.h"
#include "store/worker.h"

namespace quarto::app {

// The option itself.
CLI::Option* add_store_option(CLI::App& command, std::string& url, const std::string& what);

// --lease SECONDS of the owners of work: how long somebody may not be heard of whose work then goes to others.
CLI::Option* add_lease_option(CLI::App& command, std::uint64_t& seconds, const std::string& what);

// Connections to the store at this address. Throws store::StoreError for an address that is none.
std::function<std::unique_ptr<store::Store>()> store_connector(const std::string& url);

// What `actor` and `worker` ask for alike. Ctrl-C stops the work; what it says goes to the screen, which must live as
// long. Without a name it is the host's, or `otherwise`.
store::WorkerOptions worker_options(const std::string& url, const std::string& name, const std::string& otherwise,
                                    int threads, bool keep, Screen& screen);

// The address without user and password.
std::string shown_store(const std::string& url);

}  // namespace quarto::app
