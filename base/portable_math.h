// exp and log that are the same on every machine, bit by bit, for what decides a move. Those of the system's library differ
// between libraries in the last bit. These are made of IEEE 754 additions, multiplications and divisions of doubles, in one
// order, which every processor rounds alike (-ffp-contract=off: none is fused).
#pragma once

namespace quarto::portable {

// e^x, with a relative error below 3e-16; 0 below -708, infinity above 709. NaN for NaN.
double exp(double x);
// The natural logarithm of x > 0, normal and finite, with an error below 3e-16 of 1 + |ln x|.
double log(double x);

}  // namespace quarto::portable
