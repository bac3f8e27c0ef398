// SPDX-License-Identifier: Apache-2.0
// Executing copy programs: every kernel against the naive loops, in any shape and at any alignment.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "random_program.hpp"
#include "rearrange/copy.hpp"
#include "rearrange/kernel_table.hpp"
#include "reference.hpp"

namespace weir {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::byte untouched{0xA5};

// Memory that begins `shift` bytes after an alignment of 64 and ends at the buffer's end, so that AddressSanitizer sees
// what reaches past it.
class Shifted {
 public:
  Shifted(std::int64_t bytes, int shift) : buffer_(static_cast<std::size_t>(bytes) + 128, untouched) {
    const auto address = reinterpret_cast<std::uintptr_t>(buffer_.data());
    begin_ = (64 - address % 64) % 64 + static_cast<std::size_t>(shift);
    buffer_.resize(begin_ + static_cast<std::size_t>(bytes));
  }

  std::byte* data() { return buffer_.data() + begin_; }
  Bytes copy() const { return {buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.end()}; }

 private:
  Bytes buffer_;
  std::size_t begin_;
};

Type random_type() {
  return *rc::gen::elementOf(std::vector<Type>(std::begin(reference::all_types), std::end(reference::all_types)));
}

std::pair<Type, Type> random_types() {
  const Type memory_type = random_type(), external_type = random_type();
  return reference::convertible(memory_type, external_type) ? std::pair{memory_type, external_type}
                                                            : std::pair{memory_type, memory_type};
}

// Random bits, a quarter of them small whole numbers so that conversions have something that fits.
Bytes random_values(Type type, std::int64_t count) {
  Bytes bytes(static_cast<std::size_t>(count * type_bytes(type)));
  std::uint64_t state = *rc::gen::arbitrary<std::uint64_t>();
  with_type(type, [&]<class Value>(Value) {
    for (std::int64_t i = 0; i < count; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const std::uint64_t bits = state ^ (state >> 29);
      Value value;
      std::memcpy(&value, &bits, sizeof value);
      if (bits >> 62 == 0) value = static_cast<Value>((bits >> 40) % 127);
      std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
    }
  });
  return bytes;
}

// The naive result and what did not fit.
struct Expected {
  Bytes target;
  RangeFailure failure;
};

template <class Convert>
Expected expect(const reference::RandomProgram& made, std::int64_t target_bytes, Convert convert) {
  Expected expected{Bytes(static_cast<std::size_t>(made.extent.target * target_bytes), untouched), {}};
  for (const Block& block : made.blocks) {
    reference::for_each(block, [&](std::int64_t source, std::int64_t target) {
      bool good = true;
      const Bytes element = convert(source, good);
      std::copy(element.begin(), element.end(), expected.target.begin() + target * target_bytes);
      if (good) return;
      auto& [count, first] = expected.failure;
      first = count == 0 ? source : std::min(first, source);
      ++count;
    });
  }
  return expected;
}

int random_shift() {
  return *rc::gen::inRange(0, 64);
}

RC_GTEST_PROP(Encode, EqualsNaiveLoops, ()) {
  const auto made = reference::random_program();
  const auto [memory_type, external_type] = random_types();
  const int memory_bytes = type_bytes(memory_type);
  const Bytes values = random_values(memory_type, made.extent.source);
  Shifted source(made.extent.source * memory_bytes, random_shift());
  std::copy(values.begin(), values.end(), source.data());
  const ExternalValue fill = default_fill(external_type);
  const Expected expected = expect(made, type_bytes(external_type), [&](std::int64_t element, bool& good) {
    return reference::encode_element(values.data() + element * memory_bytes, memory_type, external_type, fill, good);
  });

  Shifted target(made.extent.target * type_bytes(external_type), random_shift());
  const RangeFailure failure = encode(made.program, source.data(), memory_type, target.data(), external_type, fill);
  RC_ASSERT(target.copy() == expected.target);
  RC_ASSERT(failure.count == expected.failure.count);
  RC_ASSERT(failure.first_source == expected.failure.first_source);
}

RC_GTEST_PROP(Decode, EqualsNaiveLoops, ()) {
  const auto made = reference::random_program();
  const auto [memory_type, external_type] = random_types();
  const int external_bytes = type_bytes(external_type);
  const Bytes values = random_values(external_type, made.extent.source);
  Shifted source(made.extent.source * external_bytes, random_shift());
  std::copy(values.begin(), values.end(), source.data());
  const Expected expected = expect(made, type_bytes(memory_type), [&](std::int64_t element, bool& good) {
    return reference::decode_element(values.data() + element * external_bytes, external_type, memory_type, good);
  });

  Shifted target(made.extent.target * type_bytes(memory_type), random_shift());
  const RangeFailure failure = decode(made.program, source.data(), external_type, target.data(), memory_type);
  RC_ASSERT(target.copy() == expected.target);
  RC_ASSERT(failure.count == expected.failure.count);
  RC_ASSERT(failure.first_source == expected.failure.first_source);
}

// Whole numbers that every type holds, forth and back through every pair of types.
RC_GTEST_PROP(Decode, UndoesEncode, ()) {
  const auto made = reference::random_program();
  const auto [memory_type, external_type] = random_types();
  Bytes values = random_values(memory_type, made.extent.source);
  if (memory_type != external_type) {
    with_type(memory_type, [&]<class Memory>(Memory) {
      for (std::int64_t i = 0; i < made.extent.source; ++i) {
        const auto value = static_cast<Memory>(i * 31 % 128);
        std::memcpy(values.data() + i * static_cast<std::int64_t>(sizeof(Memory)), &value, sizeof value);
      }
    });
  }
  Bytes file(static_cast<std::size_t>(made.extent.target * type_bytes(external_type)));
  Bytes back = values;
  reference::for_each(made.program, [&](std::int64_t source, std::int64_t) {
    std::fill_n(back.begin() + source * type_bytes(memory_type), type_bytes(memory_type), untouched);
  });
  RC_ASSERT(
      encode(made.program, values.data(), memory_type, file.data(), external_type, default_fill(external_type)).count ==
      0);
  RC_ASSERT(decode(reference::inverse(made), file.data(), external_type, back.data(), memory_type).count == 0);
  RC_ASSERT(back == values);
}

RC_GTEST_PROP(Place, EqualsNaiveLoops, ()) {
  const auto made = reference::random_program();
  const int bytes = *rc::gen::element(1, 2, 4, 8);
  const Bytes values = random_values(WEIR_BYTE, made.extent.source * bytes);
  Shifted source(made.extent.source * bytes, random_shift());
  std::copy(values.begin(), values.end(), source.data());
  const Expected expected = expect(made, bytes, [&](std::int64_t element, bool&) {
    return Bytes(values.begin() + element * bytes, values.begin() + (element + 1) * bytes);
  });
  Shifted target(made.extent.target * bytes, random_shift());
  unpack(made.program, source.data(), target.data(), bytes);
  RC_ASSERT(target.copy() == expected.target);
}

// Every instruction set of this machine, with and without streaming stores, against the plain loops.
template <class Element>
void expect_portable_equals(const reference::RandomProgram& made, Type source_type) {
  const Bytes source = random_values(source_type, made.extent.source);
  const std::int64_t bytes = made.extent.target * Element::target_bytes;
  const int shift = random_shift();
  const ExternalValue fill = default_fill(WEIR_FLOAT);
  const Kernel portable{Element::source_bytes, Element::target_bytes, portable::copy_plane<Element>,
                        portable::copy_runs<Element>};
  Shifted plain(bytes, shift);
  const RangeFailure expected = execute(made.program, portable, source.data(), plain.data(), fill);
  for (const StoreHint store_hint : {StoreHint::cached, StoreHint::streaming}) {
    std::vector<Kernel> kernels = simd::kernels(simd::work_of<Element>, store_hint);
    kernels.push_back(kernel_of<Element>(store_hint));
    for (const Kernel& kernel : kernels) {
      Shifted target(bytes, shift);
      const RangeFailure failure = execute(made.program, kernel, source.data(), target.data(), fill);
      RC_ASSERT(target.copy() == plain.copy());
      RC_ASSERT(failure.count == expected.count);
      RC_ASSERT(failure.first_source == expected.first_source);
    }
  }
}

RC_GTEST_PROP(Portable, EqualsTheChosenKernels, ()) {
  const auto made = reference::random_program();
  expect_portable_equals<CopyElement<1, ByteOrder::big>>(made, WEIR_BYTE);
  expect_portable_equals<CopyElement<2, ByteOrder::big>>(made, WEIR_SHORT);
  expect_portable_equals<CopyElement<4, ByteOrder::native>>(made, WEIR_INT);
  expect_portable_equals<CopyElement<4, ByteOrder::big>>(made, WEIR_INT);
  expect_portable_equals<CopyElement<8, ByteOrder::big>>(made, WEIR_INT64);
  expect_portable_equals<ConvertElement<double, ByteOrder::native, float, ByteOrder::big>>(made, WEIR_DOUBLE);
  expect_portable_equals<ConvertElement<double, ByteOrder::native, float, ByteOrder::big, Infinities::misfit>>(
      made, WEIR_DOUBLE);
}

RC_GTEST_PROP(FillElements, RepeatsTheValue, ()) {
  const Type type = random_type();
  const int bytes = type_bytes(type);
  const auto count = *rc::gen::inRange<std::int64_t>(0, 5000);
  const ExternalValue value = default_fill(type);
  Shifted target((count + 1) * bytes, random_shift());
  fill_elements(target.data(), count, value, bytes);
  Bytes expected;
  for (std::int64_t i = 0; i < count; ++i) expected.insert(expected.end(), value.begin(), value.begin() + bytes);
  expected.insert(expected.end(), static_cast<std::size_t>(bytes), untouched);
  RC_ASSERT(target.copy() == expected);
}

TEST(Encode, EmptyProgramTouchesNothing) {
  EXPECT_EQ(encode({}, nullptr, WEIR_FLOAT, nullptr, WEIR_DOUBLE, default_fill(WEIR_DOUBLE)).count, 0);
  EXPECT_EQ(decode({}, nullptr, WEIR_FLOAT, nullptr, WEIR_DOUBLE).first_source, -1);
  unpack({}, nullptr, nullptr, 4);
}

TEST(Encode, NotANumberKeepsItsBitsBetweenEqualTypes) {
  const std::uint32_t signalling = 0x7FA12345;
  float value;
  std::memcpy(&value, &signalling, sizeof value);
  std::vector<float> memory(20, value);
  std::memcpy(memory.data() + 3, &signalling, sizeof signalling);
  Bytes target(80);
  CopyProgram program;
  append(program, Block{0, 0, {{20, 1, 1}}});
  EXPECT_EQ(encode(program, memory.data(), WEIR_FLOAT, target.data(), WEIR_FLOAT, default_fill(WEIR_FLOAT)).count, 0);
  const Bytes expected = {std::byte{0x7F}, std::byte{0xA1}, std::byte{0x23}, std::byte{0x45}};
  EXPECT_EQ(Bytes(target.begin() + 12, target.begin() + 16), expected);
}

// Offsets beyond 2^31 elements on both sides, in memory that is reserved but never filled.
TEST(Encode, OffsetsBeyondInt) {
  const std::int64_t far = (std::int64_t{1} << 31) + 12345;
  const std::size_t bytes = static_cast<std::size_t>(far + 4096) * 4;
  const auto reserve = [&] {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    return static_cast<std::byte*>(memory);
  };
  std::byte* source = reserve();
  std::byte* target = reserve();
  CopyProgram program;
  append(program, Block{far, far + 307, {{100, 1, 1}}});
  append(program, Block{far + 200, 0, {{3, 20, far / 2}, {20, 1, 1}}});
  append(program, Block{0, far + 1000, {{2, far / 2, 1}, {5, 1, 2}}});
  reference::for_each(program, [&](std::int64_t from, std::int64_t) {
    const auto value = static_cast<std::int32_t>(from % 1000003);
    std::memcpy(source + 4 * from, &value, 4);
  });
  encode(program, source, WEIR_INT, target, WEIR_INT, default_fill(WEIR_INT));
  std::int64_t compared = 0;
  reference::for_each(program, [&](std::int64_t from, std::int64_t to) {
    EXPECT_EQ(reference::from_big_endian<std::int32_t>(target + 4 * to), static_cast<std::int32_t>(from % 1000003));
    ++compared;
  });
  EXPECT_EQ(compared, 170);
  munmap(source, bytes);
  munmap(target, bytes);
}

}  // namespace
}  // namespace weir
