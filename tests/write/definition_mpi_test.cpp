// ranks: 1
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "write/definition.hpp"

namespace weir {
namespace {

using Dims = std::vector<int>;
namespace fs = std::filesystem;

class DefinitionTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("weir_definition_" + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

 private:
  fs::path directory_;
};

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_contents(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The error of a call, which must print nothing; code WEIR_OK where there is none.
struct Outcome {
  Code code = WEIR_OK;
  std::string message;
};

Outcome outcome_of(const std::function<void()>& call) {
  Outcome outcome;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  try {
    call();
  } catch (const Error& error) {
    outcome = {error.code(), error.what()};
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return outcome;
}

void expect_error(const std::function<void()>& call, Code code, const std::string& part) {
  const Outcome outcome = outcome_of(call);
  EXPECT_EQ(outcome.code, code) << outcome.message;
  EXPECT_NE(outcome.message.find(part), std::string::npos) << outcome.message << "\nlacks: " << part;
}

constexpr Type last_type(int format) {
  return format == 5 ? WEIR_UINT64 : WEIR_DOUBLE;
}

// 65, 66 and 67 in a type: letters where it is text, and exact in every type.
std::vector<std::byte> numbers(Type type) {
  return with_type(type, [](auto zero) {
    std::vector<std::byte> bytes;
    for (const int number : {65, 66, 67}) {
      const auto value = static_cast<decltype(zero)>(number);
      const auto* begin = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), begin, begin + sizeof(value));
    }
    return bytes;
  });
}

// Every type of the format as fixed and record variable, scalars, and attributes of every type.
Schema rich(int format) {
  Schema schema;
  schema.put_attribute(WEIR_GLOBAL, "title", WEIR_CHAR, 6, "all in");
  const int time = schema.add_dimension("time", 0);
  const int y = schema.add_dimension("y", 5);
  const int x = schema.add_dimension("x", 7);
  for (int number = WEIR_BYTE; number <= last_type(format); ++number) {
    const auto type = static_cast<Type>(number);
    const std::string name(type_name(type));
    const int fixed = schema.add_variable("fixed_" + name, type, Dims{y, x});
    schema.add_variable("record_" + name, type, Dims{time, x});
    schema.add_variable("scalar_" + name, type, Dims{});
    const auto values = numbers(type);
    schema.put_attribute(fixed, "of_" + name, type, 3, values.data());
    schema.put_attribute(fixed, "_FillValue", type, 1, values.data());
    schema.put_attribute(WEIR_GLOBAL, "global_" + name, type, 1, values.data());
  }
  return schema;
}

TEST_F(DefinitionTest, RoundTripsEveryTypeInEveryFormat) {
  for (const int format : {1, 2, 5}) {
    Schema schema = rich(format);
    schema.put_attribute(WEIR_GLOBAL, "nothing", WEIR_CHAR, 0, nullptr);
    const std::string file = path("rich.nc");
    const Geometry made = define_file(file, schema, {}, format);
    EXPECT_EQ(made.format, format);
    EXPECT_EQ(static_cast<std::int64_t>(fs::file_size(file)), made.file_bytes(0));
    const DefinedFile read = read_definition(file);
    EXPECT_EQ(difference(schema, read.schema, "the file"), std::nullopt);
    EXPECT_EQ(read.geometry.format, format);
    EXPECT_EQ(read.geometry.begin, made.begin);
    EXPECT_EQ(read.geometry.record_bytes, made.record_bytes);
    EXPECT_EQ(read.geometry.record_begin, made.record_begin);
    EXPECT_EQ(read.geometry.fixed_end, made.fixed_end);
    EXPECT_EQ(read.geometry.records, 0);
  }
}

TEST_F(DefinitionTest, ChoosesTheOldestFormat) {
  EXPECT_EQ(define_file(path("a.nc"), rich(1), {}, 0).format, 1);
  EXPECT_EQ(define_file(path("b.nc"), rich(5), {}, 0).format, 5);
  EXPECT_EQ(contents(path("a.nc")).substr(0, 4), std::string("CDF\x01"));
  EXPECT_EQ(contents(path("b.nc")).substr(0, 4), std::string("CDF\x05"));
}

TEST_F(DefinitionTest, LeavesNoGapsByItself) {
  const Schema schema = rich(5);
  const Geometry geometry = define_file(path("tight.nc"), schema, {}, 5);
  std::int64_t end = -1;
  for (const bool record : {false, true}) {
    for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
      if (schema.is_record(var) != record) continue;
      if (end >= 0) {
        EXPECT_EQ(geometry.begin[static_cast<std::size_t>(var)], end) << schema.variable(var).name;
      }
      const std::int64_t bytes = schema.elements(var) * type_bytes(schema.variable(var).type);
      end = geometry.begin[static_cast<std::size_t>(var)] + (bytes + 3) / 4 * 4;
    }
    if (!record) {
      EXPECT_EQ(geometry.fixed_end, end);
    }
  }
  EXPECT_EQ(geometry.record_begin, geometry.fixed_end);
  EXPECT_EQ(geometry.record_bytes, end - geometry.record_begin);
  EXPECT_EQ(geometry.file_bytes(3), geometry.record_begin + 3 * geometry.record_bytes);
}

// The header that netCDF-C writes for the same definitions, byte for byte, by way of ncdump and ncgen.
TEST_F(DefinitionTest, WritesTheHeaderOfNetcdfC) {
  if (std::system("command -v ncgen >/dev/null && command -v ncdump >/dev/null") != 0) {
    GTEST_SKIP() << "ncgen and ncdump are not installed";
  }
  const std::vector<std::pair<int, std::string>> kinds{{1, "classic"}, {2, "'64-bit offset'"}, {5, "cdf5"}};
  for (const auto& [format, kind] : kinds) {
    const Geometry geometry = define_file(path("ours.nc"), rich(format), {}, format);
    const std::string command = "ncdump -h " + path("ours.nc") + " > " + path("a.cdl") + " && ncgen -k " + kind +
                                " -o " + path("theirs.nc") + " " + path("a.cdl");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const DefinedFile theirs = read_definition(path("theirs.nc"));
    EXPECT_EQ(theirs.geometry.begin, geometry.begin) << kind;
    const auto header_bytes = static_cast<std::size_t>(geometry.begin[0]);
    EXPECT_TRUE(contents(path("ours.nc")).substr(0, header_bytes) ==
                contents(path("theirs.nc")).substr(0, header_bytes))
        << kind;
    EXPECT_EQ(fs::file_size(path("ours.nc")), fs::file_size(path("theirs.nc"))) << kind;
  }
}

TEST_F(DefinitionTest, FollowsTheAlignment) {
  const Schema schema = rich(1);
  const Geometry geometry = define_file(path("aligned.nc"), schema, {1000, 256, 4096}, 1);
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    if (!schema.is_record(var)) {
      EXPECT_EQ(geometry.begin[static_cast<std::size_t>(var)] % 256, 0);
    }
  }
  EXPECT_EQ(geometry.record_begin % 4096, 0);
  EXPECT_GE(geometry.record_begin, geometry.fixed_end);
  const Geometry tight = define_file(path("tight.nc"), schema, {}, 1);
  EXPECT_GE(geometry.begin[0], tight.begin[0] + 1000);
  EXPECT_EQ(read_definition(path("aligned.nc")).geometry.begin, geometry.begin);
  for (const Alignment& wrong : {Alignment{-1, 0, 0}, Alignment{0, -4, 0}, Alignment{0, 0, 1LL << 40}}) {
    expect_error([&] { define_file(path("wrong.nc"), schema, wrong, 1); }, WEIR_EARGUMENT, "give 0 to 1073741824");
  }
  EXPECT_FALSE(fs::exists(path("wrong.nc")));
}

