// SPDX-License-Identifier: Apache-2.0
#include "definitions.hpp"

#include "buffer.hpp"

namespace weir::python::definitions {

int def_dim(const File& file, const std::string& name, std::int64_t length) {
  int dim = -1;
  file.check(weir_def_dim(file.handle(), name.c_str(), length, &dim));
  return dim;
}

int def_dim_unlimited(const File& file, const std::string& name, std::int64_t length) {
  int dim = -1;
  file.check(weir_def_dim_unlimited(file.handle(), name.c_str(), length, &dim));
  return dim;
}

void extend_dim(const File& file, int dim, std::int64_t length) {
  file.check(weir_extend_dim(file.handle(), dim, length));
}

int def_var(const File& file, const std::string& name, int type, const std::vector<int>& dims) {
  int var = -1;
  file.check(weir_def_var(file.handle(), name.c_str(), static_cast<weir_type>(type), static_cast<int>(dims.size()),
                          dims.data(), &var));
  return var;
}

void put_att(const File& file, int var, const std::string& name, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Buffer::Access::read);
  file.check(
      weir_put_att(file.handle(), var, name.c_str(), element, buffer.bytes() / type_bytes(element), buffer.data()));
}

void put_att_texts(const File& file, int var, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> values;
  for (const std::string& text : texts) values.push_back(text.c_str());
  file.check(weir_put_att(file.handle(), var, name.c_str(), WEIR_STRING, std::ssize(values), values.data()));
}

void def_var_chunking(const File& file, int var, const Indices& chunks) {
  int ndims = 0;
  file.check(weir_inq_var(file.handle(), var, nullptr, nullptr, &ndims, nullptr, nullptr));
  if (std::ssize(chunks) != ndims)
    throw io::Error(WEIR_EARGUMENT, "chunksizes has " + std::to_string(chunks.size()) + " numbers for " +
                                        std::to_string(ndims) + " dimensions: give one for each");
  file.check(weir_def_var_chunking(file.handle(), var, WEIR_CHUNKED, chunks.data()));
}

void def_var_deflate(const File& file, int var, bool shuffle, bool deflate, int level) {
  file.check(weir_def_var_deflate(file.handle(), var, shuffle ? 1 : 0, deflate ? 1 : 0, level));
}

void def_var_zstd(const File& file, int var, int level) {
  file.check(weir_def_var_zstd(file.handle(), var, level));
}

void def_var_fletcher32(const File& file, int var, bool fletcher32) {
  file.check(weir_def_var_fletcher32(file.handle(), var, fletcher32 ? 1 : 0));
}

void def_var_quantize(const File& file, int var, int mode, int digits) {
  file.check(weir_def_var_quantize(file.handle(), var, mode, digits));
}

void set_fill(const File& file, int mode) {
  file.check(weir_set_fill(file.handle(), static_cast<weir_fill_mode>(mode)));
}

void enddef(const File& file) {
  file.make([](weir_file* handle) { return weir_enddef(handle); });
}

void redef(const File& file) {
  file.make([](weir_file* handle) { return weir_redef(handle); });
}

}  // namespace weir::python::definitions
