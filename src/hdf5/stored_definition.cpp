// SPDX-License-Identifier: Apache-2.0
// Reads the definitions of a netCDF-4 file into Weir's data model, which is that of the classic formats: one dimension
// has records and is the first of its variables. Other unlimited dimensions are as long as they are.
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "hdf5/handle.hpp"
#include "hdf5/tables.hpp"

namespace weir {

namespace {

class StoredDefinition {
 public:
  explicit StoredDefinition(const std::string& path) : path_(path) {
    const int result = nc_open(path.c_str(), NC_NOWRITE, &id_);
    if (result == NC_NOERR) return;
    id_ = -1;
    throw Error(result == NC_ENOMEM ? WEIR_EMEMORY : WEIR_EFORMAT, "netCDF does not open the netCDF-4/HDF5 file " +
                                                                       in_quotes(path) + ": " + nc_strerror(result) +
                                                                       open_trouble(path) + "; restore the file");
  }
  ~StoredDefinition() {
    if (id_ >= 0) static_cast<void>(nc_close(id_));
  }
  StoredDefinition(const StoredDefinition&) = delete;
  StoredDefinition& operator=(const StoredDefinition&) = delete;

  StoredTables read() {
    leave_out_groups();
    find_variables();
    read_dimensions();
    add_attributes(NC_GLOBAL, WEIR_GLOBAL);
    for (const int number : numbers_) add_variable(number);
    return std::move(tables_);
  }

 private:
  struct Length {
    std::int64_t now;
    bool unlimited;
    int in_schema;  // -1: left out
  };

  void check(int result, const std::string& what) const {
    require(result == NC_NOERR, WEIR_EFORMAT,
            [&] { return "netCDF does not read " + what + " of " + in_quotes(path_) + ": " + nc_strerror(result); });
  }

  void leave_out_groups() {
    int count = 0;
    check(nc_inq_grps(id_, &count, nullptr), "the groups");
    std::vector<int> groups(static_cast<std::size_t>(count));
    check(nc_inq_grps(id_, &count, groups.data()), "the groups");
    for (const int group : groups) {
      std::array<char, NC_MAX_NAME + 1> name{};
      check(nc_inq_grpname(group, name.data()), "a group");
      tables_.left_out.emplace_back(name.data(), "it is a group, and Weir reads the root group");
    }
  }

  void find_variables() {
    int count = 0;
    check(nc_inq_varids(id_, &count, nullptr), "the variables");
    numbers_.resize(static_cast<std::size_t>(count));
    check(nc_inq_varids(id_, &count, numbers_.data()), "the variables");
  }

  std::vector<int> dims_of(int number) const {
    int ndims = 0;
    check(nc_inq_varndims(id_, number, &ndims), "a variable");
    std::vector<int> dims(static_cast<std::size_t>(ndims));
    check(nc_inq_vardimid(id_, number, dims.data()), "a variable");
    return dims;
  }

  // The unlimited dimension whose elements are records: the first one that some variable has as its first, and none has
  // elsewhere, and of these rather one that has any.
  int record_dimension() const {
    std::map<int, bool> fits;
    for (const int number : numbers_) {
      const std::vector<int> dims = dims_of(number);
      for (std::size_t d = 0; d < dims.size(); ++d)
        fits[dims[d]] = d == 0 && (!fits.contains(dims[d]) || fits.at(dims[d]));
    }
    int found = -1, best = 0;
    for (const auto& [dim, length] : lengths_) {
      if (!length.unlimited || (fits.contains(dim) && !fits.at(dim))) continue;
      const int worth = 1 + (fits.contains(dim) ? 2 : 0) + (length.now > 0 ? 1 : 0);
      if (worth > best) found = dim, best = worth;
    }
    return found;
  }