TEST_F(DefinitionTest, PacksASingleRecordVariable) {
  const std::vector<std::pair<Type, std::int64_t>> cases{{WEIR_BYTE, 5},   {WEIR_CHAR, 5},    {WEIR_UBYTE, 5},
                                                         {WEIR_SHORT, 10}, {WEIR_USHORT, 10}, {WEIR_FLOAT, 20}};
  for (const auto& [type, bytes] : cases) {
    Schema schema;
    const int time = schema.add_dimension("time", 0);
    const int x = schema.add_dimension("x", 5);
    schema.add_variable("fixed", WEIR_BYTE, Dims{x});
    schema.add_variable("only", type, Dims{time, x});
    const Geometry geometry = define_file(path("single.nc"), schema, {}, 5);
    EXPECT_EQ(geometry.record_bytes, bytes) << type_name(type);
    EXPECT_EQ(geometry.fixed_end, geometry.begin[0] + 8);
    EXPECT_EQ(geometry.file_bytes(3), geometry.begin[1] + 3 * bytes);
    schema.add_variable("second", WEIR_BYTE, Dims{time});
    EXPECT_EQ(define_file(path("double.nc"), schema, {}, 5).record_bytes, (bytes + 3) / 4 * 4 + 4);
  }
}

TEST_F(DefinitionTest, HandlesEmptyAndPartialSchemas) {
  const Geometry empty = define_file(path("empty.nc"), Schema(), {}, 0);
  EXPECT_EQ(empty.format, 1);
  EXPECT_EQ(empty.record_bytes, 0);
  EXPECT_EQ(empty.fixed_end, 32);
  EXPECT_EQ(empty.file_bytes(7), 32);
  EXPECT_EQ(fs::file_size(path("empty.nc")), 32U);
  EXPECT_EQ(read_definition(path("empty.nc")).schema, Schema());
  Schema record_only;
  record_only.add_variable("t", WEIR_DOUBLE, Dims{record_only.add_dimension("time", 0)});
  const Geometry records = define_file(path("records.nc"), record_only, {}, 0);
  EXPECT_EQ(records.record_begin, records.begin[0]);
  EXPECT_EQ(records.record_bytes, 8);
  EXPECT_EQ(read_definition(path("records.nc")).geometry.fixed_end, records.fixed_end);
}

