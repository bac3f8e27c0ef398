// SPDX-License-Identifier: Apache-2.0
// The files that a program writes through the bridge, by PnetCDF's own numbers. A call with another number goes to the
// underlying library unchanged, and so does every call whose arguments the library must check.
//
// In collective mode Weir writes; before any other access to the file, flush_before() writes all data to where the
// library finds them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/border.hpp"
#include "core/kept_puts.hpp"
#include "pnetcdf/intercept_decision.hpp"
#include "pnetcdf/library_state.hpp"
#include "pnetcdf/put_calls.hpp"
#include "pnetcdf/requests.hpp"
#include "pnetcdf/returned_requests.hpp"

namespace weir::bridge {

class BridgedFile final : public Border {
 public:
  // A file that the library has just created, or opened to write. `obstacle`: why it is the library's alone, as far as
  // this rank knows. `shared`: the program wants what it puts on storage, call by call (NC_SHARE).
  struct Opened {
    int ncid;
    FileName name;
    Reason obstacle;
    bool shared;
  };
  BridgedFile(std::shared_ptr<RankGroup> group, Opened opened);

  // The file as the library has it, and whose it is.
  LibraryState& library() noexcept { return library_; }
  InterceptDecision& intercept() noexcept { return intercept_; }
  // Weir makes it.
  bool made() const noexcept { return intercept_.made(); }

  // What a call of a made file returns that cannot be done there; the first one's sentence is said, by rank 0 where all
  // ranks make the call, or by this one.
  int refuse(const std::string& why);
  int refuse_alone(const std::string& why);
  // Of a made file: a put of this rank alone. It is kept, with its values, until all ranks agree. Local.
  int keep_alone(const Prepared& put);
  // Whether Weir may carry what is put now.
  bool written_by_weir() const noexcept { return ready() && library_.mode() == LibraryState::Mode::collective; }
  // The same, whether all ranks agree now or not.
  bool ready() const noexcept { return intercept_.ready(); }
  // The library has ended definitions, with this code here: whose the file is, is decided now. A file that Weir has
  // made already gets what is new when it is next put into, or committed. Returns what the call returns. Collective.
  int end_definitions(int code);
  // The same of a file that was opened. Collective.
  void begin();
  // Counts a call that goes to the library: by the reason of the whole file or of its mode, or by `reason`.
  void pass(Reason reason = Reason::none) noexcept;

  // A collective put of all ranks: parts, or a reason why this rank cannot. reason none in the outcome: it is done, and
  // `code` is what the call returns.
  struct Answer {
    bool taken = false;
    int code = 0;
    Reason reason = Reason::none;  // why it is not taken
  };
  Answer put(std::span<const LocalSlabs> parts, std::int64_t records, Reason refusal, bool* question = nullptr);

  // Before the library reads or writes data, or shows what it knows: all that was put is in the file, and the library
  // knows how many records there are. `reads`: it writes none by itself. `stores`: they are on storage too.
  // `redefines`: the library may change the header or lay the file out anew, or has the file to itself for a while; it
  // is asked again before Weir goes on. `closes`: that, for good. Returns what the call returns where this fails.
  // Collective.
  enum class NextAccess { reads, transfers, stores, redefines, closes };
  int flush_before(NextAccess next_access);
  // After the library has written: how many records there are now. Local; alike on all ranks in collective mode.
  void learn();

  // Of the library, which is asked again where it may have others by now. Throws Error as LibraryState::ask.
  const std::vector<Variable>& variables();
  // Of the file, whether the library knows of them or not.
  std::int64_t records() const noexcept { return intercept_.file_writer() ? intercept_.file_writer()->records() : 0; }
  Requests& requests() noexcept { return requests_; }
  ReturnedRequests& handed_over() noexcept { return handed_over_; }

 private:
  using Mode = LibraryState::Mode;

  void decide(bool well);
  Status bring(NextAccess next_access);
  int look_made(NextAccess next_access);
  int put_kept();
  int learn_again();
  int tell();
  int put_nothing(int var, std::int64_t record);
  int put_last_element(int var, std::int64_t record);
  int put_to_tell(int var, std::int64_t record, std::int64_t count, const void* values);
  void learn_definition(DefinedFile defined);

  bool shared_;
  LibraryState library_;
  InterceptDecision intercept_;
  Requests requests_;
  ReturnedRequests handed_over_;
  KeptPuts kept_;
  bool refused_ = false, refused_alone_ = false;
  int lost_ = 0;  // the library's code for values that were kept and could not be put
};

// What a call returns on a file that Weir should make, and cannot, since its definitions have ended.
int refuse_undefined(BridgedFile& file);

// A call on a file, by PnetCDF's number; where that is none of the bridge's, `body` is all there is to it. As
// collective as that.
int at_file(int ncid, LibraryCall body) noexcept;

void add_file(int ncid, std::unique_ptr<BridgedFile> file);
std::unique_ptr<BridgedFile> take_file(int ncid);
// MPI ends: what was put is in the files, as the library would have it by then, and nothing is written any more.
void end_files() noexcept;
// The bridge, as it is called in what it says.
inline constexpr const char* bridge_name = "weir_pnetcdf";
// The bridge's process; nullptr where the underlying library is not one that it was built for, or in a fork's child.
Process* process() noexcept;

}  // namespace weir::bridge
