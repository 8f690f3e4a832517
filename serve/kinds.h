// The kinds of computation: one row of a table each, with all that differs between them. A new kind is an enumerator, a
// row in kinds.cpp and its two functions; an endpoint that computes it at once is a row in service.cpp.
#pragma once

#include <string>
#include <vector>

#include "serve/api.h"

namespace quarto::serve {

struct KindRow {
  Kind kind;
  std::string name;                 // in a job's "kind" and in the metrics
  std::vector<std::string> fields;  // the request's body may have these
  // Reads the fields of this kind. The task's network and time limit are set already. Throws RequestError.
  void (*parse)(const Fields& fields, const Limits& limits, Task& task);
  Json (*compute)(const Task& task, Worker& worker, JobProgress& progress);
};

// In the order of Kind.
const std::vector<KindRow>& kinds();
const KindRow& row_of(Kind kind);

// The table's functions, from api.cpp and compute.cpp.
void parse_move(const Fields& fields, const Limits& limits, Task& task);
void parse_analysis(const Fields& fields, const Limits& limits, Task& task);
void parse_evaluation(const Fields& fields, const Limits& limits, Task& task);
Json answer_move(const Task& task, Worker& worker, JobProgress& progress);
Json answer_analysis(const Task& task, Worker& worker, JobProgress& progress);
Json answer_evaluation(const Task& task, Worker& worker);

}  // namespace quarto::serve
