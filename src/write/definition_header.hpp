// SPDX-License-Identifier: Apache-2.0
// A header in memory under PnetCDF's hand: what defining and reading one have in common. Only definition*.cpp includes
// this. Local. Its checks throw Error with the code it was made with (WEIR_EMEMORY where PnetCDF found no memory,
// WEIR_EIO where the system refused).
#pragma once

#include <pnetcdf.h>

#include <string>

#include "base/error.hpp"
#include "schema/schema.hpp"
#include "write/definition.hpp"

namespace weir {

// `path` is the real file's, for the messages. Dropped without a trace where it is not closed.
class HeaderFile {
 public:
  HeaderFile(std::string path, Code code) : path_(std::move(path)), code_(code) {}
  ~HeaderFile();
  HeaderFile(const HeaderFile&) = delete;
  HeaderFile& operator=(const HeaderFile&) = delete;

  int* place() noexcept { return &id_; }
  int id() const noexcept { return id_; }
  // Throws where PnetCDF's result is an error: `what` of the file it refused.
  void check(int result, const std::string& what) const;
  std::int64_t header_bytes() const;
  void close();

 private:
  static constexpr int none_ = -1;

  std::string path_;
  Code code_;
  int id_ = none_;
};

// Where PnetCDF has placed the variables of `schema`, which is the file's. `records` stays 0.
Geometry inquire_geometry(const HeaderFile& file, const Schema& schema, int format);

// Bytes of a variable, or of one record of it, without padding.
std::int64_t variable_bytes(const Schema& schema, int var);

// What a damaged file says may add up to anything.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept;

}  // namespace weir
