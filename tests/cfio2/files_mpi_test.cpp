// SPDX-License-Identifier: Apache-2.0
// ranks: 2 4 8
// What ends in the files of a program of CFIO2: every type and number of dimensions, several variables in a file, what
// append keeps and what it replaces, records, attributes.
#include "cfio2/fixture.hpp"

namespace cfio2_tests {
namespace {

using FilesTest = ProgramTest;

const Variable temperature{"temperature", {"z", "y", "x"}, {3, 14, 5}};
const Variable pressure{"pressure", {"y", "x"}, {14, 5}};
const Variable salt{"salt", {"z", "y", "x"}, {3, 14, 5}};
const Variable flow{"flow", {"time", "y", "x"}, {0, 14, 5}};
const Variable level{"level", {"time", "x"}, {0, 5}};

// Calls f(datatype, PnetCDF's type, its MPI type, a value of it) for each type.
template <class F>
void for_every_type(F f) {
  f(cfio2_data_type_int, NC_INT, MPI_INT, int{});
  f(cfio2_data_type_float, NC_FLOAT, MPI_FLOAT, float{});
  f(cfio2_data_type_double, NC_DOUBLE, MPI_DOUBLE, double{});
  f(cfio2_data_type_byte, NC_BYTE, MPI_SIGNED_CHAR, static_cast<signed char>(0));
  f(cfio2_data_type_char, NC_CHAR, MPI_CHAR, char{});
  f(cfio2_data_type_short, NC_SHORT, MPI_SHORT, short{});
  f(cfio2_data_type_ubyte, NC_UBYTE, MPI_UNSIGNED_CHAR, static_cast<unsigned char>(0));
  f(cfio2_data_type_ushort, NC_USHORT, MPI_UNSIGNED_SHORT, static_cast<unsigned short>(0));
  f(cfio2_data_type_uint, NC_UINT, MPI_UNSIGNED, 0U);
  f(cfio2_data_type_int64, NC_INT64, MPI_LONG_LONG_INT, std::int64_t{});
  f(cfio2_data_type_uint64, NC_UINT64, MPI_UNSIGNED_LONG_LONG, std::uint64_t{});
}

// Every type over 0 to 4 dimensions, cut along each dimension in turn, all in one file.
TEST_F(FilesTest, EveryTypeAndNumberOfDimensions) {
  const Shape lengths{2, 9, 4, 6};
  const auto variable = [&](int datatype, std::size_t ndims) {
    Variable v{"t" + std::to_string(datatype) + "_" + std::to_string(ndims), {}, {}, datatype};
    for (std::size_t d = 0; d < ndims; ++d) {
      v.dims.push_back("d" + std::to_string(d));
      v.global.push_back(lengths[d]);
    }
    return v;
  };
  run([&] {
    for_every_type([&](int datatype, nc_type, MPI_Datatype, auto zero) {
      for (std::size_t ndims = 0; ndims <= lengths.size(); ++ndims) {
        const Variable v = variable(datatype, ndims);
        const RankBox part = part_of(v.global, ndims == 0 ? 0 : static_cast<std::size_t>(datatype) % ndims);
        const auto values = part_values<decltype(zero)>(v.global, part, datatype);
        expect_ok(put_values(path(), v, part, values.data(), true), v.name.c_str());
      }
    });
  });
  if (rank_ != 0) return;
  int file = -1;
  ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path().c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR);
  for_every_type([&](int datatype, nc_type, MPI_Datatype mpi_type, auto zero) {
    using T = decltype(zero);
    for (std::size_t ndims = 0; ndims <= lengths.size(); ++ndims) {
      const Variable v = variable(datatype, ndims);
      int var = -1;
      ASSERT_EQ(ncmpi_inq_varid(file, v.name.c_str(), &var), NC_NOERR) << v.name;
      std::vector<T> values(static_cast<std::size_t>(product(v.global)));
      ASSERT_EQ(ncmpi_get_var_all(file, var, values.data(), static_cast<MPI_Offset>(values.size()), mpi_type),
                NC_NOERR);
      EXPECT_EQ(values, (part_values<T>(v.global, {Shape(ndims, 0), v.global}, datatype))) << v.name;
    }
  });
  for_every_type([&](int datatype, nc_type type, MPI_Datatype, auto) {
    int var = -1;
    nc_type found = NC_NAT;
    ncmpi_inq_varid(file, variable(datatype, 2).name.c_str(), &var);
    ncmpi_inq_vartype(file, var, &found);
    EXPECT_EQ(found, type) << datatype;
  });
  ncmpi_close(file);
}

// As the programs of CFIO2 do: one file a variable, new ones each time, no waiting between puts.
TEST_F(FilesTest, OneFileAVariable) {
  run([&] {
    for (int step = 0; step < 3; ++step) {
      for (const Variable& v : {temperature, pressure, salt})
        put_ok(path(v.name + std::to_string(step) + ".nc"), v, step, false);
      if (step == 1) expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    }
  });
  for (int step = 0; step < 3; ++step)
    for (const Variable& v : {temperature, pressure, salt}) {
      expect_values(path(v.name + std::to_string(step) + ".nc"), v, step);
      expect_variables(path(v.name + std::to_string(step) + ".nc"), 1);
    }
}

TEST_F(FilesTest, ASecondPutBeginsTheFileAnew) {
  const Variable other{"temperature", {"a", "b"}, {8, 3}};
  run([&] {
    put_ok(path(), temperature, 1, false);
    put_ok(path(), salt, 1, true);
    put_ok(path(), other, 2, false);
  });
  expect_variables(path(), 1);
  expect_values(path(), other, 2);
}

TEST_F(FilesTest, APutWithAppendWritesOver) {
  run([&] {
    put_ok(path(), temperature, 1, false);
    put_ok(path(), salt, 1, true);
    put_ok(path(), temperature, 2, true);
    put_ok(path(), temperature, 3, true);
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    put_ok(path(), salt, 4, true);
  });
  expect_variables(path(), 2);
  expect_values(path(), temperature, 3);
  expect_values(path(), salt, 4);
}

// Other ranks put the parts, along another dimension, each time.
TEST_F(FilesTest, PartsChange) {
  run([&] {
    for (int turn = 0; turn < 4; ++turn) {
      const RankBox part = part_of(temperature.global, static_cast<std::size_t>(turn) % 3, turn);
      expect_ok(put(path(), temperature, turn, true, 0, part, true), "a fixed variable");
    }
  });
  expect_values(path(), temperature, 3);
}

TEST_F(FilesTest, PartsOfRecordsChangeWhenTheFileIsOpenedAgain) {
  run([&] {
    for (int record = 0; record < 6; ++record) {
      const RankBox part = part_of({14, 5}, 0, record / 2);
      expect_ok(put(path(), flow, record, true, record, part, true), "a record");
      if (record % 2 == 0) continue;
      expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "the first cfio2_wait_output");
      expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "the second cfio2_wait_output");
    }
  });
  for (int record = 0; record < 6; ++record) expect_values(path(), flow, record, record);
}

