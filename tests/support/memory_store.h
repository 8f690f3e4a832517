// A store in this process's memory, for tests: it behaves as Redis does (tests/store/store_test.cpp runs both through
// the same statements), and fails on demand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "store/store.h"

namespace quarto::store {

// What the connections of one such store share. Thread-safe.
class MemoryServer {
 public:
  MemoryServer();
  ~MemoryServer();
  MemoryServer(const MemoryServer&) = delete;
  MemoryServer& operator=(const MemoryServer&) = delete;

  std::unique_ptr<Store> connect();
  // As if the server were stopped: every call throws StoreUnavailable.
  void set_down(bool down);
  // As if its memory were lost: the run, its results, everything.
  void empty();
  // As if it had lost its last seconds: nothing is leased, and nothing is to be leased again.
  void forget_leases();
  // As if it had come back with what it held before the last Store::open().
  void forget_takeover();
  // As if the weights had been written over.
  void damage_weights();
  // As if it had lost the inputs of shares.
  void forget_inputs();
  // As if the inputs of shares had been written over: a change of every one.
  void change_inputs(const std::function<void(std::string& input)>& change);
  // The next `n` calls are carried out, and their answers are lost: they throw StoreUnavailable.
  void lose_answers(int n);
  // As if it had to throw out the run as soon as it is there, or to refuse every tick. troubles(): how often it has.
  void set_evicting(bool evicting);
  void set_refusing_ticks(bool refusing);
  std::uint64_t troubles() const;
  // How many deliveries were refused because the stream was full.
  std::uint64_t full() const;
  // Puts a result there that no actor would.
  void inject(const std::string& member, const std::string& bytes);

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace quarto::store
