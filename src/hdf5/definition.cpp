// SPDX-License-Identifier: Apache-2.0
#include "hdf5/definition.hpp"

#include <netcdf.h>
#include <netcdf_filter.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/descriptor.hpp"
#include "base/spelling.hpp"
#include "write/netcdf4/metadata.hpp"

namespace weir {

namespace {

// A file of this name for a moment: in memory where the machine has such a folder, else where temporary files go. HDF5
// follows links, so one without a name, by its link in /proc, will not do; and what netCDF-C makes in memory itself
// lists variables by their names.
class PassingFile {
 public:
  PassingFile() {
    std::error_code none;
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    path_ = (memory ? "/dev/shm" : std::filesystem::temp_directory_path(none).string()) + "/weir-definition-XXXXXX";
    const int made = ::mkstemp(path_.data());
    require(made >= 0, WEIR_EIO, [&] { return "cannot make " + path_ + ": " + std::strerror(errno); });
    ::close(made);
  }
  ~PassingFile() { ::unlink(path_.c_str()); }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::vector<std::byte> contents() const {
    const Descriptor file = open_to_read(path_);
    std::vector<std::byte> bytes(static_cast<std::size_t>(file.bytes()));
    file.read(bytes.data(), std::ssize(bytes), 0);
    return bytes;
  }

 private:
  std::string path_;
};

class Definition {
 public:
  Definition(const std::string& path, const Schema& schema) : path_(path), schema_(schema) {
    const int model = schema.find_attribute(WEIR_GLOBAL, classic_model_mark) ? NC_CLASSIC_MODEL : 0;
    check(nc_create(file_.path().c_str(), NC_NETCDF4 | NC_CLOBBER | model, &id_), "the file");
  }
  ~Definition() {
    if (id_ >= 0) static_cast<void>(nc_abort(id_));
  }
  Definition(const Definition&) = delete;
  Definition& operator=(const Definition&) = delete;

  std::vector<std::byte> define() {
    for (const Dimension& dimension : schema_.dimensions())
      check(nc_def_dim(id_, dimension.name.c_str(), static_cast<std::size_t>(dimension.length), nullptr),
            "the dimension " + in_quotes(dimension.name));
    put_attributes(NC_GLOBAL, schema_.attributes(WEIR_GLOBAL), "");
    for (int var = 0; var < static_cast<int>(schema_.variables().size()); ++var) define_variable(var);
    check(nc_enddef(id_), "the definitions");
    check(nc_close(std::exchange(id_, -1)), "the end");
    return file_.contents();
  }

 private:
  void check(int result, const std::string& what) const {
    if (result == NC_NOERR) return;
    throw Error(result == NC_ENOMEM ? WEIR_EMEMORY : WEIR_EARGUMENT,
                "netCDF refuses " + what + " of " + in_quotes(path_) + ": " + nc_strerror(result));
  }

  void put_attributes(int var, const std::vector<Attribute>& attributes, const std::string& of) {
    for (const Attribute& attribute : attributes)
      if (attribute.name != classic_model_mark)
        check(nc_put_att(id_, var, attribute.name.c_str(), attribute.type, static_cast<std::size_t>(attribute.count),
                         attribute.values.data()),
              "the attribute " + in_quotes(attribute.name) + of);
  }

  void define_variable(int var) {
    const Variable& variable = schema_.variable(var);
    const std::string what = "the variable " + in_quotes(variable.name);
    check(nc_def_var(id_, variable.name.c_str(), variable.type, static_cast<int>(variable.dims.size()),
                     variable.dims.data(), nullptr),
          what);
    put_attributes(var, variable.attributes, " of " + in_quotes(variable.name));
    if (variable.dims.empty()) return;
    const std::vector<std::int64_t> chunk = schema_.chunk(var);
    const std::vector<std::size_t> lengths(chunk.begin(), chunk.end());
    check(nc_def_var_chunking(id_, var, NC_CHUNKED, lengths.data()), "the chunks of " + what);
    define_filters(var, variable.storage, what);
  }

  void define_filters(int var, const Storage& storage, const std::string& what) {
    if (storage.shuffle || storage.deflate_level)
      check(nc_def_var_deflate(id_, var, storage.shuffle ? 1 : 0, storage.deflate_level ? 1 : 0,
                               storage.deflate_level.value_or(0)),
            "shuffle and deflate of " + what);
    if (storage.zstd_level) {
      const auto level = static_cast<unsigned>(*storage.zstd_level);
      check(nc_def_var_filter(id_, var, zstd_filter, 1, &level), "zstd of " + what);
    }
    if (storage.quantization)
      check(nc_def_var_quantize(id_, var, static_cast<int>(storage.quantization->kind), storage.quantization->digits),
            "the quantization of " + what);
    if (storage.fletcher32) check(nc_def_var_fletcher32(id_, var, NC_FLETCHER32), "fletcher32 of " + what);
  }

  const std::string& path_;
  const Schema& schema_;
  PassingFile file_;
  int id_ = -1;
};

}  // namespace

std::vector<std::byte> define_by_netcdf(const std::string& path, const Schema& schema) {
  return Definition(path, schema).define();
}

}  // namespace weir
