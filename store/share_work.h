// The work of a job (coordinator.h): one thread does its shares, one after the other.
#pragma once

#include "store/worker.h"

namespace quarto::store {

// Does the shares of one job.
class ShareWorker {
 public:
  virtual ~ShareWorker() = default;
  // The result, a function of the input and of the job alone. Once `stop` is set it may return anything, which is not
  // used. A WireError refuses the input: the share is left to others. Any other exception ends the worker.
  virtual std::string work(const std::string& input, const std::atomic<bool>& stop) = 0;
};

// `make` is called when the job's kit is there; it throws WorkerRefused if this program cannot do the job. `name` is
// shown by the coordinator.
std::unique_ptr<Work> make_share_work(std::string name,
                                      std::function<std::unique_ptr<ShareWorker>(const Kit& kit)> make);

}  // namespace quarto::store
