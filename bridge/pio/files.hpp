// SPDX-License-Identifier: Apache-2.0
// The files that a program writes through PIO and Weir, and whose bytes PIO keeps. PIO's I/O tasks have the file open
// in PnetCDF, define it, and put what comes by PIOc_put_var; distributed arrays are Weir's. PIO keeps its own puts
// until PIOc_sync or PIOc_closefile, and so does the bridge: there what Weir has is flushed first, then PIO writes, and
// last PIO is told how many records there are.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "pio/written_file.hpp"

namespace weir::bridge {

class PioFile final : public WrittenFile {
 public:
  // A file that PIO has just created, or opened to write. `obstacle`: why it is PIO's alone, as far as is known.
  PioFile(int number, std::shared_ptr<System> system, FileName name, Reason obstacle, bool defining);

  void enter_definitions() noexcept override { defining_ = true; }
  void end_definitions() noexcept override;
  void note_definition() noexcept override {}
  // Carried where Weir can, else PIO's, which has then written them.
  int put(const Arrays& arrays, LibraryCall library_call) override;
  // PIO's, which holds it until it syncs.
  int put_values(const Values& values, LibraryCall library_call) override;
  int put_record(const Arrays& array, int type, LibraryCall library_call) override;
  // PIO then knows how many records there are, too.
  int look(int& number) override;
  int redefine() override { return flush_before(NextAccess::redefines); }
  int sync() override;
  int close(LibraryCall original) override;
  bool written_by_weir() const noexcept override { return reason_ == Reason::none; }

 private:
  // What a put of an array is, as all ranks see it.
  struct PutTarget {
    int var;
    std::int64_t record;
  };
  enum class NextAccess { reads, redefines };
  int flush_before(NextAccess next_access);
  Reason prepare();
  void decide();
  bool takes(int var, const Decomposition& held, int frame) const;
  bool minds_fill(int var, const Arrays& arrays, const std::byte* value, const Decomposition& held);
  Reason find_places(const Arrays& arrays, const Decomposition& held, std::vector<PutTarget>& places);
  Reason try_to_put(const Arrays& arrays, Decomposition& held, int& code);
  Reason carry(const PutTarget& place, Decomposition& held, int layout, const void* values, int& code);
  void remember(const PutTarget& place, const Decomposition& held, const void* array);
  int tell();
  int sync_original();
  std::int64_t told_records();
  int raise_count(int code);

  Reason reason_;
  bool defining_;
  bool known_ = false;  // file_writer_ has the definitions as PIO has them now
  std::unique_ptr<NamedFile> named_;
  std::set<int> waiting_;  // variables that PIO has to write yet

  // One value of the last record, by which PIO learns that there is such a record.
  struct Mark {
    int var = -1;
    std::int64_t record = -1, element = -1;
    int holder = -1;
    Type type = WEIR_BYTE;
    double value = 0;  // as many of its bytes as the type has
  };
  Mark mark_;
};

}  // namespace weir::bridge
