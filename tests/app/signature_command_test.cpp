#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

class Signature : public CommandTest {};

// These numbers are the same on every machine. A change of them is a change of the solver, of the prover, of the search or
// of light networks. If it is meant, CHANGELOG.md says so and has the new signature.
TEST_F(Signature, SolverProofsAndPlayersDoWhatTheyDid) {
  const Ran ran = run("signature --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto found = nlohmann::json::parse(ran.out);
  EXPECT_EQ(found["solver"], "039ad309");
  EXPECT_EQ(found["proofs"], "5ac284b5") << "another prover: kProverVersion goes up";
  EXPECT_EQ(found["search"], "0e242e9d");
  EXPECT_EQ(found["network"], "cf737087");
  EXPECT_EQ(found["player"], "6bd83922");
  // Training depends on the processor's floating point, so it is compared with itself.
  const Ran again = run("signature");
  ASSERT_EQ(again.status, 0) << again.err;
  for (const char* part : {"everywhere", "training", "signature"}) {
    EXPECT_THAT(again.out, testing::HasSubstr(found[part].get<std::string>())) << part;
  }
}

}  // namespace
}  // namespace quarto
