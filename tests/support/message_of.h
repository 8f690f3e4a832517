// What an exception says.
#pragma once

#include <exception>
#include <string>

namespace quarto {

// That of a call which throws one of this kind; "no error" if it throws none.
template <class Exception = std::exception, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Exception& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace quarto
