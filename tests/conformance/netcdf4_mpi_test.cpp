// ranks: 1 4
// timeout: 240
// SPDX-License-Identifier: Apache-2.0
// netCDF-4: random models in random chunks through random filters, under every strategy, on one host and on several.
// Stock netCDF reads them: nccopy makes classic files of them, and PnetCDF compares these with what the model expects.
// Also chunks of several records, in netCDF-4 and Zarr.
#include <gtest/gtest.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <weir/weir.h>

#include <cstdlib>
#include <filesystem>

#include "conformance/model_file.hpp"
#include "conformance/packed_model.hpp"

namespace conformance {
namespace {

namespace fs = std::filesystem;

struct Way {
  const char* name;
  const char* config;
  int spare;  // ranks that serve
};

constexpr Way packed_ways[] = {
    {"serial", "strategy: serial\n", 0},
    {"collective", "strategy: collective\n", 0},
    {"rows", "strategy: rows\n", 0},
    {"columns", "strategy: columns\noverlap: background\n", 0},
    {"remap", "strategy: remap\nwriters_per_host: 2\n", 0},
    {"remap_small_memory", "strategy: remap\nbuffer_limit: 1MiB\noverlap: background\n", 0},
    {"remap_hosts", "strategy: remap\ndebug.ranks_per_host: 2\ndebug.forward: messages\n", 0},
    {"dynamic", "strategy: dynamic\nwriters_per_variable: 2\noverlap: background\n", 0},
    {"dynamic_hosts", "strategy: dynamic\ndebug.ranks_per_host: 1\n", 0},
    {"dynamic_rank", "strategy: dynamic\ncontrol: rank\n", 1},
    {"servers", "strategy: servers\n", 1}};

class Netcdf4 : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (ranks_ <= GetParam().spare) GTEST_SKIP() << "a rank serves";
    path_ = fs::temp_directory_path().string() + "/model.nc";
  }

  std::string read_by_netcdf(const Model& model) const {
    const std::string classic = path_ + ".classic";
    const std::string command = "nccopy -k cdf5 '" + path_ + "' '" + classic + "'";
    if (std::system(command.c_str()) != 0) return "nccopy does not read it";
    return PnetcdfReader(classic).compare(model);
  }

  std::string path_;
  int rank_ = 0, ranks_ = 1;
};

// bundle_size: else such small variables would have one writer each, and none be cut.
TEST_P(Netcdf4, HoldsWhatWasPut) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Model model = make_model(seed * 100 + static_cast<std::uint64_t>(ranks_), ranks_ - GetParam().spare);
    // Debian's netCDF reads no zstd without a plugin; that is tried where Python reads (tests/python).
    pack(model, WEIR_NETCDF4, seed, false);
    const std::string failure =
        ModelRun(model, MPI_COMM_WORLD)
            .write(std::string(GetParam().config) + "timeout: 60\ndurability: cache\nbundle_size: 0\n", path_);
    EXPECT_EQ(failure, "") << "seed " << seed;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0 && failure.empty()) {
      EXPECT_EQ(read_by_netcdf(model), "") << "seed " << seed;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (testing::Test::HasFailure()) return;
  }
}

// Chunks of several records: what is in the file after commits in the middle of a chunk, puts of committed and of
// uncommitted records again, missing records, new definitions, and another run that adds records to a chunk.
class SeveralRecords {
 public:
  struct Case {
    int mode;
    std::int64_t chunk_records, records, sync_after;  // records between commits; 0: none
    bool packed;
  };
  SeveralRecords(const Case& what, std::string path, int spare) : what_(what), path_(std::move(path)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    ranks_ -= spare;
  }

