// quartozero serve: that the command with LibTorch serves checkpoints; the server itself is tested in tests/serve.
#include <gmock/gmock.h>

#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::HasSubstr;

class ServeCommand : public CommandTest {
 protected:
  const std::string small = QUARTOZERO_CHECKPOINTS "/small";
  // Serves until it has answered one request of the shell's own, then is told to end.
  Ran ask(const std::string& options, const std::string& request) const {
    const std::string script = path("ask.sh");
    write_file_atomic(script, "exec 3< <(exec \"$1\" serve --port 0 " + options +
                                  ")\nserver=$!\n"
                                  "while read -r line <&3; do case $line in *http://127.0.0.1:*) break;; esac; done\n"
                                  "port=${line##*127.0.0.1:}; port=${port%%[^0-9]*}\n"
                                  "exec 4<> /dev/tcp/127.0.0.1/$port\n"
                                  "printf '" +
                                  request + "' >&4\ncat <&4\nkill -TERM $server\nwait $server\necho \"status $?\"\n");
    Ran ran;
    FILE* pipe = ::popen(("timeout 120 bash " + script + " " QUARTOZERO_BINARY " 2>" + path("stderr")).c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.out.append(buffer.data(), n);
    ran.status = ::pclose(pipe);
    ran.err = read_file(path("stderr"));
    return ran;
  }
};

TEST_F(ServeCommand, AnswersFromACheckpointAndEndsWhenTold) {
  const std::string body = R"({"position": "..../2F.A/E9../.8B3 -", "network": "mine", "simulations": 20})";
  const Ran ran = ask("--net mine=" + small,
                      "POST /api/v1/move HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n"
                      "Content-Type: application/json\\r\\nContent-Length: " +
                          std::to_string(body.size()) + "\\r\\n\\r\\n" + body);
  EXPECT_THAT(ran.out, HasSubstr("HTTP/1.1 200")) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"network\":\"mine\""));
  EXPECT_THAT(ran.out, HasSubstr("\"move\":\""));
  EXPECT_THAT(ran.out, HasSubstr("status 0"));
}

TEST_F(ServeCommand, WhatCannotBeServedIsAnErrorBeforeItListens) {
  EXPECT_EQ(run("serve --port 0 --net x=" + path("absent")).status, 1);
  EXPECT_EQ(run("serve --port 0 --net x=" + small + " --net x=" + small).status, 1);
  EXPECT_EQ(run("serve --port 70000").status, 2);
  fails(1, "serve --port 0 --threads 1000 --table-mb 65536",
        HasSubstr("1000 threads with --table-mb 65536 each need 65536000 MB, and "));
  const Ran runs = run("serve --port 0 --runs " + path("none"));
  EXPECT_EQ(runs.status, 2);
  EXPECT_THAT(runs.err, testing::HasSubstr("train first"));
}

}  // namespace
}  // namespace quarto