  void read_dimensions() {
    int count = 0, unlimited = 0;
    check(nc_inq_dimids(id_, &count, nullptr, 0), "the dimensions");
    std::vector<int> dims(static_cast<std::size_t>(count));
    check(nc_inq_dimids(id_, &count, dims.data(), 0), "the dimensions");
    check(nc_inq_unlimdims(id_, &unlimited, nullptr), "the dimensions");
    std::vector<int> growing(static_cast<std::size_t>(unlimited));
    check(nc_inq_unlimdims(id_, &unlimited, growing.data()), "the dimensions");
    for (const int dim : dims) {
      std::size_t length = 0;
      check(nc_inq_dimlen(id_, dim, &length), "a dimension");
      const bool grows = std::find(growing.begin(), growing.end(), dim) != growing.end();
      lengths_[dim] = {static_cast<std::int64_t>(length), grows, -1};
    }
    const int record = record_dimension();
    for (const int dim : dims) {
      Length& length = lengths_.at(dim);
      if (dim == record) tables_.records = length.now;
      if (dim != record && length.now == 0) continue;  // it would be taken for the record dimension
      std::array<char, NC_MAX_NAME + 1> name{};
      check(nc_inq_dimname(id_, dim, name.data()), "a dimension");
      length.in_schema = tables_.schema.add_dimension(name.data(), dim == record ? WEIR_UNLIMITED : length.now);
    }
  }

  void add_variable(int number) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = 0;
    check(nc_inq_varname(id_, number, name.data()), "a variable");
    check(nc_inq_vartype(id_, number, &type), "a variable");
    std::vector<int> dims = dims_of(number);
    std::string reason;
    if (type == NC_STRING) reason = "its elements are strings, which Weir does not read";
    if (type > NC_STRING) reason = "its elements are of a type that the file defines, which Weir does not read";
    for (int& dim : dims) {
      dim = lengths_.at(dim).in_schema;
      if (dim < 0) reason = "it has no elements along a dimension that is not that of the records";
    }
    if (!reason.empty()) {
      tables_.left_out.emplace_back(name.data(), reason);
      return;
    }
    const int var = tables_.schema.add_variable(name.data(), static_cast<Type>(type), dims);
    add_attributes(number, var);
  }

  void add_attributes(int number, int var) {
    int count = 0;
    check(number == NC_GLOBAL ? nc_inq_natts(id_, &count) : nc_inq_varnatts(id_, number, &count), "the attributes");
    for (int a = 0; a < count; ++a) {
      std::array<char, NC_MAX_NAME + 1> name{};
      nc_type type = 0;
      std::size_t length = 0;
      check(nc_inq_attname(id_, number, a, name.data()), "an attribute");
      const std::string what = "the attribute " + in_quotes(name.data());
      check(nc_inq_att(id_, number, name.data(), &type, &length), what);
      if (type == NC_STRING && length == 1) add_text(number, var, name.data());
      if (type >= NC_STRING) continue;
      std::vector<std::byte> values(
          std::max<std::size_t>(1, length * static_cast<std::size_t>(type_bytes(static_cast<Type>(type)))));
      check(nc_get_att(id_, number, name.data(), values.data()), what);
      tables_.schema.put_attribute(var, name.data(), static_cast<Type>(type), static_cast<std::int64_t>(length),
                                   values.data());
    }
  }

  // One string is a text, as other files have it.
  void add_text(int number, int var, const char* name) {
    char* text = nullptr;
    check(nc_get_att_string(id_, number, name, &text), "the attribute " + in_quotes(name));
    const std::string copy = text ? text : "";
    static_cast<void>(nc_free_string(1, &text));
    tables_.schema.put_attribute(var, name, WEIR_CHAR, std::ssize(copy), copy.data());
  }

  const std::string& path_;
  int id_ = -1;
  StoredTables tables_;
  std::map<int, Length> lengths_;  // of dimensions, by netCDF's number
  std::vector<int> numbers_;       // of variables
};

}  // namespace

StoredTables definitions_by_netcdf(const std::string& path) {
  try {
    return StoredDefinition(path).read();
  } catch (const Error& error) {
    if (error.code() != WEIR_EARGUMENT) throw;
    throw Error(WEIR_EFORMAT, "Weir does not take the definitions of " + in_quotes(path) + ": " + error.what());
  }
}

}  // namespace weir