  std::string write(const std::string& config) {
    return run(config, [this] {
      must(weir_create(weir_, path_.c_str(), what_.mode, &file_), weir_);
      define();
      for (std::int64_t record = 0; record < what_.records; ++record) {
        put_record(record, 0);
        if (record == what_.chunk_records + 1) put_field(temp_, record, 1);
        if (what_.sync_after > 0 && (record + 1) % what_.sync_after == 0) must(weir_sync(file_), weir_);
      }
      put_field(temp_, 0, 2);  // committed, or packed and not yet committed
      must(weir_redef(file_), weir_);
      must(weir_put_att_text(file_, temp_, "units", "K"), weir_);
      must(weir_enddef(file_), weir_);
      put_record(what_.records, 0);
    });
  }
  std::string append(const std::string& config) {
    return run(config, [this] {
      must(weir_open(weir_, path_.c_str(), WEIR_WRITE, &file_), weir_);
      for (std::int64_t record = what_.records + 1; record < all(); ++record) put_record(record, 0);
      put_field(temp_, what_.records, 3);
    });
  }
  // By Weir, on each rank alone.
  std::string read(const std::string& path, const char* config) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (weir_init(MPI_COMM_SELF, config, &comm, &weir_) != WEIR_OK) return weir_init_error();
    std::string failure;
    try {
      must(weir_open(weir_, path.c_str(), WEIR_NOWRITE, &file_), weir_);
      std::int64_t records = 0;
      must(weir_inq_nrecords(file_, &records), weir_);
      if (records != all()) throw std::to_string(records) + " records";
      for (std::int64_t record = 0; record < all(); ++record) compare(record);
      must(weir_close(file_), weir_);
    } catch (const std::string& sentence) {
      failure = sentence;
    }
    weir_finalize(&weir_);
    MPI_Comm_free(&comm);
    return failure;
  }

 private:
  static constexpr std::int64_t ny_ = 13, nx_ = 10;
  std::int64_t all() const { return what_.records + 4; }

  template <class Act>
  std::string run(const std::string& config, Act act) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (weir_init(MPI_COMM_WORLD, config.c_str(), &comm, &weir_) != WEIR_OK) return weir_init_error();
    if (!weir_) return "";  // this rank has served
    std::string failure;
    try {
      const std::int64_t shape[] = {ny_, nx_}, first = ny_ * rank_ / ranks_, start[] = {first, 0};
      const std::int64_t count[] = {ny_ * (rank_ + 1) / ranks_ - first, nx_};
      must(weir_def_layout(weir_, 2, shape, 1, start, count, nullptr, &rows_), weir_);
      first_ = first, rows_here_ = count[0];
      act();
      must(weir_close(file_), weir_);
    } catch (const std::string& sentence) {
      failure = sentence;
    }
    weir_finalize(&weir_);
    MPI_Comm_free(&comm);
    return failure;
  }

  void define() {
    int dims[3];
    must(weir_def_dim(file_, "time", WEIR_UNLIMITED, &dims[0]), weir_);
    must(weir_def_dim(file_, "y", ny_, &dims[1]), weir_);
    must(weir_def_dim(file_, "x", nx_, &dims[2]), weir_);
    const std::int64_t small[] = {what_.chunk_records, 4, 3}, whole[] = {what_.chunk_records, ny_, nx_};
    must(weir_def_var(file_, "temp", WEIR_FLOAT, 3, dims, &temp_), weir_);
    must(weir_def_var_chunking(file_, temp_, WEIR_CHUNKED, small), weir_);
    if (what_.packed) must(weir_def_var_deflate(file_, temp_, 1, 1, 1), weir_);
    if (what_.packed) must(weir_def_var_fletcher32(file_, temp_, 1), weir_);
    must(weir_def_var(file_, "salt", WEIR_SHORT, 3, dims, &salt_), weir_);
    must(weir_def_var_chunking(file_, salt_, WEIR_CHUNKED, whole), weir_);
    must(weir_def_var(file_, "time", WEIR_DOUBLE, 1, dims, &time_), weir_);
    must(weir_def_var_chunking(file_, time_, WEIR_CHUNKED, small), weir_);
    must(weir_enddef(file_), weir_);
  }

  static double value(std::int64_t record, std::int64_t element, int version) {
    return static_cast<double>((record * 131 + element * 7 + version * 1000) % 30000);
  }
  void put_field(int var, std::int64_t record, int version) {
    std::vector<double> values;
    for (std::int64_t i = first_ * nx_; i < (first_ + rows_here_) * nx_; ++i)
      values.push_back(value(record, i, version));
    must(weir_put(file_, var, record, rows_, WEIR_DOUBLE, values.data()), weir_);
  }
  static bool has_salt(std::int64_t record) { return record % 4 != 2; }
  void put_record(std::int64_t record, int version) {
    put_field(temp_, record, version);
    if (has_salt(record)) put_field(salt_, record, version);
    const double time = value(record, 0, 0);
    must(weir_put_var(file_, time_, record, WEIR_DOUBLE, &time), weir_);
  }

  int version_of(std::int64_t record) const {
    if (record == 0) return 2;
    if (record == what_.records) return 3;
    return record == what_.chunk_records + 1 && record < what_.records ? 1 : 0;
  }
  void compare(std::int64_t record) {
    std::vector<double> values(static_cast<std::size_t>(ny_ * nx_));
    const std::int64_t start[] = {record, 0, 0}, count[] = {1, ny_, nx_};
    for (const char* name : {"temp", "salt", "time"}) {
      int var = -1;
      must(weir_inq_varid(file_, name, &var), weir_);
      must(weir_get_vara(file_, var, start, count, WEIR_DOUBLE, values.data()), weir_);
      const bool salt = *name == 's', is_time = name[1] == 'i';
      const int version = salt || is_time ? 0 : version_of(record);
      for (std::int64_t i = 0; i < (is_time ? 1 : ny_ * nx_); ++i) {
        const double wanted = salt && !has_salt(record) ? -32767.0 : value(record, i, version);
        if (values[static_cast<std::size_t>(i)] != wanted)
          throw std::string(name) + ", record " + std::to_string(record) + ", element " + std::to_string(i) + ": " +
              std::to_string(values[static_cast<std::size_t>(i)]) + " instead of " + std::to_string(wanted);
      }
    }
  }

  Case what_;
  std::string path_;
  int rank_ = 0, ranks_ = 1;
  weir_t* weir_ = nullptr;
  weir_file* file_ = nullptr;
  int rows_ = -1, temp_ = 0, salt_ = 1, time_ = 2;
  std::int64_t first_ = 0, rows_here_ = 0;
};

