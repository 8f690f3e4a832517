// The queue: bounds, order, cancelling, stopping.
#include "serve/jobs.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "tests/serve/support.h"
#include "tests/support/sanitized.h"

namespace quarto::serve {
namespace {

// Work that lasts until it is told to stop, or let go.
struct Held {
  std::atomic<bool> go = false;
  std::atomic<int> begun = 0;
  JobQueue::Work work() {
    return [this](int, JobProgress& progress) {
      ++begun;
      while (!go && !progress.stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return Json{{"ok", true}};
    };
  }
};
const JobQueue::Work kNothing = [](int, JobProgress&) { return Json(); };

JobState state_of(JobQueue& queue, const std::string& id) { return queue.find(id)->state; }

TEST(JobQueue, EachPriorityHasItsOwnBound) {
  Held held;
  JobQueue queue({.threads = 1, .waiting = 2});
  const auto first = queue.submit(Priority::background, "move", held.work());
  wait_until([&] { return held.begun == 1; });
  EXPECT_TRUE(queue.submit(Priority::background, "move", kNothing));
  EXPECT_TRUE(queue.submit(Priority::background, "move", kNothing));
  EXPECT_FALSE(queue.submit(Priority::background, "move", kNothing));
  EXPECT_TRUE(queue.submit(Priority::interactive, "move", kNothing));
  EXPECT_EQ(queue.waiting(), 3U);
  EXPECT_EQ(queue.running(), 1U);
  held.go = true;
  wait_until([&] { return queue.waiting() == 0 && queue.running() == 0; });
}

TEST(JobQueue, BackgroundJobsLeaveAThreadForInteractiveOnes) {
  Held held;
  JobQueue queue({.threads = 2});
  for (int i = 0; i < 5; ++i) queue.submit(Priority::background, "analysis", held.work());
  wait_until([&] { return held.begun == 1; });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(queue.run("move", kNothing, {})->state, JobState::done);  // would wait for ever behind the others
  EXPECT_EQ(held.begun, 1);
}

TEST(JobQueue, InteractiveJobsDoNotKeepBackgroundOnesFromAFreeThread) {
  for (int round = 0; round < 50; ++round) {
    Held held;
    JobQueue queue({.threads = 2});
    queue.submit(Priority::background, "analysis", held.work());
    std::thread waits([&] { queue.run("move", held.work(), {}); });
    wait_until([&] { return held.begun == 2; });  // whichever thread took which
    held.go = true;
    waits.join();
  }
}

// The order in which a free thread takes a background job ('B') and three interactive ones ('i') submitted after it.
std::string order(int threads, std::chrono::milliseconds turn) {
  Held first, others;
  std::mutex mutex;
  std::string order;
  std::atomic<int> done = 0;
  const auto noted = [&](char what) {
    return [&, what](int, JobProgress&) {
      const std::lock_guard lock(mutex);
      order += what;
      ++done;
      return Json();
    };
  };
  JobQueue queue({.threads = threads, .turn = turn});
  queue.submit(Priority::interactive, "move", first.work());
  for (int i = 1; i < threads; ++i) queue.submit(Priority::interactive, "move", others.work());
  wait_until([&] { return first.begun + others.begun == threads; });
  queue.submit(Priority::background, "analysis", noted('B'));
  for (int i = 0; i < 3; ++i) queue.submit(Priority::interactive, "move", noted('i'));
  first.go = true;
  wait_until([&] { return done == 4; });
  others.go = true;
  return order;
}

TEST(JobQueue, ABackgroundJobThatHasWaitedGoesFirst) {
  for (const int threads : {1, 2, 3}) {
    EXPECT_EQ(order(threads, std::chrono::hours(1)), "iiiB");
    EXPECT_EQ(order(threads, std::chrono::hours(0)), "Biii");
  }
}

// The sanitizers need more address space than what is left here.
#ifndef QUARTOZERO_SANITIZED
TEST(JobQueue, TooFewThreadsAreAnError) {
  static constexpr rlim_t kFew = 1 << 30;  // bytes; each thread has a stack of megabytes
  // qemu's user emulation accepts this limit and does not set it.
  rlimit before{}, set{};
  ::getrlimit(RLIMIT_AS, &before);
  const rlimit low{std::min(kFew, before.rlim_max), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &low), 0);
  ::getrlimit(RLIMIT_AS, &set);
  ::setrlimit(RLIMIT_AS, &before);
  if (set.rlim_cur != low.rlim_cur) GTEST_SKIP() << "an emulator does not limit the address space";

