// The dashboard as paths of the server:
//
//     GET /runs/                                 the page (web/dashboard/)
//     GET /api/v1/runs                           the runs: state, last line of the metrics, agreement, settings
//     GET /api/v1/runs/events                    those that have changed, with the names of all, as server-sent events
//     GET /api/v1/runs/metrics/FROM/NAME         lines of a run's metrics.jsonl, from byte FROM on
//
// docs/dashboard.md describes them.
#pragma once

#include <memory>

#include "serve/command.h"
#include "watch/runs.h"

namespace quarto::watch {

// What the server gets for the runs of `folder`: the paths, and the runs' networks, which `load` reads. `most_streams`
// bounds the pages that are kept up to date at the same time; each takes one of the server's connections.
serve::Additions dashboard(const std::filesystem::path& folder, NetworkLoader load, int most_streams = 64);

}  // namespace quarto::watch
