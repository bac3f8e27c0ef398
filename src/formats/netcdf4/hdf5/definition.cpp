// SPDX-License-Identifier: Apache-2.0
#include "formats/netcdf4/hdf5/definition.hpp"

#include <hdf5.h>
#include <netcdf.h>
#include <netcdf_filter.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/netcdf4/hdf5/handle.hpp"
#include "formats/netcdf4/hdf5/image.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "schema/name.hpp"
#include "schema/text_list.hpp"

namespace weir {

namespace {

bool same_form(const Attribute& one, const Attribute& other) {
  return one.type == other.type && one.count == other.count;
}

class Definition {
 public:
  // A new file of this schema under the name `file`, or one that has part of it already; `path` is for sentences.
  enum class Begins { anew, with_a_part };
  Definition(const std::string& file, const std::string& path, const Schema& schema, Begins begins)
      : path_(path), schema_(schema) {
    const int model = schema.find_attribute(WEIR_GLOBAL, classic_model_mark) ? NC_CLASSIC_MODEL : 0;
    const int scales = schema.attaches_scales() ? 0 : NC_NODIMSCALE_ATTACH;
    check(begins == Begins::anew ? nc_create(file.c_str(), NC_NETCDF4 | NC_CLOBBER | model | scales, &id_)
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
    put_attributes({id_, NC_GLOBAL}, schema_.attributes(WEIR_GLOBAL), before.attributes(WEIR_GLOBAL), "");
    for (int var = 0; var < static_cast<int>(schema_.variables().size()); ++var)
      if (var < std::ssize(vars_))
        put_attributes(vars_[static_cast<std::size_t>(var)], schema_.attributes(var), before.attributes(var), of(var));
      else
        define_variable(var);
    check(nc_enddef(id_), "the definitions");
    check(nc_close(std::exchange(id_, -1)), "the end");
  }

 private:
  // netCDF numbers variables by their group.
  struct Place {
    int group, var;
  };

  void check(int result, const std::string& what) const {
    if (result == NC_NOERR) return;
    throw Error(result == NC_ENOMEM ? WEIR_EMEMORY : WEIR_EARGUMENT, "netCDF refuses {} of \"{}\": {}", what, path_,
                nc_strerror(result));
  }

  // netCDF-C 4.9 writes a longer one of a dimension or variable, and does not find it when it reads the file.
  static void check_length(const std::string& path) {
    require(path.size() < NC_MAX_NAME || path.find('/') != path.npos, WEIR_EARGUMENT,
            "the name \"{}\" has {} bytes, and netCDF-C reads shorter ones only in netCDF-4; give a shorter one", path,
            NC_MAX_NAME);
  }

  std::string of(int var) const { return formatted(" of \"{}\"", schema_.variable(var).name); }

  // The group that a path is in, made where it is not there yet.
  int group_of(std::string_view path) {
    int group = id_;
    for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/')) {
      const std::string name(path.substr(0, end));
      int inner = -1;
      const int found = nc_inq_grp_ncid(group, name.c_str(), &inner);
      if (found == NC_ENOGRP)
        check(nc_def_grp(group, name.c_str(), &inner), formatted("the group \"{}\"", name));
      else
        check(found, formatted("the group \"{}\"", name));
      group = inner;
      path.remove_prefix(end + 1);
    }
    return group;
  }

  void find_again(const Schema& before) {
    check(nc_redef(id_), "new definitions");
    for (const Dimension& dimension : before.dimensions())
      check(
          nc_inq_dimid(group_of(dimension.name), std::string(last_name(dimension.name)).c_str(), &dims_.emplace_back()),
          formatted("the dimension \"{}\"", dimension.name));
    for (const Variable& variable : before.variables()) {
      Place& place = vars_.emplace_back(Place{group_of(variable.name), -1});
      check(nc_inq_varid(place.group, std::string(last_name(variable.name)).c_str(), &place.var),
            formatted("the variable \"{}\"", variable.name));
    }
    know_all(id_);
  }

