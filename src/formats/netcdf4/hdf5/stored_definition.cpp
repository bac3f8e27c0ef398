// SPDX-License-Identifier: Apache-2.0
// Reads the definitions of a netCDF-4 file, with all its groups, into Weir's data model: one dimension has records and
// is the first of its variables. Other unlimited dimensions keep their present length.
#include "formats/netcdf4/hdf5/stored_definition.hpp"

#include <hdf5.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/netcdf4/hdf5/handle.hpp"
#include "formats/netcdf4/hdf5/tables.hpp"
#include "schema/text_list.hpp"

namespace weir {

namespace {

class StoredDefinition {
 public:
  StoredDefinition(const std::string& path, StringVariables strings) : path_(path), strings_(strings) {
    const int result = nc_open(path.c_str(), NC_NOWRITE, &id_);
    if (result == NC_NOERR) return;
    id_ = -1;
    throw Error(result == NC_ENOMEM ? WEIR_EMEMORY : WEIR_EFORMAT,
                "netCDF does not open the netCDF-4/HDF5 file \"{}\": {}{}; restore the file", path, nc_strerror(result),
                open_problem(path));
  }
  ~StoredDefinition() {
    if (id_ >= 0) static_cast<void>(nc_close(id_));
  }
  StoredDefinition(const StoredDefinition&) = delete;
  StoredDefinition& operator=(const StoredDefinition&) = delete;

  StoredTables read() {
    find_groups(id_, "");
    for (const Group& group : groups_) find_lengths(group);
    record_ = record_dimension();
    for (const Group& group : groups_) read_dimensions(group);
    for (const Group& group : groups_) add_attributes({group.id, NC_GLOBAL}, WEIR_GLOBAL, group.prefix);
    for (const Group& group : groups_)
      for (const int number : group.vars) add_variable(group, {group.id, number});
    return std::move(tables_);
  }

 private:
  // The root group has no prefix, another one that of the groups which hold it: "ice/".
  struct Group {
    int id;
    std::string prefix;
    std::vector<int> dims, vars;  // netCDF's numbers; those of dimensions are of the whole file
  };
  // netCDF numbers variables by their group.
  struct Place {
    int group, var;
  };
  struct Length {
    std::int64_t now;
    bool unlimited;
    int in_schema;  // -1: left out
  };
  // netCDF-C 4.9 gives a name of NC_MAX_NAME bytes in HDF5 with some that follow it in its memory.
  using NameText = std::array<char, 2 * NC_MAX_NAME>;

  void check(int result, const std::string& what) const {
    if (result != NC_NOERR)
      throw Error(WEIR_EFORMAT, "netCDF does not read {} of \"{}\": {}", what, path_, nc_strerror(result));
  }

  // What `ask` tells of a group: first how many numbers, then the numbers.
  template <class Ask>
  std::vector<int> numbers(const char* what, Ask ask) const {
    int count = 0;
    check(ask(&count, nullptr), what);
    std::vector<int> all(static_cast<std::size_t>(count));
    if (count > 0) check(ask(&count, all.data()), what);
    return all;
  }

  // Each before those that it holds.
  void find_groups(int id, const std::string& prefix) {
    Group group{id, prefix, {}, {}};
    group.dims = numbers("the dimensions", [&](int* n, int* all) { return nc_inq_dimids(id, n, all, 0); });
    group.vars = numbers("the variables", [&](int* n, int* all) { return nc_inq_varids(id, n, all); });
    groups_.push_back(std::move(group));
    for (const int inner : numbers("the groups", [&](int*n, int*all) { return nc_inq_grps(id, n, all); })) {
      NameText name{};
      check(nc_inq_grpname(inner, name.data()), "a group");
      find_groups(inner, prefix + name.data() + "/");
    }
  }

  std::vector<int> dims_of(const Place& place) const {
    int ndims = 0;
    check(nc_inq_varndims(place.group, place.var, &ndims), "a variable");
    std::vector<int> dims(static_cast<std::size_t>(ndims));
    check(nc_inq_vardimid(place.group, place.var, dims.data()), "a variable");
    return dims;
  }