TEST_F(FilesTest, RecordsAreAppended) {
  run([&] {
    for (int record = 0; record < 7; ++record) {
      put_ok(path(), flow, record, record > 0, record);
      put_ok(path(), level, record + 50, true, record);
      if (record % 3 == 1) expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    }
    put_ok(path(), flow, 90, true, 2);  // a record that is committed
    put_ok(path(), flow, 91, true, 6);  // and one that is not
  });
  expect_variables(path(), 2);
  for (int record = 0; record < 7; ++record) {
    expect_values(path(), flow, record == 2 ? 90 : record == 6 ? 91 : record, record);
    expect_values(path(), level, record + 50, record);
  }
}

// The last rank puts only once the others have done so: a put that waited for it would end in an error.
TEST_F(FilesTest, FurtherRecordsMeetNobody) {
  const Setting timeout("WEIR_TIMEOUT", "20");
  const int last = ranks_ - 1, first = 1;
  run([&] {
    put_ok(path(), flow, 0, true, 0);
    put_ok(path(), level, 0, true, 0);
    put_ok(path(), flow, 1, true, 1);  // it is put again: the file is defined
    put_ok(path(), level, 1, true, 1);
    if (rank_ == last && last != first) MPI_Recv(nullptr, 0, MPI_INT, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int record = 2; record < 6; ++record) {
      put_ok(path(), flow, record, true, record);
      put_ok(path(), level, record, true, record);
    }
    if (rank_ == first && last != first) MPI_Send(nullptr, 0, MPI_INT, last, 0, MPI_COMM_WORLD);
  });
  for (int record = 0; record < 6; ++record) expect_values(path(), flow, record, record);
}

