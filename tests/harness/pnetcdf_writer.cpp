// SPDX-License-Identifier: Apache-2.0
// As a model does that writes by PnetCDF: collective puts, ncmpi_sync where it wants its data safe.
#include <pnetcdf.h>

#include <map>

#include "writer.hpp"

namespace harness {
namespace {

class PnetcdfWriter final : public Writer {
 public:
  using Writer::Writer;

  int create(int file, int generation) override {
    const int format = plan_["format"].get<int>();
    const int mode = NC_CLOBBER | (format == 5 ? NC_64BIT_DATA : format == 2 ? NC_64BIT_OFFSET : 0);
    const int code = ncmpi_create(MPI_COMM_WORLD, plan_.path(file).c_str(), mode, MPI_INFO_NULL, &files_[file]);
    return code != NC_NOERR ? (files_.erase(file), code) : define(files_[file], generation);
  }
  int open(int file, int) override {
    const int code = ncmpi_open(MPI_COMM_WORLD, plan_.path(file).c_str(), NC_WRITE, MPI_INFO_NULL, &files_[file]);
    if (code != NC_NOERR) files_.erase(file);
    return code;
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
    const std::vector<MPI_Offset> start(box.start.begin(), box.start.end()), count(box.count.begin(), box.count.end());
    return ncmpi_put_vara_double_all(files_.at(place.file), place.var, start.data(), count.data(), own.data());
  }
  int sync(int file) override { return ncmpi_sync(files_.at(file)); }
  int close(int file) override {
    const int closing = files_.at(file);
    files_.erase(file);
    return ncmpi_close(closing);
  }
  bool is_open(int file) const override { return files_.contains(file); }
  std::string sentence(int code) const override { return ncmpi_strerror(code); }

 private:
  int define(int made, int generation) const {
    const char* const names[] = {"time", "z", "y", "x"};
    int dims[4], code = ncmpi_def_dim(made, names[0], NC_UNLIMITED, &dims[0]);
    for (std::size_t d = 1; d < 4 && code == NC_NOERR; ++d)
      code = ncmpi_def_dim(made, names[d], plan_["shape"][d - 1].get<std::int64_t>(), &dims[d]);
    for (const Variable& v : variables) {
      std::vector<int> of(dims + 4 - v.ndims, dims + 4);
      if (v.record) of.insert(of.begin(), dims[0]);
      int var = -1;
      if (code == NC_NOERR)
        code = ncmpi_def_var(made, v.name, static_cast<int>(v.type), static_cast<int>(of.size()), of.data(), &var);
    }
    if (code == NC_NOERR) code = ncmpi_put_att_int(made, NC_GLOBAL, "generation", NC_INT, 1, &generation);
    return code == NC_NOERR ? ncmpi_enddef(made) : code;
  }

  std::map<int, int> files_;
};

}  // namespace

std::unique_ptr<Writer> make_pnetcdf_writer(const Plan& plan) {
  return std::make_unique<PnetcdfWriter>(plan);
}

}  // namespace harness
