// SPDX-License-Identifier: Apache-2.0
// Reads a netCDF file on one rank, through the library that made its format: the independent witness of verify.hpp.
// Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workload.hpp"

namespace weir::bench {

class FileReader {
 public:
  struct VariableSeen {
    weir_type type;
    std::vector<std::string> dimensions;
  };

  virtual ~FileReader() = default;

  virtual int variables() = 0;
  virtual std::int64_t dimension(const std::string& name) = 0;  // its length now
  virtual int variable_number(const std::string& name) = 0;
  virtual VariableSeen variable(int number) = 0;
  // WEIR_GLOBAL: of the file. `like` gives the name.
  virtual Attribute attribute(int number, const Attribute& like) = 0;
  virtual void get(int number, const Extents& start, const Extents& count, std::byte* values) = 0;
};

// Opens `path` with PnetCDF where it is a classic file, with netCDF-C where it is HDF5. Every call throws BenchError
// where the library refuses.
std::unique_ptr<FileReader> open_reader(const std::string& path);

}  // namespace weir::bench
