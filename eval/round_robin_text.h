// Round robins as text. What others call is in round_robin.h; here is what its two sources share. Needs no LibTorch.
#pragma once

#include <string>
#include <vector>

#include "eval/round_robin.h"

namespace quarto {

bool is_between(const PairingResult& pairing, const std::string& a, const std::string& b);
bool has_name(const std::vector<std::string>& names, const std::string& name);

// The input and the result of a share (pairing_share()). In what a player said of its failure, bytes that are not UTF-8
// are replaced.
std::string pairing_input(const std::string& a, const std::string& b);
std::string pairing_text(const PairingResult& pairing);

}  // namespace quarto
