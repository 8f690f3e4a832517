// --store URL, of the commands that work through a store.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "store/store.h"

namespace quarto::app {

// The option itself.
CLI::Option* add_store_option(CLI::App& command, std::string& url, const std::string& what);

// --lease SECONDS of the owners of work: how long somebody may not be heard of whose work then goes to others.
CLI::Option* add_lease_option(CLI::App& command, std::uint64_t& seconds, const std::string& what);

// Connections to the store at this address. Throws store::StoreError for an address that is none.
std::function<std::unique_ptr<store::Store>()> store_connector(const std::string& url);

// The address without user and password.
std::string shown_store(const std::string& url);

}  // namespace quarto::app