  // netCDF-C looks at a variable when it is first asked about it. One that it has not looked at keeps a reference to
  // the dataset that a dimension had, where that gets a coordinate variable (4.9.0).
  void know_all(int group) const {
    int count = 0;
    check(nc_inq_nvars(group, &count), "the variables");
    for (int var = 0; var < count; ++var)
      check(nc_inq_var_chunking(group, var, nullptr, nullptr), "the chunks of a variable");
    check(nc_inq_grps(group, &count, nullptr), "the groups");
    std::vector<int> inner(static_cast<std::size_t>(count));
    check(nc_inq_grps(group, &count, inner.data()), "the groups");
    for (const int each : inner) know_all(each);
  }

  void define_dimension(std::size_t at) {
    const Dimension& dimension = schema_.dimensions()[at];
    check_length(dimension.name);
    const std::int64_t length = dimension.grows ? NC_UNLIMITED : dimension.length;
    check(nc_def_dim(group_of(dimension.name), std::string(last_name(dimension.name)).c_str(),
                     static_cast<std::size_t>(length), &dims_.emplace_back()),
          formatted("the dimension \"{}\"", dimension.name));
  }

  // But for those that are there.
  void put_attributes(const Place& place, const std::vector<Attribute>& attributes, const std::vector<Attribute>& there,
                      const std::string& of) {
    for (const Attribute& attribute : attributes) {
      if (std::find(there.begin(), there.end(), attribute) != there.end()) continue;
      if (attribute.name == classic_model_mark) continue;  // netCDF's own
      const int group = place.var == NC_GLOBAL ? group_of(attribute.name) : place.group;
      const std::string name(last_name(attribute.name));
      // netCDF-C writes a text that becomes empty, or was, into the old one's form (4.9.0).
      if (const int old = find_name(there, attribute.name);
          old >= 0 && !same_form(attribute, there[static_cast<std::size_t>(old)]))
        check(nc_del_att(group, place.var, name.c_str()), formatted("the old attribute \"{}\"{}", attribute.name, of));
      const auto count = static_cast<std::size_t>(attribute.count);
      std::vector<const char*> texts;
      if (attribute.type == WEIR_STRING) texts = texts_in(attribute.values);
      check(attribute.type == WEIR_STRING
                ? nc_put_att_string(group, place.var, name.c_str(), count, texts.data())
                : nc_put_att(group, place.var, name.c_str(), attribute.type, count, attribute.values.data()),
            formatted("the attribute \"{}\"{}", attribute.name, of));
    }
  }

  void define_variable(int var) {
    const Variable& variable = schema_.variable(var);
    check_length(variable.name);
    const std::string what = formatted("the variable \"{}\"", variable.name);
    std::vector<int> dims;
    for (const int dim : variable.dims) dims.push_back(dims_[static_cast<std::size_t>(dim)]);
    const int ndims = static_cast<int>(dims.size());
    Place place{group_of(variable.name), -1};
    check(nc_def_var(place.group, std::string(last_name(variable.name)).c_str(), variable.type, ndims, dims.data(),
                     &place.var),
          what);
    vars_.push_back(place);
    put_attributes(place, variable.attributes, {}, of(var));
    if (dims.empty()) return;
    const std::vector<std::int64_t> chunk = schema_.chunk(var);
    const std::vector<std::size_t> lengths(chunk.begin(), chunk.end());
    check(nc_def_var_chunking(place.group, place.var, NC_CHUNKED, lengths.data()), formatted("the chunks of {}", what));
    define_filters(place, variable.storage, what);
  }

