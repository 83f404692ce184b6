/**
 * @file
 * The parts of math functions that go number by number: rare arguments for which vectors give up.
 * Exact arithmetic on the bits, the same on every machine.
 */
#pragma once

namespace executorch::compute {

/// Remainder of x / y with the sign of x, exact for all finite arguments; NaN for y = 0 or infinite
/// x.
double exact_fmod(double x, double y);

/// Reduces any finite |x| >= 2^-20 modulo pi/2: x = quadrant * pi/2 + high + low (mod 2 pi) with
/// |high| <= pi/4. Returns the quadrant, 0 to 3.
int reduce_angle(double x, double* high, double* low);

}  // namespace executorch::compute
