// SPDX-License-Identifier: Apache-2.0
// A file's definitions: checks and collects them, compares them between ranks, and makes the file at enddef. The checks
// of names, types and shapes are in schema/schema.hpp, the file itself in formats/output_file.hpp. weir.h states what a
// program may call.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file/file_state.hpp"

namespace weir {

// All methods throw Error, unless a method says otherwise.
class Definitions {
 public:
  explicit Definitions(FileState& state);

  // Runs `define` on the schema.
  // Requires: the file is in define mode.
  // Local.
  // Errors: WEIR_ESTATE after enddef; the file then fails on all ranks at their next agreement. Other errors are
  // `define`'s, with the path before them; enddef() reports the first on all ranks.
  template <class Define>
  void define(Define define);
  // Set the fill mode, and the alignment of variables. As define(); WEIR_EARGUMENT for values that are not valid.
  void set_fill(weir_fill_mode mode);
  void set_alignment(const Alignment& alignment);
  // Chooses the format and compression of a new file from `mode` and the configuration's rules.
  // Local.
  // Errors: returns WEIR_EARGUMENT if `mode` names several formats.
  Status take_format(int mode);
  int format_asked() const noexcept { return format_asked_; }
  // Sets MPI-IO hints for an attached file; the configuration's hints win. Local.
  void set_hints(std::map<std::string, std::string> hints) { hints_ = std::move(hints); }
  // Sends the definitions so far to the servers (`strategy: servers`). Local.
  // Errors: enddef() reports a failure.
  void tell();
  // Replaces this server's definitions by those in rank 0's message. Local.
  void adopt(const BroadcastCall& definition);
  // Compares the definitions of all ranks, then makes the file, or redefines an existing one.
  // Requires: the file is in define mode.
  // Ensures: the file takes puts. All ranks have the same definitions.
  // Collective.
  // Errors: WEIR_EMISMATCH if definitions differ, with the first difference; else the first refused definition, or the
  // storage's error. A new file has then failed. A redefined file goes on with its former definitions if the new ones
  // could not be made. All ranks get the same error.
  void enddef();
  // Puts a file into define mode again, after its output has ended with a commit.
  // Requires: all ranks call it.
  // Local.
  void reopen();
  // Begins writing to a file that exists.
  // Requires: the schema is the file's, and `existing` is its geometry.
  // Collective; for an attached file only if its sink or the advice is.
  // Errors: the storage's; the file has then failed. For an attached file the error is of this rank alone.
  void go_on_with(const Geometry& existing);

 private:
  void require_defining();
  using Settings = std::array<std::int64_t, 4>;
  Settings settings() const noexcept;
  Status difference_from_rank_0(std::vector<std::byte>& definitions, std::string_view call);
  void compare();
  void begin_writing(const Geometry* existing);
  Status extend();
  void redefine(const Schema& before);
  OutputOptions output_options(bool existing) const;
  OutputOptions with_writers(OutputOptions options) const;
  void make_output(const OutputOptions& options, const Geometry* existing);
  void pack_by_rule(int first);
  void chunk_by_rule(int first);
  std::string packing_in_words(const Geometry* existing) const;
  void require_unpacked(int first) const;
  void require_kept() const;

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  Alignment alignment_;
  int format_asked_ = 0;
  struct Packing {
    CompressionKind kind = CompressionKind::none;
    int level = 1;
    int chunk_records = 1;
  };
  Packing packing_;  // of variables of a packed file for which the program sets none
  std::map<std::string, std::string> hints_;
  std::optional<Schema> former_;  // the definitions before a redefinition
};

template <class Define>
void Definitions::define(Define define) {
  require_defining();
  try {
    define(file_.schema);
    require_kept();
  } catch (const Error& error) {
    state_.refused.merge({error.code(), file_.path + ": " + error.what(), Scope::of(file_.serial)});
    throw Error(error.code(), file_.path + ": " + error.what(), error.where());
  }
}

}  // namespace weir