  void define_filters(const Place& place, const Storage& storage, const std::string& what) {
    const auto [group, number] = place;
    if (storage.shuffle || storage.deflate_level)
      check(nc_def_var_deflate(group, number, storage.shuffle ? 1 : 0, storage.deflate_level ? 1 : 0,
                               storage.deflate_level.value_or(0)),
            formatted("shuffle and deflate of {}", what));
    if (storage.zstd_level) {
      const auto level = static_cast<unsigned>(*storage.zstd_level);
      check(nc_def_var_filter(group, number, zstd_filter, 1, &level), formatted("zstd of {}", what));
    }
    if (storage.quantization)
      check(nc_def_var_quantize(group, number, static_cast<int>(storage.quantization->kind),
                                storage.quantization->digits),
            formatted("the quantization of {}", what));
    if (storage.fletcher32)
      check(nc_def_var_fletcher32(group, number, NC_FLETCHER32), formatted("fletcher32 of {}", what));
  }

  const std::string& path_;
  const Schema& schema_;
  int id_ = -1;
  std::vector<int> dims_;  // netCDF's numbers
  std::vector<Place> vars_;
};

}  // namespace

std::vector<std::byte> define_by_netcdf(const std::string& path, const Schema& schema) {
  const ScratchFile file;
  Definition(file.path(), path, schema, Definition::Begins::anew).define();
  fit_growing_dimensions(file.path(), path, schema);
  return file.contents();
}

namespace {

void check(std::int64_t result, const std::string& path) {
  if (result < 0) throw Error(WEIR_EFORMAT, "HDF5 refuses to make a variable of \"{}\" longer{}", path, reason());
}

void fit(hid_t file, const std::string& path, const Schema& schema, const Variable& variable) {
  const Handle set(H5Dopen2(file, set_name(file, variable.name).c_str(), H5P_DEFAULT), H5Dclose);
  check(set.id(), path);
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  hsize_t lengths[H5S_MAX_RANK];
  check(H5Sget_simple_extent_dims(space.id(), lengths, nullptr), path);
  bool longer = false;
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    const Dimension& dimension = schema.dimensions()[static_cast<std::size_t>(variable.dims[d])];
    if (!dimension.grows) continue;
    const auto wanted = static_cast<hsize_t>(dimension.length);
    longer = longer || lengths[d] < wanted;
    lengths[d] = std::max(lengths[d], wanted);
  }
  if (longer) check(H5Dset_extent(set.id(), lengths), path);
}

}  // namespace

void fit_growing_dimensions(const std::string& file, const std::string& path, const Schema& schema) {
  const auto grows = [&](int dim) { return schema.dimensions()[static_cast<std::size_t>(dim)].grows; };
  const auto& dimensions = schema.dimensions();
  if (std::none_of(dimensions.begin(), dimensions.end(), [](const Dimension& d) { return d.grows; })) return;
  const Quiet quiet;
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  check(opened.id(), path);
  for (const Variable& variable : schema.variables())
    if (std::any_of(variable.dims.begin(), variable.dims.end(), grows)) fit(opened.id(), path, schema, variable);
}

namespace {

// Of a dataset or group of this name; group: of a file.
herr_t unattach(hid_t group, const char* name, const H5L_info_t* /*link*/, void* /*unused*/) {
  const Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
  if (H5Iget_type(object.id()) == H5I_GROUP)
    return H5Literate(object.id(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, unattach, nullptr);
  for (const char* const attribute : {"DIMENSION_LIST", "REFERENCE_LIST"})
    if (H5Aexists(object.id(), attribute) > 0 && H5Adelete(object.id(), attribute) < 0) return -1;
  return object.id() < 0 ? -1 : 0;
}

// netCDF-C attaches what it defines in a file that it has opened.
void unattach_scales(const std::string& file, const std::string& path) {
  const Quiet quiet;
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  if (opened.id() < 0 || H5Literate(opened.id(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, unattach, nullptr) < 0)
    throw Error(WEIR_EFORMAT, "HDF5 refuses to leave the dimension scales of \"{}\" unattached{}", path, reason());
}

}  // namespace

void extend_by_netcdf(const std::string& file, const std::string& path, const Schema& before, const Schema& after) {
  Definition(file, path, after, Definition::Begins::with_a_part).add_to(before);
  fit_growing_dimensions(file, path, after);
  if (!after.attaches_scales()) unattach_scales(file, path);
}

}  // namespace weir
