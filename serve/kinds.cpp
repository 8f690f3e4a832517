#include "serve/kinds.h"

namespace quarto::serve {

const std::vector<KindRow>& kinds() {
  // Never destroyed: a job may still run while the program ends.
  static const auto& all = *new std::vector<KindRow>{
      {Kind::move,
       "move",
       {"position", "game", "rules", "network", "simulations", "proof_nodes", "time_ms", "clock_ms", "increment_ms",
        "exact_squares", "sharp"},
       parse_move,
       answer_move},
      {Kind::analysis,
       "analysis",
       {"position", "game", "rules", "network", "simulations", "proof_nodes", "time_ms", "exact", "placements"},
       parse_analysis,
       answer_analysis},
      {Kind::evaluation,
       "evaluation",
       {"positions", "rules", "network"},
       parse_evaluation,
       [](const Task& task, Worker& worker, JobProgress&) { return answer_evaluation(task, worker); }},
  };
  return all;
}

const KindRow& row_of(Kind kind) { return kinds().at(static_cast<std::size_t>(kind)); }

std::string to_string(Kind kind) { return row_of(kind).name; }

Json compute(const Task& task, Worker& worker, JobProgress& progress) {
  return row_of(task.kind).compute(task, worker, progress);
}

}  // namespace quarto::serve