TEST_F(FilesTest, SeveralRecordsInOnePut) {
  const Shape shape{14, 5};
  run([&] {
    for (int put = 0; put < 3; ++put) {
      RankBox part = part_of(shape);
      std::vector<double> values;
      for (int record = 2 * put; record < 2 * put + 2; ++record)
        for (const double value : part_values<double>(shape, part, record)) values.push_back(value);
      part.start.insert(part.start.begin(), 2 * put);
      part.count.insert(part.count.begin(), 2);
      expect_ok(put_values(path(), flow, part, values.data(), true), "two records");
    }
  });
  for (int record = 0; record < 6; ++record) expect_values(path(), flow, record, record);
}

// A coordinate and the time: all ranks give them whole.
TEST_F(FilesTest, WholeVariablesOfAllRanks) {
  const Variable y{"y", {"y"}, {14}}, time{"time", {"time"}, {0}}, scale{"scale", {}, {}};
  const RankBox whole{{0}, {14}};
  run([&] {
    expect_ok(put(path(), y, 3, false, 0, whole, true), "y");
    put_ok(path(), scale, 4, true);
    for (int record = 0; record < 4; ++record) {
      put_ok(path(), flow, record, true, record);
      put_ok(path(), time, record, true, record);
    }
  });
  expect_values(path(), y, 3);
  expect_values(path(), scale, 4);
  for (int record = 0; record < 4; ++record) expect_values(path(), time, record, record);
}

// One rank alone has the time; the others put no record of it.
TEST_F(FilesTest, RecordsOfOneRank) {
  const Variable time{"time", {"time"}, {0}};
  run([&] {
    for (int record = 0; record < 4; ++record) {
      put_ok(path(), flow, record, true, record);
      const double value = element(0, record);
      const bool has = putter() == putters() - 1;
      expect_ok(put_values(path(), time, {{has ? record : 0}, {has ? 1 : 0}}, has ? &value : nullptr, true), "time");
    }
  });
  for (int record = 0; record < 4; ++record) {
    expect_values(path(), time, record, record);
    expect_values(path(), flow, record, record);
  }
}

TEST_F(FilesTest, AnotherRunAppends) {
  run([&] {
    put_ok(path(), flow, 0, false, 0);
    put_ok(path(), temperature, 1, true);
    expect_ok(cfio2_put_att_text(MPI_COMM_WORLD, path().c_str(), "flow", "units", "m/s"), "an attribute");
  });
  run([&] {
    put_ok(path(), flow, 1, true, 1);         // a record more
    put_ok(path(), salt, 2, true);            // a variable more
    put_ok(path(), level, 3, true, 1);        // one of records
    put_ok(path("fresh.nc"), salt, 4, true);  // and a file that was not there
  });
  expect_variables(path(), 4);
  expect_values(path(), temperature, 1);
  expect_values(path(), salt, 2);
  expect_values(path("fresh.nc"), salt, 4);
  for (int record = 0; record < 2; ++record) expect_values(path(), flow, record, record);
  expect_values(path(), level, 3, 1);
  if (rank_ != 0) return;
  int file = -1, var = -1;
  char units[8] = "";
  ncmpi_open(MPI_COMM_SELF, path().c_str(), NC_NOWRITE, MPI_INFO_NULL, &file);
  ncmpi_inq_varid(file, "flow", &var);
  EXPECT_EQ(ncmpi_get_att_text(file, var, "units", units), NC_NOERR);
  EXPECT_STREQ(units, "m/s");
  ncmpi_close(file);
}

// Variables come one by one to a file that is open, committed, or both, and two files take turns.
TEST_F(FilesTest, VariablesComeLate) {
  run([&] {
    put_ok(path(), flow, 0, false, 0);
    put_ok(path("other.nc"), temperature, 1, false);
    put_ok(path(), level, 2, true, 0);
    put_ok(path("other.nc"), salt, 3, true);
    put_ok(path(), flow, 4, true, 1);
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    put_ok(path(), pressure, 5, true);
    put_ok(path(), flow, 6, true, 2);
    put_ok(path("other.nc"), pressure, 7, true);
    put_ok(path(), temperature, 8, true);
  });
  expect_variables(path(), 4);
  expect_variables(path("other.nc"), 3);
  const int flows[] = {0, 4, 6};
  for (int record = 0; record < 3; ++record) expect_values(path(), flow, flows[record], record);
  expect_values(path(), level, 2, 0);
  expect_values(path(), pressure, 5);
  expect_values(path(), temperature, 8);
  expect_values(path("other.nc"), temperature, 1);
  expect_values(path("other.nc"), salt, 3);
  expect_values(path("other.nc"), pressure, 7);
}

