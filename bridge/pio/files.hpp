// SPDX-License-Identifier: Apache-2.0
// The files that a program writes through PIO and Weir, by PIO's own numbers. PIO's I/O tasks have the file open in
// PnetCDF, define it, and put what comes by PIOc_put_var; distributed arrays are Weir's. PIO keeps its own puts until
// PIOc_sync or PIOc_closefile, and so does the bridge: there what Weir carries lands first, then PIO writes, and last
// PIO is told how many records there are.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/again.hpp"
#include "core/carrier.hpp"
#include "core/numbered_files.hpp"
#include "pio/systems.hpp"

namespace weir::bridge {

class PioFile {
 public:
  // A file that PIO has just created, or opened to write. `obstacle`: why it is PIO's alone, as far as is known.
  PioFile(int number, std::shared_ptr<System> system, FileName name, Reason obstacle, bool defining);
  ~PioFile();
  PioFile(const PioFile&) = delete;
  PioFile& operator=(const PioFile&) = delete;

  // The mode of PIO's file has become this one.
  void enter_definitions() noexcept { defining_ = true; }
  void end_definitions() noexcept;
  void set_frame(int var, int frame) { frames_[var] = frame; }
  int frame(int var) const;
  void set_error_method(int method) noexcept { error_method_ = method; }

  // Weir carries arrays of it, or may once there is one.
  bool carries() const noexcept { return reason_ == Reason::none; }
  // Arrays of variables with one decomposition, one after another in memory, as PIO's calls name them. `frames`: a
  // record each; nullptr: what was set. `fill_values`: one each, or nullptr; PIO only compares them with the variables'
  // own (in PIOc_write_darray), or gives holes the values that are given here.
  struct Arrays {
    std::span<const int> vars;
    int decomposition = 0;
    std::int64_t elements = 0;  // of each, in memory
    const void* values = nullptr;
    const int* frames = nullptr;
    const void* fill_values = nullptr;
    enum class Fills { compared, given } fills = Fills::compared;
  };
  // All ranks put arrays: carried where Weir can, else PIO's, which has then written them (`again` is PIO's call).
  // Collective.
  int put(const Arrays& arrays, Again again);

  // Before PIO reads or writes data: all that was put is in the file, by Weir and by PIO, and PIO knows how many
  // records there are. `redefines`: PIO may lay the file out anew. Returns the code of the call where this fails.
  // Collective.
  enum class Then { reads, redefines };
  int look(Then then);
  // PIOc_sync: who reads the file by itself finds all that was put. Collective.
  int sync();
  // PIOc_closefile, by way of `original`. Collective.
  int close(Again original);
  // PIO holds a put of its own of this variable.
  void note_put(int var) { waiting_.insert(var); }
  void pass(Reason reason) noexcept { counts().pass(reason); }

 private:
  // What a put of an array is, as all ranks see it.
  struct PutTarget {
    int var;
    std::int64_t record;
  };
  Reason prepare();
  void decide();
  int frame_of(const Arrays& arrays, std::size_t i) const;
  bool takes(int var, const Decomposition& held, int frame) const;
  bool minds_fill(int var, const Arrays& arrays, const std::byte* value, const Decomposition& held);
  Reason find_places(const Arrays& arrays, const Decomposition& held, std::vector<PutTarget>& places);
  Reason try_to_put(const Arrays& arrays, Decomposition& held, int& code);
  Reason carry(const PutTarget& place, Decomposition& held, int layout, const void* values, int& code);
  Reason layout_of(Decomposition& held, int& layout, int& code);
  bool is_refused(const Arrays& arrays, const Decomposition& held);
  void remember(const PutTarget& place, const Decomposition& held, const void* array);
  int tell();
  int sync_original();
  std::int64_t told_records();
  int raise_count();
  int fail(const Status& trouble);
  Counts& counts() noexcept { return carrier_ ? carrier_->counts() : own_counts_; }

  int number_;
  std::shared_ptr<System> system_;
  FileName name_;
  Reason reason_;
  bool defining_;
  bool known_ = false;  // carrier_ has the definitions as PIO has them now
  std::unique_ptr<NamedFile> named_;
  std::unique_ptr<Carrier> carrier_;
  Counts own_counts_;
  std::map<int, int> frames_;
  std::set<int> waiting_;  // variables that PIO has to write yet
  int error_method_ = 0;   // 0: the system's
  bool failed_ = false;
  bool refused_ = false;        // a sentence about an array that is no part of its decomposition has been said
  std::map<int, bool> filled_;  // variables whose fill mode is on, as far as it was asked

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

// nullptr where the number is none of the bridge's, or where PIO calls, within a call of its own. Local.
PioFile* called_file(int number) noexcept;

}  // namespace weir::bridge
