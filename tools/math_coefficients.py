#!/usr/bin/env python3
"""Computes src/compute/math/coefficients.h: near-minimax polynomials for the vector math functions.

Usage: math_coefficients.py > src/compute/math/coefficients.h      (needs mpmath)

Each polynomial approximates the smooth factor that is left of a function after its reduction (see math.h), over
exactly the interval of the reduction, to a tenth of a rounding error of its precision.
"""

from mpmath import mp, mpf

mp.dps = 50


def near_zero(function, value_at_zero):
    """`function` with its removable singularity at zero filled in."""
    return lambda x: mpf(value_at_zero) if abs(x) < mpf(10) ** -24 else function(x)


def atanh_rest(z):
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / (s * z)


def odd_rest(function):
    """R with function(x) = x + x^3 R(x^2)."""
    return lambda z: (function(mp.sqrt(z)) - mp.sqrt(z)) / (mp.sqrt(z) * z)


def scaled_erfc(t):
    x = ERFC_CENTER * (1 + t) / (1 - t)
    return mp.erfc(x) * mp.exp(x * x) * (1 + 2 * x)


def bessel_near_zero(order):
    """P with I_n(x) = (x / 2)^n P(x^2 / 4)."""
    return near_zero(lambda z: mp.besseli(order, 2 * mp.sqrt(z)) / mp.sqrt(z) ** order, 1)


def bessel_far_away(order):
    """P with I_n(x) = exp(x) / sqrt(x) P(16 / x - 1)."""
    def scaled(t):
        if t < mpf("-0.999999"):
            return 1 / mp.sqrt(2 * mp.pi) * (1 - (4 * order**2 - 1) * (1 + t) / 128)
        x = 16 / (1 + t)
        return mp.besseli(order, x) * mp.exp(-x) * mp.sqrt(x)
    return scaled


HALF_LOG2 = mp.log(2) / 2
LOG_LIMIT = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.001")
QUARTER_PI = (mp.pi / 4) ** 2 * mpf("1.001")
ERFC_CENTER = mpf(3)


def erfc_parameter(x):
    return (mpf(x) - ERFC_CENTER) / (mpf(x) + ERFC_CENTER)


# name, meaning, function, interval, number of coefficients for float (0: none) and for double
POLYNOMIALS = [
    ("Exp", "exp(r) = 1 + r + r^2 P(r)", near_zero(lambda r: (mp.expm1(r) - r) / r**2, 0.5),
     (-HALF_LOG2 * mpf("1.001"), HALF_LOG2 * mpf("1.001")), 5, 11),
    ("Log", "log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2)", near_zero(atanh_rest, mpf(2) / 3), (0, LOG_LIMIT), 4, 8),
    ("Sin", "sin(r) = r + r^3 P(r^2)", near_zero(odd_rest(mp.sin), mpf(-1) / 6), (0, QUARTER_PI), 0, 6),
    ("Cos", "cos(r) = 1 - r^2 / 2 + r^4 P(r^2)",
     near_zero(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24), (0, QUARTER_PI), 0, 6),
    ("Atan", "atan(r) = r + r^3 P(r^2)", near_zero(odd_rest(mp.atan), mpf(-1) / 3), (0, mpf("0.1717")), 0, 12),
    ("Asin", "asin(r) = r + r^3 P(r^2)", near_zero(odd_rest(mp.asin), mpf(1) / 6), (0, mpf("0.2501")), 0, 13),
    ("Tanh", "tanh(x) = x + x^3 P(x^2) for small x", near_zero(odd_rest(mp.tanh), mpf(-1) / 3),
     (0, mpf("0.3907")), 6, 12),
    ("Erf", "erf(x) = x P(x^2) for |x| < 1",
     near_zero(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z), 2 / mp.sqrt(mp.pi)), (0, 1), 7, 13),
    ("Erfc", "erfc(x) = exp(-x^2) / (1 + 2 x) P((x - 3) / (x + 3)) for x >= 1", scaled_erfc,
     (erfc_parameter(1), erfc_parameter(28)), 11, 23),
    ("Lgamma", "lgamma(2 + z) = z P(z) for |z| <= 1/2", near_zero(lambda z: mp.loggamma(2 + z) / z, 1 - mp.euler),
     (mpf("-0.501"), mpf("0.501")), 0, 20),
    ("I0", "I0(x) = P(x^2 / 4) for |x| <= 8", bessel_near_zero(0), (0, 16), 0, 17),
    ("I1", "I1(x) = x / 2 P(x^2 / 4) for |x| <= 8", bessel_near_zero(1), (0, 16), 0, 17),
    ("I0Far", "I0(x) = exp(x) / sqrt(x) P(16 / x - 1) for x >= 8", bessel_far_away(0), (-1, 1), 0, 25),
    ("I1Far", "I1(x) = exp(x) / sqrt(x) P(16 / x - 1) for x >= 8", bessel_far_away(1), (-1, 1), 0, 25),
]


def print_polynomial(name, meaning, function, interval, count, element):
    coefficients, error = mp.chebyfit(function, interval, count, error=True)
    digits, suffix = (9, "f") if element == "float" else (17, "")
    print(f"/// {meaning}; error {mp.nstr(error, 2)}. From the highest power down.")
    print("template <>")
    print(f"inline constexpr {element} k{name}<{element}>[] = {{")
    for coefficient in coefficients:
        text = mp.nstr(coefficient, digits, strip_zeros=False)
        print(f"    {text}{suffix},")
    print("};")


def main():
    print("/**\n * @file\n * Made by tools/math_coefficients.py: polynomials of the math functions.\n */\n#pragma once\n")
    print("namespace executorch::compute {\n")
    for name, meaning, function, interval, floats, doubles in POLYNOMIALS:
        print("template <class T>")
        print(f"inline constexpr T k{name}[1] = {{}};")
        if floats:
            print_polynomial(name, meaning, function, interval, floats, "float")
        print_polynomial(name, meaning, function, interval, doubles, "double")
        print()
    print("}  // namespace executorch::compute")


if __name__ == "__main__":
    main()