TEST_F(FilesTest, MoreThanMayBeHeld) {
  const Setting limit("WEIR_BUFFER_LIMIT", "64KiB");
  const int variables = 6;
  const auto variable = [&](int v) {
    return Variable{"v" + std::to_string(v), {"y", "x"}, {1000 * putters(), 4}};  // 32 kB a rank
  };
  run([&] {
    for (int v = 0; v < variables; ++v) put_ok(path(), variable(v), v, v > 0);
  });
  expect_variables(path(), variables);
  for (int v = 0; v < variables; ++v) expect_values(path(), variable(v), v);
}

TEST_F(FilesTest, ManyFiles) {
  const int files = 70;
  run([&] {
    for (int f = 0; f < files; ++f) put_ok(path(std::to_string(f) + ".nc"), level, f, true, 0);
  });
  for (int f = 0; f < files; ++f) expect_values(path(std::to_string(f) + ".nc"), level, f, 0);
}

TEST_F(FilesTest, Attributes) {
  const double range[] = {-2, 40};
  const double missing = -999;
  run([&] {
    put_ok(path(), temperature, 1, false);
    expect_ok(
        cfio2_put_att(MPI_COMM_WORLD, path().c_str(), "temperature", "valid_range", cfio2_data_type_double, 2, range),
        "numbers");
    expect_ok(
        cfio2_put_att(MPI_COMM_WORLD, path().c_str(), "temperature", "_FillValue", cfio2_data_type_double, 1, &missing),
        "a fill value");
    expect_ok(cfio2_put_att_text(MPI_COMM_WORLD, path().c_str(), nullptr, "title", "a test"), "the file's");
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    put_ok(path(), temperature, 2, true);
    expect_ok(cfio2_put_att_text(MPI_COMM_WORLD, path().c_str(), "temperature", "units", "K"), "one that comes late");
  });
  expect_values(path(), temperature, 2);
  if (rank_ != 0) return;
  int file = -1, var = -1;
  double numbers[2] = {};
  char text[8] = "";
  ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path().c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR);
  ncmpi_inq_varid(file, "temperature", &var);
  EXPECT_EQ(ncmpi_get_att_double(file, var, "valid_range", numbers), NC_NOERR);
  EXPECT_EQ(numbers[1], 40);
  EXPECT_EQ(ncmpi_get_att_text(file, NC_GLOBAL, "title", text), NC_NOERR);
  EXPECT_EQ(std::string(text, 6), "a test");
  EXPECT_EQ(ncmpi_get_att_text(file, var, "units", text), NC_NOERR);
  EXPECT_EQ(text[0], 'K');
  ncmpi_close(file);
}

// Elements that nobody puts hold the fill value.
// As netCDF-4 by a rule, without a changed line; compared when netCDF-C has made it classic again.
TEST_F(FilesTest, PackedByARule) {
  const Setting rule("WEIR_FILES", "{'*.nc': {format: netcdf4, compression: zlib}}");
  run([&] {
    put_ok(path(), flow, 0, false, 0);
    put_ok(path(), temperature, 1, true);
    expect_ok(cfio2_put_att_text(MPI_COMM_WORLD, path().c_str(), "flow", "units", "m/s"), "an attribute");
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    put_ok(path(), salt, 2, true);     // a variable that comes late
    put_ok(path(), flow, 1, true, 1);  // and a record
  });
  run([&] {
    put_ok(path(), flow, 2, true, 2);  // of another run
    put_ok(path(), temperature, 3, true);
  });
  const std::string classic = path("classic.cdf");
  if (rank_ == 0) {
    EXPECT_EQ(std::system(("nccopy -k cdf5 " + path() + " " + classic).c_str()), 0);
  }
  expect_variables(classic, 3);
  expect_values(classic, temperature, 3);
  expect_values(classic, salt, 2);
  for (int record = 0; record < 3; ++record) expect_values(classic, flow, record, record);
}

TEST_F(FilesTest, HolesAreFilled) {
  run([&] {
    RankBox part = part_of({14, 5});
    if (putter() == putters() - 1) part.count[0] -= 1;
    expect_ok(put(path(), pressure, 1, false, 0, part, true), "all but the last row");
  });
  if (rank_ != 0) return;
  int file = -1, var = -1;
  double values[70];
  ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path().c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR);
  ncmpi_inq_varid(file, "pressure", &var);
  EXPECT_EQ(ncmpi_get_var_double_all(file, var, values), NC_NOERR);
  EXPECT_EQ(values[64], element(64, 1));
  EXPECT_EQ(values[65], NC_FILL_DOUBLE);
  ncmpi_close(file);
}

}  // namespace
}  // namespace cfio2_tests
