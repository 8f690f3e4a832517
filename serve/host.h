// Host names of Host headers and of the command line.
#pragma once

#include <string>
#include <string_view>

namespace quarto::serve {

// The normal form of a host: lower case, without port and trailing dot, IPv6 addresses in brackets and in their
// shortest form. "" if `host` has no name.
std::string normal_host(std::string_view host);

// An address in brackets.
bool is_ipv6(std::string_view host);

// Whether a server that listens on `host` can be reached from this machine only. Names are not looked up; `localhost`
// counts as loopback.
bool is_loopback(std::string_view host);

}  // namespace quarto::serve
