// An engine that speaks the line protocol and misbehaves as its argument says. `fake_engine HOW [N]`: the first N
// decisions are honest, then it does HOW. It plays the legal move with the lowest index.
//
//   honest    never misbehaves         mute       reads, and says nothing         deaf     writes and does not read
//   dies      ends with status 3       crashes    ends by a signal                hangs    starts well, never decides
//   lies      names no move            cheats     an occupied square              floods   short lines without end
//   one_line  one line without end     babbles    says its move twice             error    says "error"
//   wordy     tells much before it decides         interrupts   sends its parent SIGINT, once, and plays on
//   turns     plays the legal move with the highest index
//   named     is called N, in place of "fake"
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include "env/notation.h"

namespace {

[[noreturn]] void wait_forever() {
  while (true) ::pause();
}

void say(const std::string& line) { std::cout << line << std::endl; }

[[noreturn]] void write_forever(const std::string& text) {
  while (true) std::cout << text;
}

std::string lowest(const quarto::Position& p) { return quarto::to_string(*p.moves().begin()); }

void misbehave(const std::string& how, const quarto::Position& p) {
  const std::string move = lowest(p);
  if (how == "dies") {
    std::cerr << "line one\nout of ideas\n";
    std::exit(3);
  }
  if (how == "crashes") {
    ::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
  }
  if (how == "hangs") wait_forever();
  if (how == "lies") return say("bestmove \x1b[31mz9");
  if (how == "cheats") return say("bestmove " + (p.has_hand() ? std::string("a1") : std::string("0")));
  if (how == "floods") write_forever("info string never mind\n");
  if (how == "one_line") write_forever("never mind ");
  if (how == "error") return say("error do not ask me");
  if (how == "interrupts") {
    static bool done = false;
    if (!std::exchange(done, true)) ::kill(::getppid(), SIGINT);
  }
  if (how == "wordy") {
    for (int i = 0; i < 1000; ++i) say("info sims " + std::to_string(i));
  }
  if (how == "turns") {
    std::string last;
    for (const quarto::Move m : p.moves()) last = quarto::to_string(m);
    return say("bestmove " + last);
  }
  say("bestmove " + move);
  if (how == "babbles") say("bestmove " + move);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "honest";
  int honest = argc > 2 && how != "named" ? std::atoi(argv[2]) : 0;
  if (how == "deaf") write_forever("uqiok\n");
  quarto::Position position;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word, rest, board, hand;
    words >> word;
    if (how == "mute") continue;
    if (word == "uqi") {
      say("id name " + (how == "named" ? argv[2] : std::string("fake")));
      say("uqiok");
    } else if (word == "isready") {
      say("readyok");
    } else if (word == "position") {
      words >> rest >> board >> hand;
      position = quarto::parse_position(board + " " + hand);
    } else if (word == "go") {
      if (how == "honest" || how == "named" || honest-- > 0) {
        say("bestmove " + lowest(position));
      } else {
        misbehave(how, position);
      }
    } else if (word == "quit") {
      return 0;
    }
  }
  return 0;
}