  const auto try_it = [] {
    const rlimit few{kFew, kFew};
    ::setrlimit(RLIMIT_AS, &few);
    try {
      const JobQueue queue({.threads = 1024});
    } catch (const std::runtime_error& e) {
      std::fputs(e.what(), stderr);
      ::_exit(3);
    }
    ::_exit(0);
  };
  EXPECT_EXIT(try_it(), testing::ExitedWithCode(3), "of 1024 threads could be started");
}
#endif

TEST(JobQueue, FailuresAreKeptAsWhatTheyWere) {
  JobQueue queue({.threads = 1});
  const auto refused = queue.run("move", [](int, JobProgress&) -> Json { throw RequestError(400, "x", "y"); }, {});
  EXPECT_EQ(refused->state, JobState::failed);
  EXPECT_EQ(refused->error->status(), 400);
  const auto broken = queue.run("move", [](int, JobProgress&) -> Json { throw std::runtime_error("boom"); }, {});
  EXPECT_EQ(broken->error->status(), 500);
  const auto memory = queue.run("move", [](int, JobProgress&) -> Json { throw std::bad_alloc(); }, {});
  EXPECT_EQ(memory->error->status(), 503);
}

TEST(JobQueue, CancelsWhatWaitsAtOnceAndWhatRunsSoon) {
  Held held;
  JobQueue queue({.threads = 1});
  const auto running = queue.submit(Priority::background, "move", held.work());
  wait_until([&] { return held.begun == 1; });
  const auto waiting = queue.submit(Priority::background, "move", held.work());
  EXPECT_EQ(queue.cancel(*waiting)->state, JobState::cancelled);
  queue.cancel(*running);
  wait_until([&] { return state_of(queue, *running) == JobState::cancelled; });
  EXPECT_FALSE(queue.find(*running)->result);
  EXPECT_EQ(queue.cancel(*running)->state, JobState::cancelled);  // again: nothing
  EXPECT_FALSE(queue.cancel("no such"));
  EXPECT_EQ(held.begun, 1);
}

TEST(JobQueue, NobodyWaitsForAThreadForEver) {
  Held held;
  JobQueue queue({.threads = 1, .patience = std::chrono::milliseconds(0)});
  queue.submit(Priority::background, "move", held.work());
  wait_until([&] { return held.begun == 1; });
  EXPECT_FALSE(queue.run("move", kNothing, {}));
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST(JobQueue, ForgetsTheOldestResults) {
  JobQueue queue({.threads = 1, .kept = 3});
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(*queue.submit(Priority::background, "move", kNothing));
    wait_until([&] { return state_of(queue, ids.back()) == JobState::done; });
  }
  EXPECT_FALSE(queue.find(ids[0]));
  EXPECT_FALSE(queue.find(ids[1]));
  EXPECT_TRUE(queue.find(ids[2]));
  JobQueue forgetful({.threads = 1, .kept_for = std::chrono::seconds(0)});
  const auto id = forgetful.submit(Priority::background, "move", kNothing);
  wait_until([&] { return !forgetful.find(*id); });
}

TEST(JobQueue, StoppingEndsEverything) {
  Held held;
  std::atomic<int> ended = 0, cancelled = 0;
  JobQueue queue({.threads = 2, .on_end = [&](const JobSnapshot& job) {
                    ++ended;
                    cancelled += job.state == JobState::cancelled;
                  }});
  for (int i = 0; i < 6; ++i) queue.submit(Priority::background, "move", held.work());
  std::thread waits([&] {
    const auto end = queue.run("move", held.work(), {});
    EXPECT_TRUE(end && end->state == JobState::cancelled);
  });
  wait_until([&] { return held.begun == 2; });
  queue.stop();
  waits.join();
  EXPECT_EQ(ended, 7);
  EXPECT_EQ(cancelled, 7);
  EXPECT_FALSE(queue.submit(Priority::background, "move", kNothing));
  EXPECT_FALSE(queue.run("move", kNothing, {}));
}

}  // namespace
}  // namespace quarto::serve
