// SPDX-License-Identifier: Apache-2.0
// What the tests of CFIO2's interface share: a program over all ranks, arrays cut unevenly over those that put, files
// read back by PnetCDF, and sentences compared over the ranks.
#pragma once

#include <cfio2.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <weir/types.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace cfio2_tests {

using Shape = std::vector<std::int64_t>;

inline std::int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// Sets a variable of the environment for its own time.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    if (before_.empty())
      unsetenv(name_.c_str());
    else
      setenv(name_.c_str(), before_.c_str(), 1);
  }

 private:
  std::string name_, before_;
};

// A variable's element: its index, mixed with what the test calls `seed` (a record, a put).
inline int element(std::int64_t index, int seed) {
  return static_cast<int>((index * 7 + seed * 13) % 101);
}

struct Variable {
  std::string name;
  std::vector<std::string> dims;
  Shape global;  // a first 0: records
  int datatype = cfio2_data_type_double;
};

// One rank's part.
struct RankBox {
  Shape start, count;
};

template <class T>
std::vector<T> part_values(const Shape& shape, const RankBox& part, int seed) {
  std::vector<T> values;
  const std::int64_t length = product(part.count);
  for (std::int64_t i = 0; i < length; ++i) {
    std::int64_t rest = i, index = 0, stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      index += (part.start[d] + rest % part.count[d]) * stride;
      rest /= part.count[d];
      stride *= shape[d];
    }
    values.push_back(static_cast<T>(element(index, seed)));
  }
  return values;
}

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("cfio2_") + test->name());
    if (rank_ == 0) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) std::filesystem::remove_all(folder_);
  }

  std::string path(const std::string& name = "file.nc") const { return (folder_ / name).string(); }
  void expect_ok(int code, const char* what) const { EXPECT_EQ(code, WEIR_OK) << what << ": " << cfio2_error(); }
  int putters() const { return hosted_ ? ranks_ : ranks_ - 1; }
  int putter() const { return hosted_ ? rank_ : rank_ - 1; }

  // cfio2_init, `body` on the ranks that put, cfio2_finalize. The control process is back when the others have ended.
  template <class Body>
  void run(Body body) {
    expect_ok(cfio2_init(MPI_COMM_WORLD, 2, 2), "cfio2_init");
    EXPECT_EQ(cfio2_control_process(MPI_COMM_WORLD), !hosted_ && rank_ == 0);
    if (!cfio2_control_process(MPI_COMM_WORLD)) body();
    finalize_code_ = cfio2_finalize(MPI_COMM_WORLD);
    finalize_error_ = cfio2_error();
    if (finalize_is_to_work_) expect_ok(finalize_code_, "cfio2_finalize");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // Cut along dimension `along`, in shares that differ; `turn` deals them out to other ranks.
  RankBox part_of(const Shape& shape, std::size_t along = 0, int turn = 0) const {
    RankBox part{Shape(shape.size(), 0), shape};
    if (shape.empty()) return part;
    const std::int64_t n = putters(), k = (putter() + turn) % putters();
    const auto cut = [&](std::int64_t i) { return shape[along] * i * (i + 1) / (n * (n + 1)); };
    part.start[along] = cut(k);
    part.count[along] = cut(k + 1) - cut(k);
    return part;
  }
  static Shape shape_of(const Variable& variable) {
    return {variable.global.begin() + (!variable.global.empty() && variable.global[0] == 0 ? 1 : 0),
            variable.global.end()};
  }

  int put_values(const std::string& file, const Variable& v, const RankBox& part, const void* values,
                 bool append) const {
    std::vector<const char*> names;
    for (const std::string& dim : v.dims) names.push_back(dim.c_str());
    return cfio2_put_vara_nd(MPI_COMM_WORLD, file.c_str(), v.name.c_str(), v.datatype, static_cast<int>(names.size()),
                             names.data(), v.global.data(), part.start.data(), part.count.data(), values, append);
  }

  // This rank's part of `v`, a double; of `record` where it has records.
  int put(const std::string& file, const Variable& v, int seed, bool append, std::int64_t record = 0, RankBox part = {},
          bool given = false) const {
    const Shape shape = shape_of(v);
    if (!given) part = part_of(shape);
    const std::vector<double> values = part_values<double>(shape, part, seed);
    if (shape.size() < v.global.size()) {
      part.start.insert(part.start.begin(), record);
      part.count.insert(part.count.begin(), 1);
    }
    return put_values(file, v, part, values.data(), append);
  }
  void put_ok(const std::string& file, const Variable& v, int seed, bool append, std::int64_t record = 0) const {
    expect_ok(put(file, v, seed, append, record), v.name.c_str());
  }

  // On rank 0: the file has `count` variables.
  void expect_variables(const std::string& file, int count) const {
    if (rank_ != 0) return;
    int id = -1, found = -1;
    ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, file.c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR) << file;
    ncmpi_inq_nvars(id, &found);
    EXPECT_EQ(found, count) << file;
    ncmpi_close(id);
  }

  // On rank 0: the variable, or its record, is what `put` with this seed has put, whole.
  void expect_values(const std::string& file, const Variable& v, int seed, std::int64_t record = 0) const {
    if (rank_ != 0) return;
    int id = -1, var = -1, ndims = -1;
    ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, file.c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR) << file;
    ASSERT_EQ(ncmpi_inq_varid(id, v.name.c_str(), &var), NC_NOERR) << v.name << " in " << file;
    ncmpi_inq_varndims(id, var, &ndims);
    EXPECT_EQ(static_cast<std::size_t>(ndims), v.dims.size()) << v.name;
    const Shape shape = shape_of(v);
    const bool has_records = shape.size() < v.global.size();
    std::vector<MPI_Offset> start(v.global.size(), 0), count(v.global.begin(), v.global.end());
    if (has_records) {
      start[0] = record;
      count[0] = 1;
    }
    std::vector<double> values(static_cast<std::size_t>(product(shape)));
    ASSERT_EQ(ncmpi_get_vara_double_all(id, var, start.data(), count.data(), values.data()), NC_NOERR) << v.name;
    const RankBox whole{Shape(shape.size(), 0), shape};
    EXPECT_EQ(values, part_values<double>(shape, whole, seed)) << v.name << " record " << record << " in " << file;
    ncmpi_close(id);
  }

  // All ranks that put have been told the same. Collective over all ranks.
  void expect_alike(int code, std::string sentence) const {
    char first[2048] = "";
    int first_code = code;
    sentence.copy(first, sizeof first - 1);
    const int root = hosted_ ? 0 : 1;
    MPI_Bcast(first, sizeof first, MPI_CHAR, root, MPI_COMM_WORLD);
    MPI_Bcast(&first_code, 1, MPI_INT, root, MPI_COMM_WORLD);
    if (!hosted_ && rank_ == 0) return;
    EXPECT_EQ(code, first_code);
    EXPECT_EQ(sentence, std::string(first));
  }

  int rank_ = 0, ranks_ = 1;
  bool hosted_ = false, finalize_is_to_work_ = true;
  int finalize_code_ = WEIR_OK;
  std::string finalize_error_;
  std::filesystem::path folder_;
};

}  // namespace cfio2_tests
