// ranks: 1
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "formats/definition.hpp"
#include "schema/file_offsets.hpp"
#include "write/definition_fixture.hpp"

namespace weir {
namespace {

TEST_F(DefinitionTest, RoundTripsEveryTypeInEveryFormat) {
  for (const int format : {1, 2, 5}) {
    Schema schema = rich(format);
    schema.put_attribute(WEIR_GLOBAL, "nothing", WEIR_CHAR, 0, nullptr);
    schema.put_attribute(WEIR_GLOBAL, "_FillValue", WEIR_CHAR, 2, "ab");  // of the file: an attribute like any other
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

// Without alignment: schema/file_offsets.hpp says where everything is, and PnetCDF agrees.
void expect_places(const Schema& schema, const Geometry& geometry) {
  const FileOffsets places = place_variables(schema, geometry.format);
  EXPECT_EQ(geometry.begin, places.begin);
  EXPECT_EQ(geometry.fixed_end, places.fixed_end);
  EXPECT_EQ(geometry.record_begin, places.fixed_end);
  EXPECT_EQ(geometry.record_bytes, places.record_bytes);
}

TEST_F(DefinitionTest, LeavesNoGapsByItself) {
  for (const int format : {1, 2, 5}) {
    const Schema schema = rich(format);
    const Geometry geometry = define_file(path("tight.nc"), schema, {}, format);
    expect_places(schema, geometry);
    EXPECT_EQ(geometry.file_bytes(3), geometry.record_begin + 3 * geometry.record_bytes);
  }
}

// The header that netCDF-C writes for the same definitions, byte for byte, by way of ncdump and ncgen (whose
// version 4.9.0 makes an int of an int64 variable, so that there is none).
TEST_F(DefinitionTest, WritesTheHeaderOfNetcdfC) {
  if (std::system("command -v ncgen >/dev/null && command -v ncdump >/dev/null") != 0) {
    GTEST_SKIP() << "ncgen and ncdump are not installed";
  }
  const std::vector<std::pair<int, std::string>> kinds{{1, "classic"}, {2, "'64-bit offset'"}, {5, "cdf5"}};
  for (const auto& [format, kind] : kinds) {
    const Geometry geometry = define_file(path("ours.nc"), rich(format, WEIR_INT64), {}, format);
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
    expect_places(schema, geometry);
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
  expect_error([&] { define_file(path("x.nc"), schema, {}, 3); }, WEIR_EARGUMENT,
               "CDF-3 is not a netCDF classic format");
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
  expect_error([&] { define_file(path("directory"), schema, {}, 1); }, WEIR_EIO, "is a directory: give a file's path");
  write_contents(path("plain"), "text");
  expect_error([&] { define_file(path("plain/x.nc"), schema, {}, 1); }, WEIR_EIO, "is a file; give a directory");
  expect_error([&] { define_file(path(std::string(300, 'n')), schema, {}, 1); }, WEIR_EIO, "File name too long");
}

TEST_F(DefinitionTest, ReplacesNoDevice) {
  expect_error([&] { define_file("/dev/full", rich(1), {}, 1); }, WEIR_EIO, "/dev/full is a device");
  EXPECT_EQ(::access("/dev/full", F_OK), 0);
}

// What `call` says where no file of this process may have more than `bytes` bytes, header in memory included.
Outcome outcome_with_limit(rlim_t bytes, const std::function<void()>& call) {
  struct rlimit before {};
  EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit low { bytes, before.rlim_max };
  Outcome outcome;
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  try {
    call();
  } catch (const Error& error) {
    outcome = {error.code(), error.what()};
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  return outcome;
}

TEST_F(DefinitionTest, TellsThatAFileMayNotBeThatLarge) {
  Schema schema;
  schema.add_variable("v", WEIR_BYTE, Dims{schema.add_dimension("x", 1 << 20)});
  const Outcome outcome = outcome_with_limit(65536, [&] { define_file(path("limited.nc"), schema, {}, 1); });
  EXPECT_EQ(outcome.code, WEIR_EIO);
  EXPECT_NE(outcome.message.find("larger than the limit"), std::string::npos) << outcome.message;
  EXPECT_FALSE(fs::exists(path("limited.nc")));
}

TEST_F(DefinitionTest, TellsThatAHeaderMayNotBeThatLarge) {
  Schema schema;
  const std::string text(20000, 'h');
  schema.put_attribute(WEIR_GLOBAL, "history", WEIR_CHAR, std::ssize(text), text.data());
  for (const rlim_t bytes : {0, 100, 19000}) {
    testing::internal::CaptureStdout();
    const Outcome outcome = outcome_with_limit(bytes, [&] { define_file(path("limited.nc"), schema, {}, 1); });
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(outcome.code, WEIR_EIO) << outcome.message;
    EXPECT_NE(outcome.message.find("larger than the limit"), std::string::npos) << outcome.message;
    EXPECT_NE(outcome.message.find(path("limited.nc")), std::string::npos) << outcome.message;
    EXPECT_FALSE(fs::exists(path("limited.nc")));
  }
}

// The header that PnetCDF makes of the same definitions and alignment, file and all.
std::string header_of_pnetcdf(const std::string& path, const Schema& schema, const Alignment& alignment, int format) {
  const std::int64_t tight = 4;
  const auto multiple = [tight](std::int64_t bytes) { return std::to_string(std::max(bytes, tight)); };
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "nc_header_align_size", multiple(alignment.variable_align_bytes).c_str());
  MPI_Info_set(hints, "nc_var_align_size", multiple(alignment.variable_align_bytes).c_str());
  MPI_Info_set(hints, "nc_record_align_size", multiple(alignment.record_align_bytes).c_str());
  int file = 0, ignored = 0;
  const int mode = format == 5 ? NC_64BIT_DATA : (format == 2 ? NC_64BIT_OFFSET : 0);
  EXPECT_EQ(ncmpi_create(MPI_COMM_SELF, path.c_str(), NC_CLOBBER | mode, hints, &file), NC_NOERR);
  MPI_Info_free(&hints);
  const auto put = [&](int var, const std::vector<Attribute>& attributes) {
    for (const Attribute& each : attributes)
      EXPECT_EQ(ncmpi_put_att(file, var, each.name.c_str(), each.type, each.count, each.values.data()), NC_NOERR);
  };
  for (const Dimension& each : schema.dimensions())
    EXPECT_EQ(ncmpi_def_dim(file, each.name.c_str(), each.length, &ignored), NC_NOERR);
  put(NC_GLOBAL, schema.attributes(WEIR_GLOBAL));
  for (const Variable& each : schema.variables()) {
    int var = 0;
    EXPECT_EQ(
        ncmpi_def_var(file, each.name.c_str(), each.type, static_cast<int>(each.dims.size()), each.dims.data(), &var),
        NC_NOERR);
    put(var, each.attributes);
  }
  EXPECT_EQ(ncmpi__enddef(file, alignment.header_free_bytes, std::max(alignment.variable_align_bytes, tight), 0,
                          std::max(alignment.record_align_bytes, tight)),
            NC_NOERR);
  EXPECT_EQ(ncmpi_close(file), NC_NOERR);
  return contents(path).substr(0, static_cast<std::size_t>(header_bytes(schema, format)));
}

Schema without_records(const Schema& schema) {
  Schema fixed;
  for (const Dimension& each : schema.dimensions())
    fixed.add_dimension(each.name, std::max<std::int64_t>(each.length, 3));
  for (const Variable& each : schema.variables()) fixed.add_variable(each.name, each.type, each.dims);
  return fixed;
}

TEST_F(DefinitionTest, WritesTheHeaderOfPnetcdf) {
  Schema single;
  const int time = single.add_dimension("time", 0), x = single.add_dimension("x", 5);
  single.add_variable("fixed", WEIR_BYTE, Dims{x});
  single.add_variable("only", WEIR_SHORT, Dims{time, x});
  Schema no_fixed;
  no_fixed.add_variable("t", WEIR_DOUBLE, Dims{no_fixed.add_dimension("time", 0)});
  Schema large;
  const int far = large.add_dimension("far", 1LL << 30);
  for (const char* name : {"a", "b"}) large.add_variable(name, WEIR_SHORT, Dims{far});
  large.add_variable("last", WEIR_DOUBLE, Dims{large.add_dimension("z", 600000000)});
  for (const int format : {1, 2, 5})
    for (const Schema& schema : {rich(format), without_records(rich(format)), single, no_fixed, Schema(), large}) {
      if (format_obstacle(schema, {}, format)) continue;
      for (const Alignment& alignment :
           {Alignment{}, Alignment{1, 0, 0}, Alignment{1000, 256, 4096}, Alignment{0, 512, 4}, Alignment{0, 4, 512},
            Alignment{3, 6, 10}, Alignment{70000, 1024, 768}}) {
        if (format_obstacle(schema, alignment, format)) continue;
        const DefinedHeader ours = define_header(path("ours.nc"), schema, alignment, format);
        const std::string theirs = header_of_pnetcdf(path("theirs.nc"), schema, alignment, format);
        const std::string bytes(reinterpret_cast<const char*>(ours.bytes.data()), ours.bytes.size());
        EXPECT_TRUE(bytes == theirs) << format << ", " << schema.variables().size() << " variables, "
                                     << alignment.header_free_bytes << " " << alignment.variable_align_bytes << " "
                                     << alignment.record_align_bytes;
      }
    }
}

// The room that is tried for a header is the room it takes.
TEST_F(DefinitionTest, KnowsTheHeadersLength) {
  for (const int format : {1, 2, 5}) {
    const Schema schema = rich(format);
    EXPECT_EQ(header_bytes(schema, format), define_file(path("length.nc"), schema, {}, format).begin[0]);
  }
}

}  // namespace
}  // namespace weir
