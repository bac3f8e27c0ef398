// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/library_state.hpp"

#include "core/original.hpp"
#include "pnetcdf/definition.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

namespace {

// Up to PnetCDF 1.13 a put of no elements adds records. A call that would tell of it would leave them in the file.
bool counts_empty() {
  static const bool counts = !is_newer(version_of_original("ncmpi_inq_libvers"), "1.13");
  return counts;
}

}  // namespace

void LibraryState::enter(Mode mode) noexcept {
  if (mode_ == Mode::define || mode == Mode::define) known_ = false;
  mode_ = mode;
}

DefinedFile LibraryState::ask() const {
  return made_ ? whole_definition_of(ncid_) : definition_of(ncid_);
}

void LibraryState::learn(const DefinedFile& defined) {
  variables_ = variables_of(defined);
  record_variable_ = -1;
  record_dimension_ = defined.schema.record_dimension();
  record_bytes_ = defined.geometry.record_bytes;
  format_ = defined.geometry.format;
  for (int var = 0; var < std::ssize(variables_); ++var) {
    if (variables_[static_cast<std::size_t>(var)].record) record_variable_ = var;
    if (!relaxed_) relaxed_ = is_relaxed(var);
  }
  known_ = true;
  records_ = defined.geometry.records;
}

FileForm LibraryState::form(std::int64_t records) const {
  return {format_, records, relaxed_, record_bytes_, counts_empty()};
}

// Whether the library lets a call put nothing just behind a dimension's end: a matter of how it was built, and of the
// environment. Posting such a put tells, and leaves nothing behind.
bool LibraryState::is_relaxed(int var) const {
  const Variable& variable = variables_[static_cast<std::size_t>(var)];
  if (variable.shape.empty() || (variable.record && variable.shape.size() == 1)) return false;
  std::vector<MPI_Offset> start(variable.shape.size(), 0), count(variable.shape.size(), 0);
  start.back() = variable.shape.back();
  int request = NC_REQ_NULL;
  return WEIR_ORIGINAL(ncmpi_iput_vara)(ncid_, var, start.data(), count.data(), nullptr, 0, MPI_DATATYPE_NULL,
                                        &request) == NC_NOERR;
}

// PnetCDF's ncmpi_inq_dimlen calls ncmpi_inq_dim, which would then be the bridge's, and tell of Weir's records too.
bool LibraryState::count_records() {
  MPI_Offset records = 0;
  if (record_dimension_ < 0 || WEIR_ORIGINAL(ncmpi_inq_dim)(ncid_, record_dimension_, nullptr, &records) != NC_NOERR)
    return false;
  records_ = records;
  return true;
}

}  // namespace weir::bridge
