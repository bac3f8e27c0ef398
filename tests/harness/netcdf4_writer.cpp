// SPDX-License-Identifier: Apache-2.0
// As a model does that writes by parallel netCDF-4: collective puts, nc_sync where it wants its data safe.
#include <netcdf.h>
#include <netcdf_par.h>

#include <map>

#include "writer.hpp"

namespace harness {
namespace {

class Netcdf4Writer final : public Writer {
 public:
  using Writer::Writer;

  int create(int file, int generation) override {
    const int code =
        nc_create_par(plan_.path(file).c_str(), NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &files_[file]);
    return code != NC_NOERR ? (files_.erase(file), code) : define(files_[file], generation);
  }
  int open(int file, int) override {
    const int code = nc_open_par(plan_.path(file).c_str(), NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &files_[file]);
    return code != NC_NOERR ? (files_.erase(file), code) : write_together(files_[file]);
  }
  int put(const RecordKey& place) override {
    const Variable& variable = variables[static_cast<std::size_t>(place.var)];
    Box box = variable.ndims == 0 ? Box{} : plan_.box(place.var, rank_, ranks_);
    const std::vector<std::int64_t> one{0};
    const std::vector<double> own =
        values<double>(place, variable.ndims == 0 ? one : plan_.owned(place.var, rank_, ranks_));
    if (variable.record) {
      box.start.insert(box.start.begin(), place.record);
      box.count.insert(box.count.begin(), 1);
    }
    const std::vector<std::size_t> start(box.start.begin(), box.start.end()), count(box.count.begin(), box.count.end());
    return nc_put_vara_double(files_.at(place.file), place.var, start.data(), count.data(), own.data());
  }
  int sync(int file) override { return nc_sync(files_.at(file)); }
  int close(int file) override {
    const int closing = files_.at(file);
    files_.erase(file);
    return nc_close(closing);
  }
  bool is_open(int file) const override { return files_.contains(file); }
  std::string sentence(int code) const override { return nc_strerror(code); }

 private:
  int define(int made, int generation) const {
    const char* const names[] = {"time", "z", "y", "x"};
    int dims[4], code = nc_def_dim(made, names[0], NC_UNLIMITED, &dims[0]);
    for (std::size_t d = 1; d < 4 && code == NC_NOERR; ++d)
      code = nc_def_dim(made, names[d], plan_["shape"][d - 1].get<std::size_t>(), &dims[d]);
    for (const Variable& v : variables) {
      std::vector<int> of(dims + 4 - v.ndims, dims + 4);
      if (v.record) of.insert(of.begin(), dims[0]);
      int var = -1;
      if (code == NC_NOERR)
        code = nc_def_var(made, v.name, static_cast<int>(v.type), static_cast<int>(of.size()), of.data(), &var);
    }
    if (code == NC_NOERR) code = nc_put_att_int(made, NC_GLOBAL, "generation", NC_INT, 1, &generation);
    if (code == NC_NOERR) code = nc_enddef(made);
    return code == NC_NOERR ? write_together(made) : code;
  }
  static int write_together(int file) {
    int code = NC_NOERR;
    for (std::size_t v = 0; v < variables.size() && code == NC_NOERR; ++v)
      code = nc_var_par_access(file, static_cast<int>(v), NC_COLLECTIVE);
    return code;
  }

  std::map<int, int> files_;
};

}  // namespace

std::unique_ptr<Writer> make_netcdf4_writer(const Plan& plan) {
  return std::make_unique<Netcdf4Writer>(plan);
}

}  // namespace harness