TEST_F(DefinitionTest, HandlesHundredsOfVariablesAndHugeOnes) {
  Schema schema;
  const int x = schema.add_dimension("x", 3LL << 30);
  for (int i = 0; i < 500; ++i) schema.add_variable("v" + std::to_string(i), WEIR_DOUBLE, Dims{x});
  const Geometry geometry = define_file(path("huge.nc"), schema, {}, 0);
  EXPECT_EQ(geometry.format, 5);
  EXPECT_EQ(geometry.begin[499] - geometry.begin[0], 499 * (24LL << 30));
  EXPECT_EQ(read_definition(path("huge.nc")).schema, schema);
}

TEST_F(DefinitionTest, RefusesAFormatThatCannotHoldIt) {
  Schema schema;
  schema.add_variable("count", WEIR_INT64, Dims{});
  expect_error([&] { define_file(path("x.nc"), schema, {}, 2); }, WEIR_EARGUMENT,
               "variable \"count\" has type int64, which CDF-2 does not know; ask for CDF-5");
  expect_error([&] { define_file(path("x.nc"), schema, {}, 3); }, WEIR_EARGUMENT, "CDF-3 is no netCDF classic format");
  Schema filled;
  const int value = 1;
  filled.put_attribute(WEIR_GLOBAL, "_FillValue", WEIR_INT, 1, &value);
  expect_error([&] { define_file(path("x.nc"), filled, {}, 1); }, WEIR_EARGUMENT, "the attribute \"_FillValue\"");
  EXPECT_FALSE(fs::exists(path("x.nc")));
}

TEST_F(DefinitionTest, TakesAPathWithAColon) {
  write_contents(path("00.nc"), "a bystander");
  const std::string file = path("2000-01-01T00:00.nc");
  define_file(file, rich(2), {}, 2);
  EXPECT_EQ(read_definition(file).schema, rich(2));
  EXPECT_EQ(contents(path("00.nc")), "a bystander");
}

TEST_F(DefinitionTest, ReplacesWhatIsThere) {
  write_contents(path("old.nc"), std::string(100000, 'x'));
  const Geometry geometry = define_file(path("old.nc"), rich(1), {}, 1);
  EXPECT_EQ(static_cast<std::int64_t>(fs::file_size(path("old.nc"))), geometry.file_bytes(0));
}

TEST_F(DefinitionTest, TellsWhyItCannotWrite) {
  const Schema schema = rich(1);
  expect_error([&] { define_file(path("no/such/x.nc"), schema, {}, 1); }, WEIR_EIO,
               "no/such\" does not exist; make it first");
  fs::create_directory(path("directory"));
  expect_error([&] { define_file(path("directory"), schema, {}, 1); }, WEIR_EIO, "it is a directory");
  write_contents(path("plain"), "text");
  expect_error([&] { define_file(path("plain/x.nc"), schema, {}, 1); }, WEIR_EIO, "is a file; give a directory");
  expect_error([&] { define_file("", schema, {}, 1); }, WEIR_EIO, "cannot create");
  expect_error([&] { define_file(path(std::string(300, 'n')), schema, {}, 1); }, WEIR_EIO, "File name too long");
}

TEST_F(DefinitionTest, TellsThatTheDiskIsFull) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  expect_error([&] { define_file("/dev/full", rich(1), {}, 1); }, WEIR_EIO,
               "cannot write \"/dev/full\": the file system is full; free space or choose another directory");
  EXPECT_EQ(::access("/dev/full", F_OK), 0);
}

