// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// The range rule held against PnetCDF itself: for every pair of types, values at all limits go one by one through
// ncmpi_put_var and ncmpi_get_var, and status and bytes are what encode and decode make of them under PnetCDF's rule of
// infinities, which the bridges keep. The few values that
// copy.hpp names as stricter than PnetCDF are expected to be.
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "rearrange/copy.hpp"
#include "reference.hpp"
#include "values_at_limits.hpp"

namespace weir {
namespace {

// ncmpi_put_var_TYPE_all and ncmpi_get_var_TYPE_all by overload. PnetCDF's 64-bit types are long long.
#define WEIR_TEST_PNETCDF_TYPE(type, pnetcdf_type, name)                                        \
  int put(int file, int var, const type* value) {                                               \
    return ncmpi_put_var_##name##_all(file, var, reinterpret_cast<const pnetcdf_type*>(value)); \
  }                                                                                             \
  int get(int file, int var, type* value) {                                                     \
    return ncmpi_get_var_##name##_all(file, var, reinterpret_cast<pnetcdf_type*>(value));       \
  }
WEIR_TEST_PNETCDF_TYPE(char, char, text)
WEIR_TEST_PNETCDF_TYPE(signed char, signed char, schar)
WEIR_TEST_PNETCDF_TYPE(unsigned char, unsigned char, uchar)
WEIR_TEST_PNETCDF_TYPE(std::int16_t, short, short)
WEIR_TEST_PNETCDF_TYPE(std::uint16_t, unsigned short, ushort)
WEIR_TEST_PNETCDF_TYPE(std::int32_t, int, int)
WEIR_TEST_PNETCDF_TYPE(std::uint32_t, unsigned int, uint)
WEIR_TEST_PNETCDF_TYPE(std::int64_t, long long, longlong)
WEIR_TEST_PNETCDF_TYPE(std::uint64_t, unsigned long long, ulonglong)
WEIR_TEST_PNETCDF_TYPE(float, float, float)
WEIR_TEST_PNETCDF_TYPE(double, double, double)
#undef WEIR_TEST_PNETCDF_TYPE

// A new CDF-5 file of `count` scalar variables of one type, each with a fill value that no default is.
class ScalarFile {
 public:
  ScalarFile(Type type, std::size_t count) {
    const char* directory = std::getenv("TMPDIR");
    path_ = std::string(directory == nullptr ? "." : directory) + "/range.nc";
    EXPECT_EQ(ncmpi_create(MPI_COMM_SELF, path_.c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &id_), NC_NOERR);
    const auto fill = native(type);
    for (std::size_t i = 0; i < count; ++i) {
      int var = -1;
      EXPECT_EQ(ncmpi_def_var(id_, ("v" + std::to_string(i)).c_str(), type, 0, nullptr, &var), NC_NOERR);
      EXPECT_EQ(ncmpi_def_var_fill(id_, var, 0, fill.data()), NC_NOERR);
    }
    EXPECT_EQ(ncmpi_enddef(id_), NC_NOERR);
    for (std::size_t i = 0; i < count; ++i) {
      MPI_Offset offset = -1;
      EXPECT_EQ(ncmpi_inq_varoffset(id_, static_cast<int>(i), &offset), NC_NOERR);
      offsets_.push_back(static_cast<std::size_t>(offset));
    }
  }
  ScalarFile(const ScalarFile&) = delete;
  ScalarFile& operator=(const ScalarFile&) = delete;
  ~ScalarFile() { std::filesystem::remove(path_); }

  int id() const { return id_; }

