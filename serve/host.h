// Names of hosts, as they stand in a Host header and on the command line.
#pragma once

#include <string>
#include <string_view>

namespace quarto::serve {

// One spelling for all that mean the same: lower case, without the port and a dot at the end, IPv6 addresses in
// brackets and in their shortest form. "" if there is no name in it.
std::string normal_host(std::string_view host);

// Whether who listens there can be reached from this machine alone. Decided by the text: names are not looked up.
bool is_loopback(std::string_view host);

}  // namespace quarto::serve
