// SPDX-License-Identifier: Apache-2.0
#include "peers/netcdf_file.hpp"

#include <netcdf.h>
#include <netcdf_filter.h>

#include <algorithm>

#include "base/text.hpp"
#include "check.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "schema/storage.hpp"
#ifdef WEIR_BENCH_HDF5
#include "formats/netcdf4/hdf5/zstd.hpp"
#endif

namespace weir::bench {
namespace {

void put_netcdf_attributes(int file, int variable, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) {
    check_netcdf(
        nc_put_att(file, variable, attribute.name.c_str(), attribute.type, attribute.count, attribute.values.data()),
        formatted("nc_put_att {}", attribute.name));
  }
}

std::vector<std::size_t> chunk_of(const Workload& work, const Variable& variable, const NetcdfPacking& packing) {
  const bool by_part = packing.chunks == "part" && work.part(variable);
  const Extents lengths =
      by_part ? packing.parts[variable.decomposition] : default_chunk(work.shape(variable), type_bytes(variable.type));
  std::vector<std::size_t> chunk(lengths.begin(), lengths.end());
  if (variable.record) chunk.insert(chunk.begin(), 1);
  return chunk;
}

void pack(int id, int number, const Workload& work, const Variable& variable, const NetcdfPacking& packing) {
  if (packing.chunks != "netcdf") {
    const std::vector<std::size_t> chunk = chunk_of(work, variable, packing);
    check_netcdf(nc_def_var_chunking(id, number, NC_CHUNKED, chunk.data()), formatted("chunks of {}", variable.name));
  }
  if (packing.compression == "zlib")
    check_netcdf(nc_def_var_deflate(id, number, 1, 1, packing.level), formatted("deflate of {}", variable.name));
  if (packing.compression != "zstd") return;
  let_netcdf_use_zstd();
  const auto level = static_cast<unsigned>(packing.level);
  check_netcdf(nc_def_var_deflate(id, number, 1, 0, 0), formatted("shuffle of {}", variable.name));
  check_netcdf(nc_def_var_filter(id, number, zstd_filter, 1, &level), formatted("zstd of {}", variable.name));
}

}  // namespace

NetcdfPacking NetcdfPacking::take(PeerSettings& settings, const Workload& work, MPI_Comm comm) {
  NetcdfPacking packing;
  const auto word = [&](const std::string& key, std::string& value, std::vector<std::string> known) {
    value = settings.take(key).value_or(value);
    if (std::find(known.begin(), known.end(), value) == known.end())
      throw BenchError(formatted("setting {}={}: give one of those that bench/README.md lists", key, value));
  };
  word("compression", packing.compression, {"none", "zlib", "zstd"});
  word("chunks", packing.chunks, {"netcdf", "weir", "part"});
  if (const auto level = settings.take("compression_level")) {
    const auto number = parse_whole(*level);
    if (!number) throw BenchError(formatted("setting compression_level={}: give a whole number", *level));
    packing.level = static_cast<int>(*number);
  }
  if (packing.chunks != "part") return packing;
  for (const Decomposition& part : work.decompositions) {
    packing.parts.push_back(part.is_map ? Extents(part.shape.size(), 0) : part.count);
    Extents& lengths = packing.parts.back();
    check_mpi(MPI_Bcast(lengths.data(), static_cast<int>(lengths.size()), MPI_INT64_T, 0, comm), "MPI_Bcast");
    if (product(lengths) == 0) throw BenchError("chunks=part: rank 0 has no box of each decomposition");
  }
  return packing;
}

void let_netcdf_use_zstd() {
#ifdef WEIR_BENCH_HDF5
  register_zstd();
#endif
}

NetcdfFile define_netcdf_file(int id, const Workload& work, const std::optional<NetcdfPacking>& packing) {
  NetcdfFile file{id, {}};
  int before = 0;
  check_netcdf(nc_set_fill(id, NC_NOFILL, &before), "nc_set_fill");
  std::vector<int> dimensions;
  for (const Dimension& dimension : work.dimensions) {
    dimensions.push_back(0);
    const std::size_t length = dimension.length == 0 ? NC_UNLIMITED : dimension.length;
    check_netcdf(nc_def_dim(id, dimension.name.c_str(), length, &dimensions.back()),
                 formatted("nc_def_dim {}", dimension.name));
  }
  for (const Variable& variable : work.variables) {
    std::vector<int> dims;
    for (const int dim : variable.dims) dims.push_back(dimensions[dim]);
    file.variables.push_back(0);
    check_netcdf(nc_def_var(id, variable.name.c_str(), variable.type, static_cast<int>(dims.size()), dims.data(),
                            &file.variables.back()),
                 formatted("nc_def_var {}", variable.name));
    if (packing && !dims.empty()) pack(id, file.variables.back(), work, variable, *packing);
    put_netcdf_attributes(id, file.variables.back(), variable.attributes);
  }
  put_netcdf_attributes(id, NC_GLOBAL, work.attributes);
  check_netcdf(nc_enddef(id), "nc_enddef");
  return file;
}

}  // namespace weir::bench
