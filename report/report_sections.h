// The report's sections on what other commands have measured: exploitability and the ladder. HTML, from <h2> on, made
// from the commands' JSON. Throw nlohmann::json::exception when something is missing or of
// another type, std::invalid_argument when it is no count, or none of the rule sets.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace quarto {

// What `quartozero exploit --json` writes.
std::string exploit_section(const nlohmann::json& exploit);

// What `quartozero rate --json` writes.
std::string ladder_section(const nlohmann::json& ladder);

// The path of the network behind a player's name, a JSON text; "" if there is none.
std::string checkpoint_named(const nlohmann::json& name);

}  // namespace quarto
