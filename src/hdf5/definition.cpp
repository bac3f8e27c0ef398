// SPDX-License-Identifier: Apache-2.0
#include "hdf5/definition.hpp"

#include <netcdf.h>
#include <netcdf_filter.h>

#include <algorithm>
#include <utility>

#include "base/spelling.hpp"
#include "hdf5/passing_file.hpp"
#include "write/netcdf4/metadata.hpp"

namespace weir {

namespace {

class Definition {
 public:
  // A new file of this schema under the name `file`, or one that has part of it already; `path` is for sentences.
  enum class Begins { anew, with_a_part };
  Definition(const std::string& file, const std::string& path, const Schema& schema, Begins begins)
      : path_(path), schema_(schema) {
    check(begins == Begins::anew ? nc_create(file.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_)
                                 : nc_open(file.c_str(), NC_WRITE, &id_),
          "the file");
  }
  ~Definition() {
    if (id_ >= 0) static_cast<void>(nc_abort(id_));
  }
  Definition(const Definition&) = delete;
  Definition& operator=(const Definition&) = delete;

  void define() { add_to(Schema()); }

  // What the schema has beyond `before`, which the file has.
  void add_to(const Schema& before) {
    if (!before.variables().empty() || !before.dimensions().empty()) find_again(before);
    for (auto at = before.dimensions().size(); at < schema_.dimensions().size(); ++at) define_dimension(at);
    put_attributes(NC_GLOBAL, schema_.attributes(WEIR_GLOBAL), before.attributes(WEIR_GLOBAL), "");
    for (int var = 0; var < static_cast<int>(schema_.variables().size()); ++var)
      if (var < std::ssize(vars_))
        put_attributes(vars_[static_cast<std::size_t>(var)], schema_.attributes(var), before.attributes(var), of(var));
      else
        define_variable(var);
    check(nc_enddef(id_), "the definitions");
    check(nc_close(std::exchange(id_, -1)), "the end");
  }

 private:
  void check(int result, const std::string& what) const {
    if (result == NC_NOERR) return;
    throw Error(result == NC_ENOMEM ? WEIR_EMEMORY : WEIR_EARGUMENT,
                "netCDF refuses " + what + " of " + in_quotes(path_) + ": " + nc_strerror(result));
  }

  std::string of(int var) const { return " of " + in_quotes(schema_.variable(var).name); }

  void find_again(const Schema& before) {
    check(nc_redef(id_), "new definitions");
    for (const Dimension& dimension : before.dimensions())
      check(nc_inq_dimid(id_, dimension.name.c_str(), &dims_.emplace_back()),
            "the dimension " + in_quotes(dimension.name));
    for (const Variable& variable : before.variables())
      check(nc_inq_varid(id_, variable.name.c_str(), &vars_.emplace_back()),
            "the variable " + in_quotes(variable.name));
    know_all();
  }

  // netCDF-C looks at a variable when it is first asked about it. One that it has not looked at keeps a reference to
  // the dataset that a dimension had, where that gets a coordinate variable (4.9.0).
  void know_all() const {
    int count = 0;
    check(nc_inq_nvars(id_, &count), "the variables");
    for (int var = 0; var < count; ++var)
      check(nc_inq_var_chunking(id_, var, nullptr, nullptr), "the chunks of a variable");
  }

  void define_dimension(std::size_t at) {
    const Dimension& dimension = schema_.dimensions()[at];
    check(nc_def_dim(id_, dimension.name.c_str(), static_cast<std::size_t>(dimension.length), &dims_.emplace_back()),
          "the dimension " + in_quotes(dimension.name));
  }

  // But for those that are there.
  void put_attributes(int var, const std::vector<Attribute>& attributes, const std::vector<Attribute>& there,
                      const std::string& of) {
    for (const Attribute& attribute : attributes) {
      if (std::find(there.begin(), there.end(), attribute) != there.end()) continue;
      check(nc_put_att(id_, var, attribute.name.c_str(), attribute.type, static_cast<std::size_t>(attribute.count),
                       attribute.values.data()),
            "the attribute " + in_quotes(attribute.name) + of);
    }
  }

  void define_variable(int var) {
    const Variable& variable = schema_.variable(var);
    const std::string what = "the variable " + in_quotes(variable.name);
    std::vector<int> dims;
    for (const int dim : variable.dims) dims.push_back(dims_[static_cast<std::size_t>(dim)]);
    const int ndims = static_cast<int>(dims.size());
    int number = -1;
    check(nc_def_var(id_, variable.name.c_str(), variable.type, ndims, dims.data(), &number), what);
    vars_.push_back(number);
    put_attributes(number, variable.attributes, {}, of(var));
    if (dims.empty()) return;
    const std::vector<std::int64_t> chunk = schema_.chunk(var);
    const std::vector<std::size_t> lengths(chunk.begin(), chunk.end());
    check(nc_def_var_chunking(id_, number, NC_CHUNKED, lengths.data()), "the chunks of " + what);
    define_filters(number, variable.storage, what);
  }

  void define_filters(int number, const Storage& storage, const std::string& what) {
    if (storage.shuffle || storage.deflate_level)
      check(nc_def_var_deflate(id_, number, storage.shuffle ? 1 : 0, storage.deflate_level ? 1 : 0,
                               storage.deflate_level.value_or(0)),
            "shuffle and deflate of " + what);
    if (storage.zstd_level) {
      const auto level = static_cast<unsigned>(*storage.zstd_level);
      check(nc_def_var_filter(id_, number, zstd_filter, 1, &level), "zstd of " + what);
    }
    if (storage.quantization)
      check(
          nc_def_var_quantize(id_, number, static_cast<int>(storage.quantization->kind), storage.quantization->digits),
          "the quantization of " + what);
    if (storage.fletcher32) check(nc_def_var_fletcher32(id_, number, NC_FLETCHER32), "fletcher32 of " + what);
  }

  const std::string& path_;
  const Schema& schema_;
  int id_ = -1;
  std::vector<int> dims_, vars_;  // netCDF's numbers
};

}  // namespace

std::vector<std::byte> define_by_netcdf(const std::string& path, const Schema& schema) {
  const PassingFile file;
  Definition(file.path(), path, schema, Definition::Begins::anew).define();
  return file.contents();
}

void extend_by_netcdf(const std::string& file, const std::string& path, const Schema& before, const Schema& after) {
  Definition(file, path, after, Definition::Begins::with_a_part).add_to(before);
}

}  // namespace weir
