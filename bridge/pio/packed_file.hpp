// SPDX-License-Identifier: Apache-2.0
// A file that Weir makes beneath PIO's calls: netCDF-4, or a classic one from which streams take their records. PIO has
// a definition shadow of it in the memory of its first I/O task, a netCDF-4 file of serial netCDF
// (PIO_IOTYPE_NETCDF4C): definitions, attributes, inquiries and modes are PIO's there, and so are values of
// PIOc_put_var, with their codes; no arrays are. Weir makes the file of the shadow's definitions at the first data,
// sync or close, and writes arrays and values to it; definitions that come later are given to it then. What is got is
// got by PIO, from the file as it was committed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pio/packed_definition.hpp"
#include "pio/written_file.hpp"

namespace weir::bridge {

class PackedPioFile final : public WrittenFile {
 public:
  // PIO has just made the definition shadow of this number; `system_number` is of its I/O system.
  PackedPioFile(int number, int system_number, std::shared_ptr<System> system, FileName name, bool classic_model);

  // What the program says of a variable's storage. Local.
  StorageOptions& storage_options(int var) { return storage_options_[var]; }
  // The same of its chunk, which PIO has taken; nullptr: none. Local.
  void set_chunk(int var, const MPI_Offset* lengths);

  void enter_definitions() noexcept override {}
  void end_definitions() noexcept override {}
  void note_definition() noexcept override { redefined_ = true; }
  // What Weir does not rearrange PIO puts into its definition shadow, and Weir takes it from there; what PIO refuses
  // has its code, and what Weir cannot do NC_ENOTSUPPORT and a sentence.
  int put(const Arrays& arrays, LibraryCall library_call) override;
  int put_values(const Values& values, LibraryCall library_call) override;
  int put_record(const Arrays& array, int type, LibraryCall library_call) override;
  int look(int& number) override;
  int redefine() override { return 0; }
  int sync() override;
  int close(LibraryCall original) override;
  bool written_by_weir() const noexcept override { return true; }

 private:
  int start();
  int begin(Schema schema);
  int commit();
  bool takes(const Arrays& arrays, std::size_t i, const Decomposition& held);
  Reason try_to_put(const Arrays& arrays, Decomposition& held, int& code);
  int put_by_original(const Arrays& arrays, LibraryCall library_call);
  int take_over(int var, std::int64_t frame);
  int carry(const LocalSlabs& part);
  Slab slab_of(const Values& values, std::int64_t records) const;
  int refuse(const std::string& why);
  void close_reader();
  bool is_classic() const noexcept { return name_.mode != WEIR_NETCDF4; }

  int system_number_;
  bool classic_model_;
  std::map<int, StorageOptions> storage_options_;
  bool redefined_ = false;                    // since Weir was given the definitions
  bool committed_ = false, changed_ = false;  // since then
  int reader_ = -1;                           // PIO's number of the file, to get from
};

// The same as called_file(), of such a file. Local.
PackedPioFile* called_packed_file(int number) noexcept;

// What PIO would create as netCDF-4, or as a classic file that feeds streams, is created for Weir to make. False: it is
// PIO's, for `reason`. Collective.
struct Creation {
  int system;
  int iotype;
  const char* name;
  int mode;
};
bool create_packed(const Creation& creation, int* file, int& code, Reason& reason);

}  // namespace weir::bridge
