#include "base/percent.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

TEST(Percent, TwoDigitsAreAByte) {
  EXPECT_EQ(percent_decoded(""), "");
  EXPECT_EQ(percent_decoded("a%2Fb%2f+"), "a/b/+");
  EXPECT_EQ(percent_decoded("%01%7F"), "\x01\x7f");
  EXPECT_EQ(percent_decoded("%2541"), "%41") << "once";
}

TEST(Percent, WhatIsNoByteIsRefused) {
  for (const char* text : {"%", "%4", "a%", "%%41", "%zz", "%4g", "%g4", "% 41", "%+4", "%00"})
    EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
}

}  // namespace
}  // namespace quarto
