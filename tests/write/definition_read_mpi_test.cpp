// ranks: 1
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <sys/stat.h>

#include "formats/definition.hpp"
#include "write/definition_fixture.hpp"

namespace weir {
namespace {

using DefinitionReadTest = DefinitionTest;

TEST_F(DefinitionReadTest, TellsWhyItCannotRead) {
  expect_error([&] { read_definition(path("absent.nc")); }, WEIR_EIO, "No such file or directory");
  fs::create_directory(path("directory"));
  expect_error([&] { read_definition(path("directory")); }, WEIR_EIO, "it is a directory");
  expect_error([&] { read_definition("/dev/null"); }, WEIR_EIO, "it is a device or pipe");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expect_error([&] { read_definition(path("pipe")); }, WEIR_EIO, "it is a device or pipe");
}

TEST_F(DefinitionReadTest, TellsWhatAForeignFileLooksLike) {
  const std::string hdf5("\x89HDF\r\n\x1a\n", 8);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is empty"},
      {"C", "is truncated in its first bytes"},
      {"CDF", "is truncated in its first bytes"},
      {hdf5 + std::string(100, '\0'),
       "is a netCDF-4/HDF5 file; Weir appends to classic files: convert it with nccopy -k cdf5"},
      {std::string(1024, '\0') + hdf5, "is a netCDF-4/HDF5 file"},
      {"netcdf x { }\n", "looks like text"},
      {"GRIB2 or so", "is a GRIB file"},
      {"\x1f\x8b\x08 and more", "is compressed with gzip"},
      {"CDF\x03 and more", "has the netCDF version byte 3"},
      {std::string(64, '\0'), "is not a netCDF classic file"}};
  for (const auto& [bytes, part] : cases) {
    write_contents(path("foreign"), bytes);
    expect_error([&] { read_definition(path("foreign")); }, WEIR_EFORMAT, part);
  }
}

TEST_F(DefinitionReadTest, TellsThatTheHeaderIsCutOff) {
  for (const int format : {1, 2, 5}) {
    const Geometry geometry = define_file(path("whole.nc"), rich(format), {}, format);
    const std::string header = contents(path("whole.nc")).substr(0, static_cast<std::size_t>(geometry.begin[0]));
    for (std::size_t length = 4; length < header.size(); length += 13) {
      write_contents(path("cut.nc"), header.substr(0, length));
      expect_error([&] { read_definition(path("cut.nc")); }, WEIR_EFORMAT,
                   "cut.nc\" is truncated in its header: the file has " + std::to_string(length) + " bytes");
    }
  }
}

// A damaged header is read or refused, quietly and at once.
TEST_F(DefinitionReadTest, SurvivesDamagedHeaders) {
  Schema schema;
  const int time = schema.add_dimension("time", 0);
  const int x = schema.add_dimension("x", 3);
  const float fill = -1.0F;
  schema.put_attribute(schema.add_variable("t", WEIR_FLOAT, Dims{time, x}), "_FillValue", WEIR_FLOAT, 1, &fill);
  schema.put_attribute(schema.add_variable("lat", WEIR_DOUBLE, Dims{x}), "units", WEIR_CHAR, 1, "K");
  for (const int format : {1, 2, 5}) {
    define_file(path("whole.nc"), schema, {}, format);
    const std::string whole = contents(path("whole.nc"));
    const std::size_t header_bytes = whole.size() - 24;
    for (std::size_t at = 4; at < header_bytes; ++at) {
      for (const char byte : {'\x00', '\x09', '\xff'}) {
        std::string damaged = whole;
        damaged[at] = byte;
        write_contents(path("damaged.nc"), damaged);
        const Outcome outcome = read_outcome_of([&] { read_definition(path("damaged.nc")); });
        ASSERT_TRUE(outcome.code == WEIR_OK || outcome.code == WEIR_EFORMAT) << at << ": " << outcome.message;
      }
    }
  }
}

// Who appended to such a file would write one variable over another.
TEST_F(DefinitionReadTest, RefusesVariablesThatLieOverOneAnother) {
  Schema schema;
  const int x = schema.add_dimension("x", 4);
  for (const char* name : {"a", "b"}) schema.add_variable(name, WEIR_INT, Dims{x});
  define_file(path("apart.nc"), schema, {}, 1);
  const std::string whole = contents(path("apart.nc"));
  const std::size_t last = static_cast<std::size_t>(header_bytes(schema, 1)) - 1;  // of where "b" begins
  std::string damaged = whole;
  damaged[last] = static_cast<char>(damaged[last] - 4);
  write_contents(path("damaged.nc"), damaged);
  expect_error([&] { read_definition(path("damaged.nc")); }, WEIR_EFORMAT,
               "variable \"b\" begins at byte " + std::to_string(last + 13) + ", where another variable is");
  damaged[last] = 8;
  write_contents(path("damaged.nc"), damaged);
  expect_error([&] { read_definition(path("damaged.nc")); }, WEIR_EFORMAT, "where the header is");
}

// A file of one fixed and two record variables, written by PnetCDF.
void write_with_pnetcdf(const std::string& path, int records) {
  int file = 0;
  int dims[2] = {0, 0};
  int fixed = 0;
  int series = 0;
  int flags = 0;
  ASSERT_EQ(ncmpi_create(MPI_COMM_SELF, path.c_str(), NC_CLOBBER, MPI_INFO_NULL, &file), NC_NOERR);
  ncmpi_def_dim(file, "time", NC_UNLIMITED, &dims[0]);
  ncmpi_def_dim(file, "x", 5, &dims[1]);
  ncmpi_def_var(file, "fixed", NC_SHORT, 1, &dims[1], &fixed);
  ncmpi_def_var(file, "series", NC_FLOAT, 2, dims, &series);
  ncmpi_def_var(file, "flags", NC_BYTE, 2, dims, &flags);
  ASSERT_EQ(ncmpi_enddef(file), NC_NOERR);
  const short fixed_values[5] = {1, 2, 3, 4, 5};
  const float values[5] = {1, 2, 3, 4, 5};
  const signed char flag_values[5] = {1, 2, 3, 4, 5};
  ASSERT_EQ(ncmpi_put_var_short_all(file, fixed, fixed_values), NC_NOERR);
  for (MPI_Offset record = 0; record < records; ++record) {
    const MPI_Offset start[2] = {record, 0};
    const MPI_Offset count[2] = {1, 5};
    ASSERT_EQ(ncmpi_put_vara_float_all(file, series, start, count, values), NC_NOERR);
    ASSERT_EQ(ncmpi_put_vara_schar_all(file, flags, start, count, flag_values), NC_NOERR);
  }
  ASSERT_EQ(ncmpi_close(file), NC_NOERR);
}

TEST_F(DefinitionReadTest, ReadsRecordsOfPnetcdf) {
  write_with_pnetcdf(path("p.nc"), 3);
  const DefinedFile read = read_definition(path("p.nc"));
  EXPECT_EQ(read.geometry.records, 3);
  EXPECT_EQ(read.geometry.record_bytes, 28);
  EXPECT_EQ(read.schema.variables().size(), 3U);
  EXPECT_EQ(read.geometry.begin[2], read.geometry.begin[1] + 20);
  EXPECT_EQ(read.geometry.file_bytes(3), read.geometry.record_begin + 84);
}

TEST_F(DefinitionReadTest, TellsThatTheDataIsCutOffButAllowsMissingPadding) {
  write_with_pnetcdf(path("p.nc"), 3);
  const Geometry geometry = read_definition(path("p.nc")).geometry;
  const std::int64_t whole = geometry.file_bytes(3);
  fs::resize_file(path("p.nc"), static_cast<std::uintmax_t>(whole - 3));  // 5 bytes are padded to 8
  EXPECT_EQ(read_definition(path("p.nc")).geometry.records, 3);
  fs::resize_file(path("p.nc"), static_cast<std::uintmax_t>(whole - 4));
  expect_error([&] { read_definition(path("p.nc")); }, WEIR_EFORMAT,
               "is truncated: it has " + std::to_string(whole - 4) + " bytes, and its header tells of 3 records and " +
                   std::to_string(whole - 3) + " bytes");
  write_with_pnetcdf(path("f.nc"), 0);
  const auto fixed_end = static_cast<std::uintmax_t>(read_definition(path("f.nc")).geometry.begin[0] + 10);
  fs::resize_file(path("f.nc"), fixed_end);
  EXPECT_EQ(read_definition(path("f.nc")).geometry.records, 0);
  fs::resize_file(path("f.nc"), fixed_end - 1);
  expect_error([&] { read_definition(path("f.nc")); }, WEIR_EFORMAT, "is truncated: it has");
}

TEST_F(DefinitionReadTest, CountsTheRecordsOfAStream) {
  for (const int format : {1, 2, 5}) {
    Schema schema;
    const int time = schema.add_dimension("time", 0);
    schema.add_variable("t", WEIR_DOUBLE, Dims{time});
    schema.add_variable("flag", WEIR_BYTE, Dims{time});
    const Geometry geometry = define_file(path("stream.nc"), schema, {}, format);
    std::string bytes = contents(path("stream.nc"));
    bytes.replace(4, format == 5 ? 8 : 4, format == 5 ? 8 : 4, '\xff');
    for (const int records : {0, 1, 4}) {
      std::string file = bytes;
      file.resize(static_cast<std::size_t>(geometry.file_bytes(records)), '\0');
      write_contents(path("stream.nc"), file);
      EXPECT_EQ(read_definition(path("stream.nc")).geometry.records, records);
      if (records == 0) continue;
      fs::resize_file(path("stream.nc"), file.size() - 3);
      EXPECT_EQ(read_definition(path("stream.nc")).geometry.records, records);
      fs::resize_file(path("stream.nc"), file.size() - 4);
      EXPECT_EQ(read_definition(path("stream.nc")).geometry.records, records - 1);
    }
  }
}

}  // namespace
}  // namespace weir
