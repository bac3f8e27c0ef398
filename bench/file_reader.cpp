// SPDX-License-Identifier: Apache-2.0
#include "file_reader.hpp"

#include <netcdf.h>
#include <pnetcdf.h>

#include <array>
#include <fstream>

#include "base/text.hpp"
#include "check.hpp"
#include "mpi/comm.hpp"
#include "peers/netcdf_file.hpp"

namespace weir::bench {
namespace {

class PnetcdfFileReader final : public FileReader {
 public:
  explicit PnetcdfFileReader(const std::string& path) {
    check_pnetcdf(ncmpi_open(MPI_COMM_SELF, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &id_),
                  formatted("reading back {}", path));
    check_pnetcdf(ncmpi_begin_indep_data(id_), "ncmpi_begin_indep_data");
  }
  ~PnetcdfFileReader() override { ncmpi_close(id_); }

  int variables() override {
    int count = 0;
    check_pnetcdf(ncmpi_inq_nvars(id_, &count), "ncmpi_inq_nvars");
    return count;
  }

  std::int64_t dimension(const std::string& name) override {
    int dim = 0;
    MPI_Offset length = 0;
    check_pnetcdf(ncmpi_inq_dimid(id_, name.c_str(), &dim), formatted("dimension {}", name));
    check_pnetcdf(ncmpi_inq_dimlen(id_, dim, &length), formatted("dimension {}", name));
    return length;
  }

  int variable_number(const std::string& name) override {
    int number = 0;
    check_pnetcdf(ncmpi_inq_varid(id_, name.c_str(), &number), formatted("variable {}", name));
    return number;
  }

  VariableSeen variable(int number) override {
    nc_type type = NC_NAT;
    int ndims = 0;
    std::array<int, NC_MAX_VAR_DIMS> dims{};
    check_pnetcdf(ncmpi_inq_var(id_, number, nullptr, &type, &ndims, dims.data(), nullptr), "ncmpi_inq_var");
    VariableSeen seen{static_cast<weir_type>(type), {}};
    for (int i = 0; i < ndims; ++i) {
      std::array<char, NC_MAX_NAME + 1> name{};
      check_pnetcdf(ncmpi_inq_dimname(id_, dims[i], name.data()), "ncmpi_inq_dimname");
      seen.dimensions.emplace_back(name.data());
    }
    return seen;
  }

  Attribute attribute(int number, const Attribute& like) override {
    nc_type type = NC_NAT;
    MPI_Offset count = 0;
    check_pnetcdf(ncmpi_inq_att(id_, number, like.name.c_str(), &type, &count), formatted("attribute {}", like.name));
    Attribute seen{like.name, static_cast<weir_type>(type), count, {}};
    seen.values.resize(count * type_bytes(seen.type));
    check_pnetcdf(ncmpi_get_att(id_, number, like.name.c_str(), seen.values.data()),
                  formatted("attribute {}", like.name));
    return seen;
  }

  void get(int number, const Extents& start, const Extents& count, std::byte* values) override {
    const std::vector<MPI_Offset> first(start.begin(), start.end());
    const std::vector<MPI_Offset> extent(count.begin(), count.end());
    check_pnetcdf(ncmpi_get_vara(id_, number, first.data(), extent.data(), values, product(count),
                                 mpi_type(variable(number).type)),
                  "ncmpi_get_vara");
  }

 private:
  int id_ = -1;
};

class NetcdfFileReader final : public FileReader {
 public:
  explicit NetcdfFileReader(const std::string& path) {
    let_netcdf_use_zstd();
    check_netcdf(nc_open(path.c_str(), NC_NOWRITE, &id_), formatted("reading back {}", path));
  }
  ~NetcdfFileReader() override { nc_close(id_); }

  int variables() override {
    int count = 0;
    check_netcdf(nc_inq_nvars(id_, &count), "nc_inq_nvars");
    return count;
  }

  std::int64_t dimension(const std::string& name) override {
    int dim = 0;
    std::size_t length = 0;
    check_netcdf(nc_inq_dimid(id_, name.c_str(), &dim), formatted("dimension {}", name));
    check_netcdf(nc_inq_dimlen(id_, dim, &length), formatted("dimension {}", name));
    return static_cast<std::int64_t>(length);
  }

  int variable_number(const std::string& name) override {
    int number = 0;
    check_netcdf(nc_inq_varid(id_, name.c_str(), &number), formatted("variable {}", name));
    return number;
  }

  VariableSeen variable(int number) override {
    nc_type type = NC_NAT;
    int ndims = 0;
    std::array<int, NC_MAX_VAR_DIMS> dims{};
    check_netcdf(nc_inq_var(id_, number, nullptr, &type, &ndims, dims.data(), nullptr), "nc_inq_var");
    VariableSeen seen{static_cast<weir_type>(type), {}};
    for (int i = 0; i < ndims; ++i) {
      std::array<char, NC_MAX_NAME + 1> name{};
      check_netcdf(nc_inq_dimname(id_, dims[i], name.data()), "nc_inq_dimname");
      seen.dimensions.emplace_back(name.data());
    }
    return seen;
  }

  Attribute attribute(int number, const Attribute& like) override {
    nc_type type = NC_NAT;
    std::size_t count = 0;
    check_netcdf(nc_inq_att(id_, number, like.name.c_str(), &type, &count), formatted("attribute {}", like.name));
    Attribute seen{like.name, static_cast<weir_type>(type), static_cast<std::int64_t>(count), {}};
    seen.values.resize(count * type_bytes(seen.type));
    check_netcdf(nc_get_att(id_, number, like.name.c_str(), seen.values.data()), formatted("attribute {}", like.name));
    return seen;
  }

  void get(int number, const Extents& start, const Extents& count, std::byte* values) override {
    const std::vector<std::size_t> first(start.begin(), start.end());
    const std::vector<std::size_t> extent(count.begin(), count.end());
    check_netcdf(nc_get_vara(id_, number, first.data(), extent.data(), values), "nc_get_vara");
  }

 private:
  int id_ = -1;
};

bool is_hdf5(const std::string& path) {
  std::array<char, 4> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return magic == std::array<char, 4>{'\x89', 'H', 'D', 'F'};
}

}  // namespace

std::unique_ptr<FileReader> open_reader(const std::string& path) {
  if (is_hdf5(path)) return std::make_unique<NetcdfFileReader>(path);
  return std::make_unique<PnetcdfFileReader>(path);
}

}  // namespace weir::bench