  // Closes the file; the bytes from each variable's beginning on can then be seen.
  void close() {
    EXPECT_EQ(ncmpi_close(id_), NC_NOERR);
    std::ifstream stream(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  bool holds(std::size_t var, const std::byte* expected, std::size_t count) const {
    const std::size_t offset = offsets_[var];
    return offset + count <= bytes_.size() && std::memcmp(bytes_.data() + offset, expected, count) == 0;
  }

 private:
  static std::vector<std::byte> native(Type type) {
    return with_type(type, [type]<class Value>(Value value) {
      value = reference::from_big_endian<Value>(reference::odd_fill(type).data());
      std::vector<std::byte> bytes(sizeof(Value));
      std::memcpy(bytes.data(), &value, sizeof(Value));
      return bytes;
    });
  }

  std::string path_;
  int id_ = -1;
  std::vector<std::size_t> offsets_;
  std::vector<char> bytes_;
};

// Where Weir finds out of range what PnetCDF lets pass: PnetCDF converts NaN, and compares with the 64-bit
// maximum rounded up to a real.
template <class Target, class Source>
bool weir_is_stricter(Source value) {
  if constexpr (std::is_floating_point_v<Source> && std::is_integral_v<Target>) {
    const bool beyond = sizeof(Target) == 8 && value == std::ldexp(Source{1}, std::numeric_limits<Target>::digits);
    return std::isnan(value) || beyond;
  } else {
    return false;
  }
}

void for_each_pair(void (*visit)(Type from, Type to)) {
  for (const Type from : reference::all_types) {
    for (const Type to : reference::all_types) {
      if (!reference::convertible(from, to)) continue;
      SCOPED_TRACE(std::string(type_name(from)) + " to " + std::string(type_name(to)));
      visit(from, to);
    }
  }
}

template <class External, class Memory>
void compare_puts(Type memory_type, Type external_type) {
  const std::vector<Memory> values = reference::values_at_limits<Memory>();
  const ExternalValue fill = reference::odd_fill(external_type);
  ScalarFile file(external_type, values.size());
  std::vector<int> statuses;
  for (std::size_t i = 0; i < values.size(); ++i) statuses.push_back(put(file.id(), static_cast<int>(i), &values[i]));
  file.close();
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::byte encoded[sizeof(External)];
    const bool fits = encode(reference::run_of(1), &values[i], memory_type, encoded, external_type, fill,
                             StoreHint::cached, Infinities::misfit)
                          .count == 0;
    if (weir_is_stricter<External>(values[i])) {
      EXPECT_EQ(statuses[i], NC_NOERR) << +values[i];
      EXPECT_FALSE(fits) << +values[i];
      EXPECT_EQ(std::memcmp(encoded, fill.data(), sizeof encoded), 0) << +values[i];
    } else {
      EXPECT_EQ(statuses[i], fits ? NC_NOERR : NC_ERANGE) << +values[i];
      EXPECT_TRUE(file.holds(i, encoded, sizeof encoded)) << +values[i];
    }
  }
}

template <class External, class Memory>
void compare_gets(Type external_type, Type memory_type) {
  const std::vector<External> values = reference::values_at_limits<External>();
  ScalarFile file(external_type, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(put(file.id(), static_cast<int>(i), &values[i]), NC_NOERR) << +values[i];
    Memory got{}, decoded{};
    const int status = get(file.id(), static_cast<int>(i), &got);
    const auto external = reference::big_endian(values[i]);
    const bool fits =
        decode(reference::run_of(1), external.data(), external_type, &decoded, memory_type, Infinities::misfit).count ==
        0;
    if (weir_is_stricter<Memory>(values[i])) {
      EXPECT_EQ(status, NC_NOERR) << +values[i];
      EXPECT_FALSE(fits) << +values[i];
    } else {
      EXPECT_EQ(status, fits ? NC_NOERR : NC_ERANGE) << +values[i];
      EXPECT_EQ(std::memcmp(&got, &decoded, sizeof got), 0) << +values[i] << ": " << +got << ", " << +decoded;
    }
  }
  file.close();
}

TEST(PnetcdfRange, EncodeDoesWhatPutDoes) {
  for_each_pair([](Type memory_type, Type external_type) {
    with_type(memory_type, [&]<class Memory>(Memory) {
      with_type(external_type,
                [&]<class External>(External) { compare_puts<External, Memory>(memory_type, external_type); });
    });
  });
}

TEST(PnetcdfRange, DecodeDoesWhatGetDoes) {
  for_each_pair([](Type external_type, Type memory_type) {
    with_type(external_type, [&]<class External>(External) {
      with_type(memory_type, [&]<class Memory>(Memory) { compare_gets<External, Memory>(external_type, memory_type); });
    });
  });
}

}  // namespace
}  // namespace weir
