// SPDX-License-Identifier: Apache-2.0
// The description of a file.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "file.hpp"

namespace weir::python::inquiry {

// Numbers of dimensions, variables and attributes, and the record dimension (-1: none).
std::tuple<int, int, int, int> inq(const File& file);
std::int64_t records(const File& file);
std::pair<std::string, std::int64_t> dim(const File& file, int number);
// Name, type, dimensions, number of attributes.
std::tuple<std::string, int, std::vector<int>, int> var(const File& file, int number);
std::string attname(const File& file, int var, int number);
std::pair<int, std::int64_t> att(const File& file, int var, const std::string& name);
void get_att(const File& file, int var, const std::string& name, nanobind::handle values);
std::vector<std::string> get_att_texts(const File& file, int var, const std::string& name);
std::vector<int> unlimdims(const File& file);
std::vector<std::pair<std::string, std::string>> left_out(const File& file);
int format(const File& file);

}  // namespace weir::python::inquiry