TEST_P(Netcdf4, HoldsChunksOfSeveralRecords) {
  constexpr SeveralRecords::Case cases[] = {{WEIR_NETCDF4, 2, 7, 0, true},   {WEIR_NETCDF4, 5, 5, 2, false},
                                            {WEIR_NETCDF4, 24, 30, 7, true}, {WEIR_NETCDF4, 5, 13, 1, true},
                                            {WEIR_ZARR, 2, 7, 0, true},      {WEIR_ZARR, 5, 13, 3, false},
                                            {WEIR_ZARR, 24, 47, 10, true}};
  int number = 0;
  for (const SeveralRecords::Case& what : cases) {
    const bool zarr = what.mode == WEIR_ZARR;
    const std::string path = path_ + "." + std::to_string(++number) + (zarr ? ".zarr" : ".nc");
    const std::string common = "timeout: 60\ndurability: cache\nbundle_size: 0\n";
    SeveralRecords several(what, path, GetParam().spare);
    ASSERT_EQ(several.write(GetParam().config + common), "") << "case " << number;
    SeveralRecords more(what, path, 0);
    ASSERT_EQ(more.append((number % 2 == 0 ? "strategy: dynamic\n" : "strategy: remap\n") + common), "")
        << "case " << number;
    EXPECT_EQ(more.read(path, "strategy: serial\ntuned: none\n"), "") << "case " << number;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0 && !zarr) {
      const std::string command = "nccopy -k cdf5 '" + path + "' '" + path + ".classic'";
      ASSERT_EQ(std::system(command.c_str()), 0);
      EXPECT_EQ(more.read(path + ".classic", "strategy: serial\ntuned: none\n"), "") << "case " << number;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWay, Netcdf4, testing::ValuesIn(packed_ways),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace conformance
