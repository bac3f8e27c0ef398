// SPDX-License-Identifier: Apache-2.0
// What a file has: its definitions, made and ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file.hpp"

namespace weir::python::definitions {

int def_dim(const File& file, const std::string& name, std::int64_t length);
int def_dim_unlimited(const File& file, const std::string& name, std::int64_t length);
void extend_dim(const File& file, int dim, std::int64_t length);
int def_var(const File& file, const std::string& name, int type, const std::vector<int>& dims);
void put_att(const File& file, int var, const std::string& name, int type, nanobind::handle values);
void put_att_texts(const File& file, int var, const std::string& name, const std::vector<std::string>& texts);
void def_var_chunking(const File& file, int var, const Indices& chunks);
void def_var_deflate(const File& file, int var, bool shuffle, bool deflate, int level);
void def_var_zstd(const File& file, int var, int level);
void def_var_fletcher32(const File& file, int var, bool fletcher32);
void def_var_quantize(const File& file, int var, int mode, int digits);
void set_fill(const File& file, int mode);
void enddef(const File& file);
void redef(const File& file);

}  // namespace weir::python::definitions
