// SPDX-License-Identifier: Apache-2.0
// A netCDF-4 file of all ranks, which Weir makes, or opens to write. On each rank netCDF has a definition shadow of it
// in memory: a netCDF-4 file with the definitions and without data. netCDF answers calls for definitions, attributes,
// inquiries and modes from the shadow, and the program uses the shadow's number. Weir makes the file of these
// definitions (Carrier) at the first put that is not small, at a sync, or at the close; small puts until then are kept,
// so that a program may define between them. What it defines afterwards the file gets at the next put of all ranks,
// sync or close. A file that gets what Weir's files have not is netCDF's from then on (handover.hpp).
//
// A variable's access is collective or independent. Weir writes collective puts; those of a rank alone are kept until
// all ranks meet: at a sync, a collective get, the close, and when the variable's access has become collective. Gets
// are netCDF's, of the file as it was last committed.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/border.hpp"
#include "core/file_writer.hpp"
#include "core/kept_puts.hpp"
#include "netcdf/committed_file.hpp"
#include "netcdf/definition_shadow.hpp"
#include "netcdf/handover.hpp"
#include "netcdf/packed_variables.hpp"

namespace weir::bridge {

class PackedFile final : public Border {
 public:
  struct Opened {
    int ncid;          // of the definition shadow
    std::string path;  // as the program gave it
    int mode;
    bool collective;  // whatever the program says of access
    Origin origin;
    KeptInfo info;
  };
  PackedFile(std::shared_ptr<RankGroup> group, Opened opened);
  ~PackedFile() override;

  // The file is there, and the definition shadow has its definitions: Weir opens it, to be put into. Collective; alike
  // on all ranks, and where it fails there is nothing more to be done with this.
  Status go_on();

  const Opened& opened() const noexcept { return opened_; }
  // Absolute.
  const std::string& path() const noexcept { return committed_.path(); }
  DefinitionShadow& shadow() noexcept { return shadow_; }
  PackedVariables& variables() noexcept { return variables_; }
  // Put so far, as far as this rank knows.
  std::int64_t records() const noexcept;

  // Whether all ranks have defined alike what must be alike; where they have not, nothing can be done with the file
  // from now on, which is said. `extent` becomes that of all ranks. Collective.
  int compare(PutExtent& extent) { return compare(extent, "", nullptr); }
  // Before a call that changes the definitions: NC_ENOTSUPPORT, and said, where that cannot be any more. Local.
  int change();
  // The definitions that the file has by now: names and attributes of these stay, and more may be defined. nullptr
  // while it has none. Local.
  const Schema* written() const noexcept { return file_writer_ ? file_writer_->made_file().written() : nullptr; }
  // What a call returns that cannot be done here, and the first one's sentence said: by rank 0, of calls of all ranks.
  int refuse(int code, const std::string& why);
  int refuse_alone(int code, const std::string& why);
  void note(const std::string& sentence);
  // The program defines `what`, which Weir's files have not. nullopt: netCDF has the file now, under the same number,
  // with all that was defined and put, and gets this call and all later ones. Else the code of the call: netCDF cannot
  // have it (`refusal`), or could not make it. Collective, where netCDF can have it.
  std::optional<int> hand_over(int refusal, const std::string& what) { return hand_over(refusal, what, {}); }
  // The same of a plugin of HDF5's. Where it is missing on some ranks, the call is refused on all; where it is missing
  // on all, the file stays Weir's, and the call is netCDF's.
  struct Plugin {
    std::string name;
    bool missing = false;  // on this rank
  };
  std::optional<int> hand_over(int refusal, const std::string& what, const Plugin& plugin);
  // The same where definitions end, of chunks that Weir has no memory for; NC_NOERR if it has. Where netCDF cannot have
  // the file, it stays Weir's.
  // Requires: compare() has found that all ranks define alike.
  std::optional<int> hand_over_large_chunks();
  bool is_handed_over() const noexcept { return handed_over_; }

  // Collective where the variable's access is; else Local.
  int put(const PackedAccess& access, const void* values) noexcept;
  // A file of netCDF's to read from, as the variable is; Collective likewise.
  int reader_for(int var, int& reader) noexcept;
  // Collective. It is not to be used after the last two.
  int sync();
  int close() noexcept;
  int abort() noexcept;

 private:
  // A variable of the definition shadow.
  struct Target {
    int var;
    const PackedVariable& variable;
  };
  int compare(PutExtent& extent, const std::string& lacks, bool* missing);
  std::optional<int> refuse_missing(int refusal, const Plugin& plugin);
  std::string why_no_handover(const std::string& what) const;
  int give_to_netcdf();
  int put_together(const Target& target, int code, Prepared put);
  // A put of this rank alone, or its part of a call of all ranks.
  int keep(const PackedVariable& variable, const Prepared& put, const std::optional<KeptPuts::Together>& call);
  int start();
  void tell_more();
  int put_kept();
  int carry(std::span<const LocalSlabs> parts, std::int64_t records, std::int64_t bytes, Reason& reason);
  int commit();
  int finish(LibraryCall original);
  Counts& counts() noexcept { return file_writer_ ? file_writer_->counts() : own_counts_; }

  std::shared_ptr<RankGroup> group_;
  Opened opened_;
  DefinitionShadow shadow_;
  PackedVariables variables_;
  CommittedFile committed_;
  EarlyPuts early_;
  KeptPuts kept_;
  std::int64_t records_ = 0;
  std::unique_ptr<FileWriter> file_writer_;  // when Weir has the definitions
  Counts own_counts_;                        // until then
  bool redefined_ = false;                   // since Weir has the definitions
  bool is_there_ = false;                    // Weir did not make it
  bool handed_over_ = false;                 // to netCDF
  bool unsigned_ = true;                     // the definitions may have changed since they were signed
  std::int64_t signature_ = 0;               // of them, without attributes
  Status failed_;                            // why nothing can be done with it; alike on all ranks
  int lost_ = 0;                             // netCDF's code for values that were kept and could not be put
  std::set<std::string> refused_;
};

// nullptr where the number is none of theirs, or netCDF goes on with it. Local, nanoseconds where there is none.
PackedFile* packed(int ncid) noexcept;
// nullopt: it is left to netCDF, which is counted. Collective.
std::optional<int> create_packed(const intercepted::Opening& opening, int* ncid);
// The same of a netCDF-4 file that is there, to write.
std::optional<int> open_packed(const intercepted::Opening& opening, int* ncid);
std::unique_ptr<PackedFile> take_packed(int ncid);

// A file that netCDF could not open for all ranks, with this code. Where it is to be read, and netCDF has no parallel
// netCDF-4, each rank opens it for itself, under netCDF's number. Local.
int open_for_each(const char* path, int mode, int code, int* ncid);
bool is_open_for_each(int ncid) noexcept;
void close_for_each(int ncid) noexcept;

}  // namespace weir::bridge
