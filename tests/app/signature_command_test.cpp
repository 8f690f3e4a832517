#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

class Signature : public CommandTest {};

// A change of these numbers is a change of the solver or of the prover. If it is meant, CHANGELOG.md says so and has
// the new signature.
TEST_F(Signature, TheSolverAndItsProofsDoWhatTheyDid) {
  const Ran ran = run("signature --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto found = nlohmann::json::parse(ran.out);
  EXPECT_EQ(found["solver"], "039ad309");
  EXPECT_EQ(found["proofs"], "5ac284b5") << "another prover: kProverVersion goes up";
  // The rest depends on the processor's floating point, so it is compared with itself.
  const Ran again = run("signature");
  ASSERT_EQ(again.status, 0) << again.err;
  for (const char* part : {"search", "network", "player", "training", "signature"}) {
    EXPECT_THAT(again.out, testing::HasSubstr(found[part].get<std::string>())) << part;
  }
}

}  // namespace
}  // namespace quarto
