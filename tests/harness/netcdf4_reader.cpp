// SPDX-License-Identifier: Apache-2.0
#include <netcdf.h>

#include <memory>
#include <numeric>

#include "reader.hpp"

namespace harness {
namespace {

void check(int code, const std::string& what) {
  if (code != NC_NOERR) throw Wrong(what + ": " + nc_strerror(code));
}

class Netcdf4 final : public Reading {
 public:
  Netcdf4(const Plan& plan, const std::string& path) : plan_(plan) {
    check(nc_open(path.c_str(), NC_NOWRITE, &file_), "nc_open");
  }
  ~Netcdf4() override { nc_close(file_); }

  Found head() override {
    Found found{-1, 0, 0};
    int time = -1;
    std::size_t records = 0;
    check(nc_get_att_int(file_, NC_GLOBAL, "generation", &found.generation), "attribute generation");
    check(nc_inq_unlimdim(file_, &time), "nc_inq_unlimdim");
    check(nc_inq_dimlen(file_, time, &records), "nc_inq_dimlen");
    found.records = static_cast<std::int64_t>(records);
    return found;
  }

  std::vector<double> values(int var, std::int64_t record, std::vector<std::int64_t>& elements) override {
    const Variable& variable = variables[static_cast<std::size_t>(var)];
    int here = -1;
    check(nc_inq_varid(file_, variable.name, &here), variable.name);
    const std::vector<std::int64_t> shape = plan_.shape(var);
    std::vector<std::size_t> start(shape.size(), 0), count(shape.begin(), shape.end());
    if (variable.record) start.insert(start.begin(), static_cast<std::size_t>(record)), count.insert(count.begin(), 1);
    elements.resize(static_cast<std::size_t>(plan_.elements(var)));
    std::iota(elements.begin(), elements.end(), 0);
    std::vector<double> found(elements.size());
    check(nc_get_vara_double(file_, here, start.data(), count.data(), found.data()), variable.name);
    return found;
  }

 private:
  const Plan& plan_;
  int file_ = -1;
};

}  // namespace

std::unique_ptr<Reading> read_netcdf4(const Plan& plan, const std::string& path) {
  return std::make_unique<Netcdf4>(plan, path);
}

}  // namespace harness
