// SPDX-License-Identifier: Apache-2.0
// packed_models FOLDER CONFIG SEEDS SERVING: writes random models, each as CDF-5 (FOLDER/SEED.nc), as netCDF-4
// (SEED.nc4) and as Zarr (SEED.zarr), for tests/python/test_zarr.py, which compares them; and large.zarr, whose chunks
// are larger than what a compressor takes at once. SERVING: ranks that the strategy takes for itself.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "conformance/model_file.hpp"
#include "conformance/packed_model.hpp"

namespace conformance {
namespace {

struct Format {
  const char* ending;
  int mode;
};
constexpr Format formats[] = {{".nc", WEIR_CDF5}, {".nc4", WEIR_NETCDF4}, {".zarr", WEIR_ZARR}};

std::string write_all(const std::string& folder, const std::string& config, std::uint64_t seed, int model_ranks) {
  for (const Format& format : formats) {
    Model model = make_model(seed * 100 + static_cast<std::uint64_t>(model_ranks), model_ranks);
    model.fill = WEIR_FILL;  // else the files may differ in what nobody put
    if (format.mode == WEIR_CDF5) {
      model.mode = WEIR_CDF5;
    } else {
      pack(model, format.mode, seed, format.mode == WEIR_ZARR);
    }
    const std::string path = folder + "/" + std::to_string(seed) + format.ending;
    const std::string failure = ModelRun(model, MPI_COMM_WORLD).write(config, path);
    if (!failure.empty()) return path + ": " + failure;
  }
  return "";
}

// 1 million numbers in two chunks: blosc's with zlib and with zstd.
std::string write_large(const std::string& folder) try {
  constexpr std::int64_t length = 1000000, chunk = 600000;
  weir_t* weir = nullptr;
  weir_file* file = nullptr;
  MPI_Comm model = MPI_COMM_NULL;
  int dim = -1, zlib = -1, zstd = -1;
  if (weir_init(MPI_COMM_WORLD, "durability: cache\n", &model, &weir) != WEIR_OK) return weir_init_error();
  must(weir_create(weir, (folder + "/large.zarr").c_str(), WEIR_ZARR, &file), weir);
  must(weir_def_dim(file, "x", length, &dim), weir);
  for (int* var : {&zlib, &zstd}) {
    must(weir_def_var(file, var == &zlib ? "zlib" : "zstd", WEIR_DOUBLE, 1, &dim, var), weir);
    must(weir_def_var_chunking(file, *var, WEIR_CHUNKED, &chunk), weir);
    must(weir_def_var_deflate(file, *var, 1, var == &zlib ? 1 : 0, 1), weir);
  }
  must(weir_def_var_zstd(file, zstd, 1), weir);
  must(weir_enddef(file), weir);
  std::vector<double> values(length);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i) / 1000);
  for (const int var : {zlib, zstd}) must(weir_put_var(file, var, 0, WEIR_DOUBLE, values.data()), weir);
  must(weir_close(file), weir);
  must(weir_finalize(&weir), weir);
  MPI_Comm_free(&model);
  return "";
} catch (const std::string& failure) {
  return failure;
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::string failure;
  for (std::uint64_t seed = 1; seed <= std::strtoull(argv[3], nullptr, 10) && failure.empty(); ++seed)
    failure = conformance::write_all(argv[1], argv[2], seed, ranks - std::atoi(argv[4]));
  if (failure.empty()) failure = conformance::write_large(argv[1]);
  if (!failure.empty()) std::fprintf(stderr, "%s\n", failure.c_str());
  MPI_Finalize();
  return failure.empty() ? 0 : 1;
}
