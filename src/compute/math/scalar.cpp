#include "compute/math/scalar.h"

#include <cstdint>
#include <cstring>

namespace executorch::compute {
namespace {

constexpr uint64_t kFractionMask = (uint64_t{1} << 52) - 1;
constexpr int kMaxExponent = 0x7ff;
// Value of a double = significand * 2^(exponent - kExponentOffset).
constexpr int kExponentOffset = 1075;

uint64_t to_bits(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

double from_bits(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

struct Parts {
  uint64_t significand;
  int exponent;  // biased, at least 1
};

Parts split(uint64_t magnitude) {
  const int exponent = static_cast<int>(magnitude >> 52);
  const uint64_t fraction = magnitude & kFractionMask;
  if (exponent == 0) return {fraction, 1};
  return {fraction | (kFractionMask + 1), exponent};
}

uint64_t join(uint64_t significand, int exponent) {
  if (significand == 0) return 0;
  while (significand <= kFractionMask && exponent > 1) {
    significand <<= 1;
    --exponent;
  }
  if (significand <= kFractionMask) return significand;
  return (significand & kFractionMask) | (static_cast<uint64_t>(exponent) << 52);
}

// The first 1280 bits of 2 / pi behind the binary point.
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

using Wide = unsigned __int128;

uint64_t two_over_pi_word(int first_bit) {
  const int word = first_bit / 64;
  const int shift = first_bit % 64;
  if (shift == 0) return kTwoOverPi[word];
  return (kTwoOverPi[word] << shift) | (kTwoOverPi[word + 1] >> (64 - shift));
}

// significand * (192 bits of 2 / pi from first_bit on), most significant word first.
void multiply(uint64_t significand, int first_bit, uint64_t product[4]) {
  uint64_t carry = 0;
  for (int i = 2; i >= 0; --i) {
    const Wide term = static_cast<Wide>(significand) * two_over_pi_word(first_bit + 64 * i) + carry;
    product[i + 1] = static_cast<uint64_t>(term);
    carry = static_cast<uint64_t>(term >> 64);
  }
  product[0] = carry;
}

void shift_left(uint64_t words[4], int bits) {
  if (bits >= 64) {
    for (int i = 0; i < 3; ++i) words[i] = words[i + 1];
    words[3] = 0;
    bits -= 64;
  }
  if (bits == 0) return;
  for (int i = 0; i < 3; ++i) words[i] = (words[i] << bits) | (words[i + 1] >> (64 - bits));
  words[3] <<= bits;
}

}  // namespace

double exact_fmod(double x, double y) {
  const uint64_t sign = to_bits(x) & (uint64_t{1} << 63);
  const uint64_t a = to_bits(x) ^ sign;
  const uint64_t b = to_bits(y) & ~(uint64_t{1} << 63);
  const uint64_t infinity = static_cast<uint64_t>(kMaxExponent) << 52;
  if (b == 0 || a >= infinity || b > infinity) return from_bits(infinity | 1);
  if (a < b) return x;
  const Parts dividend = split(a);
  const Parts divisor = split(b);
  uint64_t rest = dividend.significand % divisor.significand;
  // 11 bits at a time fit above a significand.
  for (int left = dividend.exponent - divisor.exponent; left > 0 && rest != 0; left -= 11) {
    rest = (rest << (left < 11 ? left : 11)) % divisor.significand;
  }
  return from_bits(sign | join(rest, divisor.exponent));
}

int reduce_angle(double x, double* high, double* low) {
  const bool negative = x < 0;
  const Parts parts = split(to_bits(x) & ~(uint64_t{1} << 63));
  const int exponent = parts.exponent - kExponentOffset;
  // Bits of 2 / pi that contribute whole turns are left out.
  const int first_bit = exponent > 2 ? exponent - 2 : 0;
  uint64_t product[4];
  multiply(parts.significand, first_bit, product);
  // Bring the quadrant to the two top bits.
  const int fraction_bits = 192 - exponent + first_bit;
  shift_left(product, 254 - fraction_bits);
  int quadrant = static_cast<int>(product[0] >> 62);
  shift_left(product, 2);
  // A fraction of at least a half counts from the next quadrant, negative.
  quadrant += static_cast<int>(product[0] >> 63);
  // One bit less, so that rounding to double cannot leave the type.
  const __int128 fraction =
      static_cast<__int128>((static_cast<Wide>(product[0]) << 64) | product[1]) >> 1;
  const auto leading = static_cast<double>(fraction);
  const auto rest = static_cast<double>(fraction - static_cast<__int128>(leading));
  const double f_high = leading * 0x1p-127;
  const double f_low = rest * 0x1p-127;
  // (f_high + f_low) * pi / 2, with a factor of few bits so that the first product is exact.
  const double half_pi_1 = 0x1.921fb5p+0;
  const double half_pi_2 = 0x1.110b4611a6263p-26;
  const double split_factor = 0x1p27 + 1;
  const double t = split_factor * f_high;
  const double head = t - (t - f_high);
  const double tail = f_high - head;
  const double p = head * half_pi_1;
  const double q = tail * half_pi_1 + (f_high * half_pi_2 + f_low * (half_pi_1 + half_pi_2));
  *high = p + q;
  *low = q - (*high - p);
  if (negative) {
    *high = -*high;
    *low = -*low;
    quadrant = -quadrant;
  }
  return quadrant & 3;
}

}  // namespace executorch::compute