  // The unlimited dimension whose elements are records: the first one that some variable has as its first, and none has
  // elsewhere, and of these rather one that has any.
  int record_dimension() const {
    std::map<int, bool> fits;
    for (const Group& group : groups_)
      for (const int number : group.vars) {
        const std::vector<int> dims = dims_of({group.id, number});
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

  void find_lengths(const Group& group) {
    const std::vector<int> growing =
        numbers("the dimensions", [&](int* n, int* all) { return nc_inq_unlimdims(group.id, n, all); });
    for (const int dim : group.dims) {
      std::size_t length = 0;
      check(nc_inq_dimlen(group.id, dim, &length), "a dimension");
      const bool grows = std::find(growing.begin(), growing.end(), dim) != growing.end();
      lengths_[dim] = {static_cast<std::int64_t>(length), grows, -1};
    }
  }

  void read_dimensions(const Group& group) {
    for (const int dim : group.dims) {
      Length& length = lengths_.at(dim);
      if (dim == record_) tables_.records = length.now;
      if (dim != record_ && length.now == 0) continue;  // it would be taken for the record dimension
      NameText name{};
      check(nc_inq_dimname(group.id, dim, name.data()), "a dimension");
      const std::string path = group.prefix + name.data();
      if (path.size() >= WEIR_MAX_NAME) continue;
      const bool grows = dim != record_ && length.unlimited;
      length.in_schema =
          grows ? tables_.schema.add_growing_dimension(Name::stored(path), length.now)
                : tables_.schema.add_dimension(Name::stored(path), dim == record_ ? WEIR_UNLIMITED : length.now);
    }
  }

  void add_variable(const Group& group, const Place& place) {
    NameText name{};
    nc_type type = 0;
    check(nc_inq_varname(place.group, place.var, name.data()), "a variable");
    check(nc_inq_vartype(place.group, place.var, &type), "a variable");
    const std::string path = group.prefix + name.data();
    std::vector<int> dims = dims_of(place);
    std::string reason;
    if (type > NC_STRING) reason = "its elements have a user-defined type, which Weir does not read";
    for (int& dim : dims) {
      const Length& length = lengths_.at(dim);
      if (length.in_schema < 0)
        reason = length.now == 0 ? "it has a dimension of length 0 that is not the record dimension"
                                 : "it has a dimension whose name with its groups is too long";
      dim = length.in_schema;
    }
    if (path.size() >= WEIR_MAX_NAME) reason = "its name with its groups is too long";
    if (type == NC_STRING && reason.empty()) return add_strings(place, path, std::move(dims));
    if (!reason.empty()) return leave_out(path, reason);
    tables_.arrays.emplace_back();
    add_attributes(place, tables_.schema.add_variable(Name::stored(path), static_cast<Type>(type), dims), "");
  }

  void leave_out(const std::string& path, const std::string& reason) { tables_.left_out.emplace_back(path, reason); }

  // They are text with one dimension more, which the length of the longest has.
  void add_strings(const Place& place, const std::string& path, std::vector<int> dims) {
    if (strings_ == StringVariables::left_out) return leave_out(path, strings_only_to_read);
    StoredArray array;
    for (const int dim : dims) {
      const std::int64_t length = tables_.schema.dimensions()[static_cast<std::size_t>(dim)].length;
      array.lengths.push_back(length == WEIR_UNLIMITED ? tables_.records : length);
    }
    const std::optional<std::int64_t> count = elements_up_to(array.lengths, most_text_bytes);
    std::optional<FixedTexts> texts;
    if (count && may_be_texts(path_, path, *count))
      texts = read_texts(place.group, place.var, *count, formatted(R"("{}" of "{}")", path, path_));
    if (!texts) return leave_out(path, strings_too_many);
    dims.push_back(length_dimension(texts->length));
    array.lengths.push_back(texts->length);
    array.contents = std::move(texts->characters);
    tables_.arrays.push_back(std::move(array));
    const int var = tables_.schema.add_variable(Name::stored(path), WEIR_CHAR, dims);
    add_attributes(place, var, "");
    if (!tables_.schema.find_attribute(var, "_Encoding"))
      tables_.schema.put_attribute(var, "_Encoding", WEIR_CHAR, 5, "utf-8");
  }

  // "string12", as xarray has it.
  int length_dimension(std::int64_t length) {
    std::string name = formatted("string{}", length);
    for (;; name += "_") {
      const int there = tables_.schema.find_dimension(name);
      if (there < 0) return tables_.schema.add_dimension(name, length);
      if (tables_.schema.dimensions()[static_cast<std::size_t>(there)].length == length) return there;
    }
  }

  // prefix: of the group whose attributes they are; "" of a variable's.
  void add_attributes(const Place& place, int var, const std::string& prefix) {
    const auto& [group, number] = place;
    int count = 0;
    check(number == NC_GLOBAL ? nc_inq_natts(group, &count) : nc_inq_varnatts(group, number, &count), "the attributes");
    for (int a = 0; a < count; ++a) {
      NameText name{};
      nc_type type = 0;
      std::size_t length = 0;
      check(nc_inq_attname(group, number, a, name.data()), "an attribute");
      const std::string what = formatted("the attribute \"{}\"", name.data()), path = prefix + name.data();
      const int there = nc_inq_att(group, number, name.data(), &type, &length);
      if (there == NC_ENOTATT) continue;  // netCDF-C finds none whose name is not in NFC
      check(there, what);
      if (type > NC_STRING || path.size() >= WEIR_MAX_NAME) continue;
      if (type == NC_STRING && number != NC_GLOBAL && path == "_FillValue") continue;  // text has another one
      const std::vector<std::byte> values =
          type == NC_STRING ? texts_of(place, name.data(), length) : values_of(place, name.data(), type, length);
      tables_.schema.put_attribute(var, Name::stored(path), static_cast<Type>(type), static_cast<std::int64_t>(length),
                                   values.data());
    }
  }

  std::vector<std::byte> values_of(const Place& place, const char* name, nc_type type, std::size_t length) const {
    std::vector<std::byte> values(
        std::max<std::size_t>(1, length * static_cast<std::size_t>(type_bytes(static_cast<Type>(type)))));
    check(nc_get_att(place.group, place.var, name, values.data()), formatted("the attribute \"{}\"", name));
    return values;
  }

  std::vector<std::byte> texts_of(const Place& place, const char* name, std::size_t length) const {
    std::vector<char*> texts(length);
    if (length > 0)
      check(nc_get_att_string(place.group, place.var, name, texts.data()), formatted("the attribute \"{}\"", name));
    std::vector<std::byte> values = join_texts(std::vector<const char*>(texts.begin(), texts.end()));
    if (length > 0) static_cast<void>(nc_free_string(length, texts.data()));
    return values;
  }

  const std::string& path_;
  StringVariables strings_;
  int id_ = -1;
  StoredTables tables_;
  std::map<int, Length> lengths_;  // of dimensions, by netCDF's number
  std::vector<Group> groups_;
  int record_ = -1;  // netCDF's number
};

}  // namespace

StoredTables definitions_by_netcdf(const std::string& path, StringVariables strings) {
  try {
    return StoredDefinition(path, strings).read();
  } catch (const Error& error) {
    if (error.code() != WEIR_EARGUMENT) throw;
    throw Error(WEIR_EFORMAT, "Weir does not support the definitions of \"{}\": {}", path, error.what());
  }
}

namespace {

// Of strings that have one length in the file, however much of it is zeros.
constexpr std::int64_t most_fixed_bytes = 64 * most_text_bytes;

// netCDF's memory: it allocates each string.
class Strings {
 public:
  explicit Strings(std::size_t count) : texts_(count, nullptr) {}
  ~Strings() {
    if (!texts_.empty()) static_cast<void>(nc_free_string(texts_.size(), texts_.data()));
  }
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  char** data() noexcept { return texts_.data(); }
  const std::vector<char*>& all() const noexcept { return texts_; }

