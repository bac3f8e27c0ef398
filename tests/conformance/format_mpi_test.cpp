// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// The file itself: its format, where its parts begin, files beyond 4 GiB, very many variables, and records appended to
// files of any origin. PnetCDF tells what is in it.
#include <pnetcdf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/faults.hpp"

namespace faults {
namespace {

class FormatTest : public FaultTest {
 protected:
  // The format number of a file with one dimension and one variable.
  int format_of(int mode, weir_type type, std::int64_t length, int variables = 1) {
    weir_file* file = create("format.nc", mode);
    int dim = -1, format = -1;
    EXPECT_EQ(weir_def_dim(file, "n", length, &dim), WEIR_OK);
    for (int v = 0; v < variables; ++v)
      EXPECT_EQ(weir_def_var(file, ("v" + std::to_string(v)).c_str(), type, 1, &dim, nullptr), WEIR_OK);
    EXPECT_EQ(weir_set_fill(file, WEIR_NOFILL), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_inq_format(file, &format), WEIR_OK);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    MPI_Barrier(MPI_COMM_WORLD);
    char magic[4] = {};
    std::ifstream(path("format.nc"), std::ios::binary).read(magic, 4);
    EXPECT_EQ(std::string(magic, 3), "CDF");
    EXPECT_EQ(magic[3], format);
    MPI_Barrier(MPI_COMM_WORLD);
    return format;
  }

