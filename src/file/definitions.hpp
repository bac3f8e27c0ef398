// SPDX-License-Identifier: Apache-2.0
// A file's definitions: what may be defined, how ranks exchange and compare them, and how the file is then made.
// Methods follow weir.h, which states their contracts; they throw Error.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file/file_state.hpp"

namespace weir {

class Definitions {
 public:
  explicit Definitions(FileState& state);

  // What is refused is kept and is all ranks' error at enddef; WEIR_ESTATE after enddef, and the file then fails on all
  // ranks at their next agreement. Local.
  template <class Define>
  void define(Define define);
  void set_fill(weir_fill_mode mode);
  void set_alignment(const Alignment& alignment);
  // As a new file of this mode, and by the configuration's rules; the status says what cannot be. Local.
  Status take_format(int mode);
  int format_asked() const noexcept { return format_asked_; }
  // Of a file of another library, besides the configuration's.
  void set_hints(std::map<std::string, std::string> hints) { hints_ = std::move(hints); }
  // Servers hear what there is so far. Where they cannot, that is kept as a refusal.
  void tell();
  // A server takes over what rank 0 has defined.
  void adopt(const BroadcastCall& definition);
  // The file is made, and can be put into. Collective; gives all ranks the same error. Of a file that is redefined: it
  // gets the new definitions, and goes on; where it cannot have them, it goes on with those that it had.
  void enddef();
  // Of a file whose output has just ended with a commit: it can be defined again. Local, called by all ranks.
  void reopen();
  // The same of a file that is there already. Collective, but of another library's file.
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
  OutputOptions output_options(bool append) const;
  OutputOptions with_writers(OutputOptions options) const;
  void make_output(const OutputOptions& options, const Geometry* existing);
  void pack_by_rule(int first);
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
  };
  Packing packing_;  // of a packed file's variables of which the program says nothing
  std::map<std::string, std::string> hints_;
  std::optional<Schema> former_;  // of a file that is redefined
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
