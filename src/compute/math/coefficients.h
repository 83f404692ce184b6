/**
 * @file
 * Made by tools/math_coefficients.py: polynomials of the math functions.
 */
#pragma once

namespace executorch::compute {

template <class T>
inline constexpr T kExp[1] = {};
/// exp(r) = 1 + r + r^2 P(r); error 6.5e-8. From the highest power down.
template <>
inline constexpr float kExp<float>[] = {
    0.00139262508f, 0.00836323288f, 0.0416665542f, 0.166665767f, 0.500000000f,
};
/// exp(r) = 1 + r + r^2 P(r); error 1.4e-18. From the highest power down.
template <>
inline constexpr double kExp<double>[] = {
    2.0914755325893202e-9, 2.5105312729622102e-8,  2.7557273478718580e-7, 2.7557255170000887e-6,
    2.4801587325677462e-5, 0.00019841269875002279, 0.0013888888888883711, 0.0083333333333260831,
    0.041666666666666670,  0.16666666666666671,    0.50000000000000000,
};

template <class T>
inline constexpr T kLog[1] = {};
/// log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2); error 1.2e-9. From the highest power down.
template <>
inline constexpr float kLog<float>[] = {
    0.233316145f,
    0.285507786f,
    0.400001222f,
    0.666666666f,
};
/// log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2); error 2.1e-18. From the highest power down.
template <>
inline constexpr double kLog<double>[] = {
    0.13088034850927554, 0.13268638369266824, 0.15386244737621667, 0.18181795547521136,
    0.22222222392581045, 0.28571428570799785, 0.40000000000000883, 0.66666666666666666,
};

template <class T>
inline constexpr T kSin[1] = {};
/// sin(r) = r + r^3 P(r^2); error 2.1e-17. From the highest power down.
template <>
inline constexpr double kSin<double>[] = {
    1.5917988979397433e-10,  -2.5051129896450186e-8, 2.7557316093198405e-6,
    -0.00019841269836740532, 0.0083333333333309366,  -0.16666666666666665,
};

template <class T>
inline constexpr T kCos[1] = {};
/// cos(r) = 1 - r^2 / 2 + r^4 P(r^2); error 1.3e-18. From the highest power down.
template <>
inline constexpr double kCos<double>[] = {
    -1.1382544645349250e-11, 2.0876145049413179e-9,  -2.7557317265878080e-7,
    2.4801587298754401e-5,   -0.0013888888888887390, 0.041666666666666665,
};

template <class T>
inline constexpr T kAtan[1] = {};
/// atan(r) = r + r^3 P(r^2); error 1.2e-18. From the highest power down.
template <>
inline constexpr double kAtan<double>[] = {
    0.016275521683893418, -0.034561322968262308, 0.045512338448295677, -0.052303754575766692,
    0.058789182929757272, -0.066664239543734122, 0.076922963231577845, -0.090909087517060758,
    0.11111111105119365,  -0.14285714285659457,  0.19999999999999803,  -0.33333333333333333,
};

template <class T>
inline constexpr T kAsin[1] = {};
/// asin(r) = r + r^3 P(r^2); error 1.5e-17. From the highest power down.
template <>
inline constexpr double kAsin<double>[] = {
    0.028778442612593041, -0.014881409392818067, 0.017419357964884857, 0.0054508781877205499,
    0.010324318288744112, 0.011478952690257387,  0.013971235301124539, 0.017352391265909228,
    0.022372173002005597, 0.030381944137085214,  0.044642857146373381, 0.074999999999984243,
    0.16666666666666668,
};

template <class T>
inline constexpr T kTanh[1] = {};
/// tanh(x) = x + x^3 P(x^2) for small x; error 1.6e-9. From the highest power down.
template <>
inline constexpr float kTanh<float>[] = {
    0.00229255770f, -0.00834378037f, 0.0217688682f, -0.0539592534f, 0.133333035f, -0.333333332f,
};
/// tanh(x) = x + x^3 P(x^2) for small x; error 4.0e-18. From the highest power down.
template <>
inline constexpr double kTanh<double>[] = {
    6.4841049824054788e-6,  -3.1198926667734874e-5, 9.2569235885120325e-5, -0.00023758968852117012,
    0.00058966036065526714, -0.0014557753532096296, 0.0035921217436959856, -0.0088632351026534843,
    0.021869488518981429,   -0.053968253967896364,  0.13333333333333041,   -0.33333333333333333,
};

template <class T>
inline constexpr T kErf[1] = {};
/// erf(x) = x P(x^2) for |x| < 1; error 1.2e-9. From the highest power down.
template <>
inline constexpr float kErf<float>[] = {
    7.87587506e-5f, -0.000801686429f, 0.00518908742f, -0.0268542120f,
    0.112835947f,   -0.376126267f,    1.12837917f,
};
/// erf(x) = x P(x^2) for |x| < 1; error 1.3e-19. From the highest power down.
template <>
inline constexpr double kErf<double>[] = {
    5.9571761477489114e-11, -1.1372848856791674e-9, 1.4659775274047436e-8,  -1.6350312701054695e-7,
    1.6461000484121368e-6,  -1.4925595266831182e-5, 0.00012055331111642711, -0.00085483269808337899,
    0.0052239776248180145,  -0.026866170645076793,  0.11283791670954879,    -0.37612638903183748,
    1.1283791670955126,
};

template <class T>
inline constexpr T kErfc[1] = {};
/// erfc(x) = exp(-x^2) / (1 + 2 x) P((x - 3) / (x + 3)) for x >= 1; error 8.6e-10. From the highest
/// power down.
template <>
inline constexpr float kErfc<float>[] = {
    6.20120789e-5f, -0.000772646414f, 0.00178822607f, 0.00255322520f, -0.0237489858f, 0.0683014592f,
    -0.119275613f,  0.129645712f,     -0.0475622279f, -0.135621118f,  1.25300806f,
};
/// erfc(x) = exp(-x^2) / (1 + 2 x) P((x - 3) / (x + 3)) for x >= 1; error 7.2e-20. From the highest
/// power down.
template <>
inline constexpr double kErfc<double>[] = {
    5.0888390999766359e-9,   -3.5910459481598766e-8,  4.3756660571366322e-8, 1.2716631211195488e-7,
    -1.5729774279125082e-7,  -6.2749567271076562e-7,  3.6863016321604317e-7, 3.4745223254612610e-6,
    -7.3605113716452583e-7,  -2.0100681518108916e-5,  4.9505869702394971e-6, 0.00012509933025183718,
    -0.00010515997891394871, -0.00077983226915196415, 0.0018886903782401075, 0.0025293918161706654,
    -0.023770514919854032,   0.068308027343944390,    -0.11927366341526982,  0.12964515870276227,
    -0.047562294353451226,   -0.13562110612458119,    1.2530080582697297,
};

}  // namespace executorch::compute