  // Alike on all ranks.
  bool holds_sparse_files() const {
    int well = 1;
    if (rank_ == 0) {
      std::ofstream(path("sparse")) << "x";
      struct stat status {};
      well = ::truncate(path("sparse").c_str(), 9LL << 30) == 0 && ::stat(path("sparse").c_str(), &status) == 0 &&
             status.st_blocks < 1000;
      fs::remove(path("sparse"));
    }
    MPI_Bcast(&well, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return well == 1;
  }

  // The elements at these places of "fixed" and "record" are 1, 2, 3, ...; between them nobody has written.
  void expect_large(const std::vector<std::int64_t>& at) const {
    MPI_Barrier(MPI_COMM_WORLD);
    int id = -1;
    MPI_Offset records = 0;
    ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path("large.nc").c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR);
    EXPECT_EQ(ncmpi_inq_dimlen(id, 0, &records), NC_NOERR);
    EXPECT_EQ(records, 2);
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (MPI_Offset record = 0; record < 2; ++record) {
        const MPI_Offset start[] = {record, at[i]}, count[] = {1, 1};
        short fixed = 0, in_record = 0;
        EXPECT_EQ(ncmpi_get_vara_short_all(id, 0, start + 1, count + 1, &fixed), NC_NOERR);
        EXPECT_EQ(ncmpi_get_vara_short_all(id, 1, start, count, &in_record), NC_NOERR);
        EXPECT_EQ(fixed, static_cast<short>(i + 1)) << at[i];
        EXPECT_EQ(in_record, static_cast<short>(i + 1)) << at[i] << " of record " << record;
      }
    }
    EXPECT_EQ(ncmpi_close(id), NC_NOERR);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // Two records as in make_good_file, an attribute, and a mask of ones. False where its maker is not installed.
  bool make_old_file(const std::string& origin) {
    int made = 1;
    if (origin == "Weir") {
      start();
      make_good_file(2);
      end();
    } else if (rank_ == 0) {
      made = origin == "PnetCDF" ? make_with_pnetcdf() : make_with_ncgen(origin);
    }
    MPI_Bcast(&made, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return made == 1;
  }

  int make_with_pnetcdf() const {
    int id = -1, dims[3], temp = -1, mask = -1, step = -1;
    EXPECT_EQ(ncmpi_create(MPI_COMM_SELF, path().c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &id), NC_NOERR);
    EXPECT_EQ(ncmpi_def_dim(id, "time", NC_UNLIMITED, &dims[0]), NC_NOERR);
    EXPECT_EQ(ncmpi_def_dim(id, "y", 2 * ranks_, &dims[1]), NC_NOERR);
    EXPECT_EQ(ncmpi_def_dim(id, "x", 6, &dims[2]), NC_NOERR);
    EXPECT_EQ(ncmpi_def_var(id, "temp", NC_FLOAT, 3, dims, &temp), NC_NOERR);
    EXPECT_EQ(ncmpi_def_var(id, "mask", NC_SHORT, 2, dims + 1, &mask), NC_NOERR);
    EXPECT_EQ(ncmpi_def_var(id, "step", NC_INT, 0, nullptr, &step), NC_NOERR);
    EXPECT_EQ(ncmpi_put_att_text(id, temp, "units", 1, "K"), NC_NOERR);
    EXPECT_EQ(ncmpi_enddef(id), NC_NOERR);
    std::vector<float> values;
    for (std::int64_t r = 0; r < 2; ++r)
      for (std::int64_t i = 0; i < 12 * ranks_; ++i) values.push_back(value(r, i));
    const MPI_Offset start[] = {0, 0, 0}, count[] = {2, 2 * ranks_, 6};
    EXPECT_EQ(ncmpi_put_vara_float_all(id, temp, start, count, values.data()), NC_NOERR);
    EXPECT_EQ(ncmpi_close(id), NC_NOERR);
    return 1;
  }

  int make_with_ncgen(const std::string& kind) const {
    if (std::system("command -v ncgen >/dev/null") != 0) return 0;
    std::ofstream cdl(path("file.cdl"));
    cdl << "netcdf file {\ndimensions: time = UNLIMITED ; y = " << 2 * ranks_ << " ; x = 6 ;\n"
        << "variables: float temp(time, y, x) ; temp:units = \"K\" ; short mask(y, x) ; int step ;\ndata: temp = ";
    for (std::int64_t r = 0; r < 2; ++r)
      for (std::int64_t i = 0; i < 12 * ranks_; ++i) cdl << (r + i > 0 ? ", " : "") << value(r, i);
    cdl << " ;\n}\n" << std::flush;
    const std::string command = "ncgen -k '" + kind + "' -o '" + path() + "' '" + path("file.cdl") + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    fs::remove(path("file.cdl"));
    return 1;
  }

  // Each rank gave its two rows 7 + its number.
  void expect_mask() const {
    int id = -1;
    std::vector<short> mask(static_cast<std::size_t>(12 * ranks_));
    ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path().c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR);
    EXPECT_EQ(ncmpi_get_var_short_all(id, mask_, mask.data()), NC_NOERR);
    for (std::size_t i = 0; i < mask.size(); ++i) ASSERT_EQ(mask[i], static_cast<short>(7 + i / 12)) << i;
    EXPECT_EQ(ncmpi_close(id), NC_NOERR);
  }

