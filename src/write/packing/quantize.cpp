// SPDX-License-Identifier: Apache-2.0
#include "write/packing/quantize.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace weir {

namespace {

constexpr double bits_per_digit = std::numbers::ln10 / std::numbers::ln2;

// Values of one type; the masks are for the bits of the mantissa that go.
template <class Real, class Bits>
class Quantizer {
 public:
  Quantizer(const Quantization& how, const ExternalValue& fill) : how_(how) {
    Bits bits = 0;
    for (std::size_t byte = 0; byte < sizeof bits; ++byte)
      bits = static_cast<Bits>(bits << 8 | std::to_integer<Bits>(fill[byte]));
    fill_ = std::bit_cast<Real>(bits);
  }

  void run(std::span<std::byte> values, std::int64_t first) const {
    const int kept = how_.kind == QuantizeKind::bit_groom
                         ? static_cast<int>(std::ceil(how_.digits * bits_per_digit)) + 1
                         : how_.digits;
    for (std::size_t at = 0; at < values.size(); at += sizeof(Real), ++first) {
      Bits bits;
      std::memcpy(&bits, values.data() + at, sizeof bits);
      const Real value = std::bit_cast<Real>(bits);
      if (value == fill_ || value == 0 || !std::isfinite(value)) continue;
      if (how_.kind == QuantizeKind::bit_groom)
        bits = groomed(bits, kept, first % 2 != 0);
      else if (how_.kind == QuantizeKind::bit_round)
        bits = rounded(bits, kept);
      else
        bits = rounded(bits, bits_of_digits(value));
      std::memcpy(values.data() + at, &bits, sizeof bits);
    }
  }

 private:
  static constexpr int mantissa_bits = std::numeric_limits<Real>::digits - 1;
  // The bits behind the first `kept` of the mantissa.
  static Bits rest_behind(int kept) {
    return kept >= mantissa_bits ? Bits{0} : static_cast<Bits>((Bits{1} << (mantissa_bits - std::max(kept, 0))) - 1);
  }

  // Zeros in one value, ones in the next, so that the mean stays.
  static Bits groomed(Bits bits, int kept, bool odd) {
    const Bits rest = rest_behind(kept);
    return odd ? bits | rest : bits & static_cast<Bits>(~rest);
  }

  static Bits rounded(Bits bits, int kept) {
    const Bits rest = rest_behind(kept);
    return (bits + (rest ^ (rest >> 1))) & static_cast<Bits>(~rest);
  }

  // Those of the mantissa that the value needs for its decimal digits.
  int bits_of_digits(Real value) const {
    int exponent = 0;
    const double log_of_mantissa = std::log10(std::fabs(std::frexp(static_cast<double>(value), &exponent)));
    const int before_point =
        static_cast<int>(std::floor(exponent * (std::numbers::ln2 / std::numbers::ln10) + log_of_mantissa)) + 1;
    const int last_bit = static_cast<int>(std::floor(bits_per_digit * (before_point - how_.digits)));
    return std::abs(static_cast<int>(std::floor(exponent - bits_per_digit * log_of_mantissa)) - last_bit) - 1;
  }

  Quantization how_;
  Real fill_;
};

}  // namespace

void quantize(const Quantization& how, std::span<std::byte> values, int element_bytes, std::int64_t first,
              const ExternalValue& fill) {
  if (element_bytes == 4)
    Quantizer<float, std::uint32_t>(how, fill).run(values, first);
  else
    Quantizer<double, std::uint64_t>(how, fill).run(values, first);
}

}  // namespace weir