TEST_F(DefinitionTest, TellsThatAFileMayNotBeThatLarge) {
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  Schema schema;
  schema.add_variable("v", WEIR_BYTE, Dims{schema.add_dimension("x", 1 << 20)});
  const struct rlimit low { 65536, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  Outcome outcome;
  try {
    define_file(path("limited.nc"), schema, {}, 1);
  } catch (const Error& error) {
    outcome = {error.code(), error.what()};
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(outcome.code, WEIR_EIO);
  EXPECT_NE(outcome.message.find("larger than the limit"), std::string::npos) << outcome.message;
  EXPECT_FALSE(fs::exists(path("limited.nc")));
}

TEST_F(DefinitionTest, TellsWhyItCannotRead) {
  expect_error([&] { read_definition(path("absent.nc")); }, WEIR_EIO, "No such file or directory");
  fs::create_directory(path("directory"));
  expect_error([&] { read_definition(path("directory")); }, WEIR_EIO, "it is a directory");
  expect_error([&] { read_definition("/dev/null"); }, WEIR_EIO, "it is a device or pipe");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expect_error([&] { read_definition(path("pipe")); }, WEIR_EIO, "it is a device or pipe");
}

TEST_F(DefinitionTest, TellsWhatAForeignFileLooksLike) {
  const std::string hdf5("\x89HDF\r\n\x1a\n", 8);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is empty"},
      {"C", "is cut off in its first bytes"},
      {"CDF", "is cut off in its first bytes"},
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

TEST_F(DefinitionTest, TellsThatTheHeaderIsCutOff) {
  for (const int format : {1, 2, 5}) {
    const Geometry geometry = define_file(path("whole.nc"), rich(format), {}, format);
    const std::string header = contents(path("whole.nc")).substr(0, static_cast<std::size_t>(geometry.begin[0]));
    for (std::size_t length = 4; length < header.size(); length += 13) {
      write_contents(path("cut.nc"), header.substr(0, length));
      expect_error([&] { read_definition(path("cut.nc")); }, WEIR_EFORMAT,
                   "cut.nc\" is cut off in its header: the file has " + std::to_string(length) + " bytes");
    }
  }
}

// A damaged header is read or refused, quietly and at once: it neither crashes nor hangs PnetCDF.
TEST_F(DefinitionTest, SurvivesDamagedHeaders) {
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
      for (const char byte : {'\x00', '\x01', '\x09', '\x7f', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[at] = byte;
        write_contents(path("damaged.nc"), damaged);
        const Outcome outcome = outcome_of([&] { read_definition(path("damaged.nc")); });
        ASSERT_TRUE(outcome.code == WEIR_OK || outcome.code == WEIR_EFORMAT) << at << ": " << outcome.message;
      }
    }
  }
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

TEST_F(DefinitionTest, ReadsRecordsOfPnetcdf) {
  write_with_pnetcdf(path("p.nc"), 3);
  const DefinedFile read = read_definition(path("p.nc"));
  EXPECT_EQ(read.geometry.records, 3);
  EXPECT_EQ(read.geometry.record_bytes, 28);
  EXPECT_EQ(read.schema.variables().size(), 3U);
  EXPECT_EQ(read.geometry.begin[2], read.geometry.begin[1] + 20);
  EXPECT_EQ(read.geometry.file_bytes(3), read.geometry.record_begin + 84);
}

TEST_F(DefinitionTest, TellsThatTheDataIsCutOffButAllowsMissingPadding) {
  write_with_pnetcdf(path("p.nc"), 3);
  const Geometry geometry = read_definition(path("p.nc")).geometry;
  const std::int64_t whole = geometry.file_bytes(3);
  fs::resize_file(path("p.nc"), static_cast<std::uintmax_t>(whole - 3));  // 5 bytes are padded to 8
  EXPECT_EQ(read_definition(path("p.nc")).geometry.records, 3);
  fs::resize_file(path("p.nc"), static_cast<std::uintmax_t>(whole - 4));
  expect_error([&] { read_definition(path("p.nc")); }, WEIR_EFORMAT,
               "is cut off: it has " + std::to_string(whole - 4) + " bytes, and its header tells of 3 records and " +
                   std::to_string(whole - 3) + " bytes");
  write_with_pnetcdf(path("f.nc"), 0);
  const auto fixed_end = static_cast<std::uintmax_t>(read_definition(path("f.nc")).geometry.begin[0] + 10);
  fs::resize_file(path("f.nc"), fixed_end);
  EXPECT_EQ(read_definition(path("f.nc")).geometry.records, 0);
  fs::resize_file(path("f.nc"), fixed_end - 1);
  expect_error([&] { read_definition(path("f.nc")); }, WEIR_EFORMAT, "is cut off: it has");
}

TEST_F(DefinitionTest, CountsTheRecordsOfAStream) {
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
