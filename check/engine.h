// The player as a black box: a program that speaks the line protocol of docs/engine.md, one process for each object.
#pragma once
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <span>

#include "quarto.h"

namespace check {

class Engine {
 public:
  Engine(const std::string& command, const std::vector<std::string>& options, std::string go) : go_(std::move(go)) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the engine");
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("no process for the engine");
    if (child_ == 0) {
      std::signal(SIGPIPE, SIG_DFL);
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    in_ = fdopen(to[1], "w");
    out_ = fdopen(from[0], "r");
    send("uqi\n");
    while (line() != "uqiok") {
    }
    for (const auto& option : options) {
      const auto equals = option.find('=');
      send("setoption name " + option.substr(0, equals) + " value " + option.substr(equals + 1) + "\n");
    }
    send("isready\n");
    while (line() != "readyok") {
    }
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    std::fputs("quit\n", in_);
    std::fclose(in_);
    std::fclose(out_);
    waitpid(child_, nullptr, 0);
  }

  /// The rules that the engine plays by; empty if it does not say.
  std::string rules() {
    send("show\nisready\n");
    std::string found;
    for (std::string text; (text = line(false)) != "readyok";)
      if (const auto at = text.find(" rules "); text.starts_with("info position") && at != std::string::npos)
        found = text.substr(at + 7, text.find(' ', at + 7) - at - 7);
    return found;
  }

  /// Its moves. All are asked before the first answer is read, so give at most kTogether: neither pipe may fill up.
  static constexpr std::size_t kTogether = 32;
  std::vector<int> moves(std::span<const Position> positions) {
    std::string questions;
    for (const auto& p : positions) questions += "position board " + text_of(p) + "\ngo " + go_ + "\n";
    send(questions);
    std::vector<int> answers;
    for (const auto& p : positions) {
      std::string text;
      while (!(text = line()).starts_with("bestmove ")) {
      }
      text = text.substr(9, text.find(' ', 9) - 9);
      answers.push_back(parse_move(p, text));
      if (answers.back() < 0) throw std::runtime_error("the engine moved \"" + text + "\" in " + text_of(p));
    }
    return answers;
  }
  int move(const Position& p) { return moves({&p, 1}).front(); }

 private:
  void send(const std::string& text) {
    if (std::fputs(text.c_str(), in_) < 0 || std::fflush(in_) != 0) throw std::runtime_error("the engine has ended");
  }
  std::string line(bool refuse_errors = true) {
    std::string text;
    for (int c; (c = std::fgetc(out_)) != '\n';) {
      if (c == EOF) throw std::runtime_error("the engine has ended; its last words are above, on standard error");
      if (c != '\r') text += static_cast<char>(c);
    }
    if (refuse_errors && text.starts_with("error")) throw std::runtime_error("the engine says: " + text);
    return text;
  }

  std::string go_;
  pid_t child_ = -1;
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
};

}  // namespace check