 private:
  std::vector<char*> texts_;
};

// Where HDF5 puts strings, one behind the other.
struct Room {
  std::vector<char> bytes;
  std::size_t used = 0;
  bool refused = false;

  static void* take(std::size_t bytes, void* of) {
    Room& room = *static_cast<Room*>(of);
    room.refused = room.refused || bytes > room.bytes.size() - room.used;
    if (room.refused) return nullptr;
    room.used += bytes;
    return room.bytes.data() + room.used - bytes;
  }
  static void give_back(void*, void*) {}
};

// As many as the dataset has, whatever netCDF makes of its dimensions. HDF5 asks for a byte more than a string has.
bool have_room(hid_t set, hid_t type) {
  const Handle space(H5Dget_space(set), H5Sclose);
  const std::int64_t elements = H5Sget_simple_extent_npoints(space.id());
  if (elements < 0) return true;
  if (elements > most_text_bytes) return false;
  Room room{std::vector<char>(static_cast<std::size_t>(most_text_bytes + elements))};
  std::vector<char*> texts(static_cast<std::size_t>(elements), nullptr);
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose), wanted(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Pset_vlen_mem_manager(transfer.id(), Room::take, &room, Room::give_back, nullptr);
  H5Tset_size(wanted.id(), H5T_VARIABLE);
  H5Tset_cset(wanted.id(), H5Tget_cset(type));
  H5Dread(set, wanted.id(), H5S_ALL, H5S_ALL, transfer.id(), texts.data());
  return !room.refused;
}

}  // namespace

bool may_be_texts(const std::string& file, const std::string& variable, std::int64_t elements) {
  if (elements > most_text_bytes) return false;
  // By another driver than netCDF's, which has the file open in its own way.
  const Quiet quiet;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_stdio(access.id());
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (opened.id() < 0) return true;
  const Handle set(H5Dopen2(opened.id(), set_name(opened.id(), variable).c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(set.id() < 0 ? H5I_INVALID_HID : H5Dget_type(set.id()), H5Tclose);
  if (type.id() < 0) return true;
  if (H5Tis_variable_str(type.id()) > 0) return have_room(set.id(), type.id());
  return elements == 0 || static_cast<std::int64_t>(H5Tget_size(type.id())) <= most_fixed_bytes / elements;
}

std::optional<FixedTexts> read_texts(int group, int var, std::int64_t elements, const std::string& what) {
  if (elements > most_text_bytes) return std::nullopt;
  if (elements == 0) return FixedTexts();
  Strings strings(static_cast<std::size_t>(elements));
  const int result = nc_get_var_string(group, var, strings.data());
  if (result != NC_NOERR) throw Error(WEIR_EFORMAT, "netCDF does not read {}: {}", what, nc_strerror(result));
  std::vector<std::string_view> texts;
  for (const char* const text : strings.all()) texts.emplace_back(text ? text : "");
  return fixed_texts(texts);
}

}  // namespace weir
