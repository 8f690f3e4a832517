// A service whose answers are quick.
#pragma once

#include "serve/service.h"

namespace quarto::fuzz {

inline serve::Service& small_service() {
  static serve::Service service({}, {}, [] {
    serve::ServiceOptions options;
    options.limits.simulations = 20;
    options.limits.seconds = options.limits.job_seconds = 0.05;
    options.limits.positions = 4;
    options.limits.table_mib = 1;
    options.queue = 4;
    return options;
  }());
  return service;
}

}  // namespace quarto::fuzz