  struct Offsets {
    MPI_Offset header = 0, mask = 0, temp = 0, salt = 0, record_bytes = 0;
  };
  // The model's file with another record variable.
  Offsets places_of(const std::string& config, std::int64_t header_free, std::int64_t variable_align,
                    std::int64_t record_align) {
    start(config);
    weir_file* file = create();
    define(file);
    const int dims[] = {0, 1, 2};
    EXPECT_EQ(weir_def_var(file, "salt", WEIR_SHORT, 3, dims, nullptr), WEIR_OK);
    EXPECT_EQ(weir_set_alignment(file, header_free, variable_align, record_align), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    rows_ = layout_of(2 * rank_, 2);
    for (std::int64_t r = 0; r < 2; ++r) EXPECT_EQ(put_field(file, r), WEIR_OK);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
    expect_good_file(2);
    Offsets places;
    int id = -1;
    EXPECT_EQ(ncmpi_open(MPI_COMM_SELF, path().c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR);
    EXPECT_EQ(ncmpi_inq_header_size(id, &places.header), NC_NOERR);
    EXPECT_EQ(ncmpi_inq_varoffset(id, mask_, &places.mask), NC_NOERR);
    EXPECT_EQ(ncmpi_inq_varoffset(id, temp_, &places.temp), NC_NOERR);
    EXPECT_EQ(ncmpi_inq_varoffset(id, step_ + 1, &places.salt), NC_NOERR);
    EXPECT_EQ(ncmpi_inq_recsize(id, &places.record_bytes), NC_NOERR);
    EXPECT_EQ(ncmpi_close(id), NC_NOERR);
    MPI_Barrier(MPI_COMM_WORLD);
    return places;
  }
};

TEST_F(FormatTest, IsTheOldestThatHoldsTheFile) {
  start();
  EXPECT_EQ(format_of(0, WEIR_DOUBLE, 10), 1);
  EXPECT_EQ(format_of(0, WEIR_UBYTE, 10), 5);
  EXPECT_EQ(format_of(0, WEIR_INT64, 10), 5);
  EXPECT_EQ(format_of(WEIR_CDF2, WEIR_FLOAT, 10), 2);
  EXPECT_EQ(format_of(WEIR_CDF5, WEIR_CHAR, 10), 5);
  EXPECT_EQ(format_of(WEIR_CDF1, WEIR_SHORT, 10), 1);
}

TEST_F(FormatTest, PlacesItsPartsAsAsked) {
  const Offsets tight = places_of("strategy: remap\n", 0, 0, 0);
  EXPECT_EQ(tight.mask, (tight.header + 3) / 4 * 4);
  const Offsets asked = places_of("strategy: remap\n", 1000, 512, 4096);
  EXPECT_GE(asked.mask, asked.header + 1000);
  EXPECT_EQ(asked.mask % 512, 0);
  EXPECT_EQ(asked.temp % 4096, 0);
  EXPECT_EQ(asked.salt, asked.temp + 4 * 12 * ranks_);  // within a record nothing is aligned
  const Offsets configured =
      places_of("strategy: serial\nheader_free: 2KiB\nvariable_align: 1KiB\nrecord_align: 8KiB\n", 0, 0, 0);
  EXPECT_GE(configured.mask, configured.header + 2048);
  EXPECT_EQ(configured.mask % 1024, 0);
  EXPECT_EQ(configured.temp % 8192, 0);
  EXPECT_EQ(configured.record_bytes, asked.record_bytes);
}

// Sparse: only what is put takes room. The ranks put single elements at the ends and around 2^31 elements and 4 GiB.
TEST_F(FormatTest, HoldsVariablesBeyondFourGiB) {
  constexpr std::int64_t length = (1LL << 31) + 1000;
  if (!holds_sparse_files()) GTEST_SKIP() << "no room for a sparse file of 9 GB in " << folder_;
  for (const char* config :
       {"strategy: remap\n", "strategy: serial\nbuffer_limit: 8MiB\n", "strategy: collective\nsink: direct\n"}) {
    start(config);
    weir_file* file = create("large.nc");
    int time = -1, dim = -1, fixed = -1, record = -1;
    EXPECT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &time), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "n", length, &dim), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "fixed", WEIR_SHORT, 1, &dim, &fixed), WEIR_OK);
    const int dims[] = {time, dim};
    EXPECT_EQ(weir_def_var(file, "record", WEIR_BYTE, 2, dims, &record), WEIR_OK);
    EXPECT_EQ(weir_set_fill(file, WEIR_NOFILL), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    const std::vector<std::int64_t> at{0, (1LL << 31) - 1, 1LL << 31, length - 1};
    std::vector<std::int64_t> mine;
    std::vector<short> values;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (static_cast<int>(i) % ranks_ == rank_) mine.push_back(at[i]), values.push_back(static_cast<short>(i + 1));
    int layout = -1;
    EXPECT_EQ(weir_def_layout_map(weir_, 1, &length, std::ssize(mine), mine.data(), &layout), WEIR_OK)
        << weir_error(weir_);
    EXPECT_EQ(weir_put(file, fixed, 0, layout, WEIR_SHORT, values.data()), WEIR_OK) << weir_error(weir_);
    for (std::int64_t r = 0; r < 2; ++r)
      EXPECT_EQ(weir_put(file, record, r, layout, WEIR_SHORT, values.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
    expect_large(at);
  }
}

TEST_F(FormatTest, HoldsHundredsOfSmallVariables) {
  constexpr int count = 700;
  start();
  weir_file* file = create("many.nc");
  int dims[2];
  EXPECT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
  EXPECT_EQ(weir_def_dim(file, "x", 3 * ranks_, &dims[1]), WEIR_OK);
  for (int v = 0; v < count; ++v) {
    EXPECT_EQ(weir_def_var(file, ("v" + std::to_string(v)).c_str(), v % 2 ? WEIR_SHORT : WEIR_DOUBLE, 2, dims, nullptr),
              WEIR_OK);
    EXPECT_EQ(weir_put_att_text(file, v, "long_name", ("variable " + std::to_string(v)).c_str()), WEIR_OK);
  }
  EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  const std::int64_t shape = 3 * ranks_, at = 3 * rank_, three = 3;
  int layout = -1;
  EXPECT_EQ(weir_def_layout(weir_, 1, &shape, 1, &at, &three, nullptr, &layout), WEIR_OK);
  const auto value = [](int v, std::int64_t r, std::int64_t x) { return static_cast<int>(v * 10 + r * 5 + x % 5); };
  for (std::int64_t r = 0; r < 2; ++r)
    for (int v = 0; v < count; ++v) {
      const int values[] = {value(v, r, at), value(v, r, at + 1), value(v, r, at + 2)};
      ASSERT_EQ(weir_put(file, v, r, layout, WEIR_INT, values), WEIR_OK) << weir_error(weir_);
    }
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  int id = -1;
  ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path("many.nc").c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR);
  for (int v = 0; v < count; ++v) {
    std::vector<int> found(static_cast<std::size_t>(2 * shape));
    ASSERT_EQ(ncmpi_get_var_int_all(id, v, found.data()), NC_NOERR);
    for (std::int64_t i = 0; i < 2 * shape; ++i)
      ASSERT_EQ(found[static_cast<std::size_t>(i)], value(v, i / shape, i % shape));
  }
  EXPECT_EQ(ncmpi_close(id), NC_NOERR);
}

// Files by netCDF's own ncgen, by PnetCDF and by Weir: the old records stay, new ones come behind, fixed ones may
// change.
TEST_F(FormatTest, TakesRecordsBehindThoseOfOthers) {
  for (const std::string origin : {"classic", "64-bit offset", "cdf5", "PnetCDF", "Weir"}) {
    if (!make_old_file(origin)) continue;
    start("strategy: remap\nwriters: 3\n");
    weir_file* file = nullptr;
    ASSERT_EQ(weir_open(weir_, path().c_str(), WEIR_WRITE, &file), WEIR_OK) << weir_error(weir_);
    std::int64_t records = -1;
    EXPECT_EQ(weir_inq_nrecords(file, &records), WEIR_OK);
    EXPECT_EQ(records, 2) << origin;
    EXPECT_EQ(weir_inq_varid(file, "temp", &temp_), WEIR_OK);
    EXPECT_EQ(weir_inq_varid(file, "mask", &mask_), WEIR_OK);
    rows_ = layout_of(2 * rank_, 2);
    const std::vector<short> mask(12, static_cast<short>(7 + rank_));
    EXPECT_EQ(put_field(file, 2), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(put_field(file, 3), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_put(file, mask_, 0, rows_, WEIR_SHORT, mask.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
    expect_good_file(4);
    expect_mask();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace faults
