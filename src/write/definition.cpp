// SPDX-License-Identifier: Apache-2.0
#include "write/definition.hpp"

#include <mpi.h>
#include <pnetcdf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "write/definition_header.hpp"
#include "write/scratch_file.hpp"
#include "write/trouble.hpp"

namespace weir {
namespace {

constexpr std::int64_t tight_align_bytes = 4;
constexpr std::int64_t largest_gap_bytes = 1LL << 30;

class AlignmentHints {
 public:
  explicit AlignmentHints(const Alignment& alignment) {
    const auto multiple = [](std::int64_t bytes) { return std::to_string(std::max(bytes, tight_align_bytes)); };
    MPI_Info_create(&info_);
    MPI_Info_set(info_, "nc_header_align_size", multiple(alignment.variable_align_bytes).c_str());
    MPI_Info_set(info_, "nc_var_align_size", multiple(alignment.variable_align_bytes).c_str());
    MPI_Info_set(info_, "nc_record_align_size", multiple(alignment.record_align_bytes).c_str());
  }
  ~AlignmentHints() { MPI_Info_free(&info_); }
  AlignmentHints(const AlignmentHints&) = delete;
  AlignmentHints& operator=(const AlignmentHints&) = delete;
  MPI_Info info() const noexcept { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

void put_attributes(const HeaderFile& file, int var, const std::vector<Attribute>& attributes) {
  for (const auto& attribute : attributes) {
    file.check(
        ncmpi_put_att(file.id(), var, attribute.name.c_str(), attribute.type, attribute.count, attribute.values.data()),
        "the attribute " + in_quotes(attribute.name));
  }
}

void define_schema(const HeaderFile& file, const Schema& schema) {
  for (const auto& dimension : schema.dimensions()) {
    int ignored = 0;
    file.check(ncmpi_def_dim(file.id(), dimension.name.c_str(), dimension.length, &ignored),
               "the dimension " + in_quotes(dimension.name));
  }
  put_attributes(file, NC_GLOBAL, schema.attributes(WEIR_GLOBAL));
  for (const auto& variable : schema.variables()) {
    int var = 0;
    file.check(ncmpi_def_var(file.id(), variable.name.c_str(), variable.type, static_cast<int>(variable.dims.size()),
                             variable.dims.data(), &var),
               "the variable " + in_quotes(variable.name));
    put_attributes(file, var, variable.attributes);
  }
}

void make_room(const ScratchFile& scratch, std::int64_t bytes, const std::string& path) {
  const int error = scratch.reserve(bytes);
  if (error == EFBIG) throw Error(WEIR_EIO, write_trouble(path, "write the header of", error));
  require(error == 0, WEIR_EMEMORY,
          "cannot write the header of " + in_quotes(path) + ": there is no memory for its " + std::to_string(bytes) +
              " bytes (" + std::strerror(error) + "); leave more to this rank");
}

DefinedHeader make_header(const std::string& path, const Schema& schema, const Alignment& alignment, int format) {
  const int mode = format == 5 ? NC_64BIT_DATA : (format == 2 ? NC_64BIT_OFFSET : 0);
  const ScratchFile scratch;
  make_room(scratch, header_bytes(schema, format), path);
  const AlignmentHints hints(alignment);
  HeaderFile file(path, WEIR_EARGUMENT);
  file.check(ncmpi_create(MPI_COMM_SELF, scratch.path().c_str(), NC_CLOBBER | mode, hints.info(), file.place()),
             "the header");
  int ignored = 0;
  file.check(ncmpi_set_fill(file.id(), NC_NOFILL, &ignored), "the fill mode");
  define_schema(file, schema);
  file.check(
      ncmpi__enddef(file.id(), alignment.header_free_bytes, std::max(alignment.variable_align_bytes, tight_align_bytes),
                    0, std::max(alignment.record_align_bytes, tight_align_bytes)),
      "the definitions");
  DefinedHeader header{inquire_geometry(file, schema, format), {}};
  const std::int64_t bytes = file.header_bytes();
  file.close();
  header.bytes = scratch.read(bytes);
  return header;
}

void check_alignment(const Alignment& alignment) {
  for (const auto& [what, bytes] : {std::pair{"header_free", alignment.header_free_bytes},
                                    std::pair{"variable_align", alignment.variable_align_bytes},
                                    std::pair{"record_align", alignment.record_align_bytes}}) {
    require(
        bytes >= 0 && bytes <= largest_gap_bytes, WEIR_EARGUMENT,
        std::string(what) + " is " + std::to_string(bytes) + " bytes; give 0 to " + std::to_string(largest_gap_bytes));
  }
}

}  // namespace

DefinedHeader define_header(const std::string& path, const Schema& schema, const Alignment& alignment, int format) {
  check_alignment(alignment);
  const int chosen = format == 0 ? minimal_format(schema, alignment) : format;
  const auto obstacle = format_obstacle(schema, alignment, chosen);
  require(!obstacle, WEIR_EARGUMENT,
          "CDF-" + std::to_string(chosen) + " cannot hold " + in_quotes(path) + ": " + obstacle.value_or("") +
              (chosen == 5 ? "; make it smaller" : "; ask for CDF-5, or for no format"));
  return make_header(path, schema, alignment, chosen);
}

}  // namespace weir
