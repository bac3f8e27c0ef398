// SPDX-License-Identifier: Apache-2.0
// Files that are written to be timed: by the sink that the library would choose for the folder, with the durability
// that it has by default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/output_file.hpp"
#include "sampler.hpp"
#include "storage/sink.hpp"

namespace weir::profile {

// A file made by one rank that goes when this does.
class ScratchPath {
 public:
  // Throws Error(WEIR_EIO).
  explicit ScratchPath(std::string path);
  ~ScratchPath();
  ScratchPath(const ScratchPath&) = delete;
  ScratchPath& operator=(const ScratchPath&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// So many writers write `bytes` each.
struct Trial {
  int writers;
  std::int64_t bytes;
  bool one_file;  // else one a writer
};

class Trials {
 public:
  // Collective.
  explicit Trials(const Site& site);
  // From the first byte until all is on stable storage. Collective; throws Error(WEIR_EIO) on the rank that
  // could not write.
  Span write(const Trial& trial);
  // `count` short pieces of each writer, all writers' in turn, into one file that is there already. Where writing is
  // collective no rank writes pieces. Collective; throws as write().
  Span write_pieces(int writers, std::int64_t count);
  // Seconds of a core that this rank needs to write so many bytes alone as a thread besides a model writes them, past
  // the page cache where the library does so. Local; throws Error(WEIR_EIO).
  double write_in_between(std::int64_t bytes);
  // Making a file durable that holds next to nothing. Collective.
  Span sync();
  const SinkChoice& choice() const noexcept { return choice_; }

 private:
  using Writing = std::function<Status(Sink& sink, int place)>;
  Span in_files(const Trial& trial, const Writing& prepare, const Writing& timed);
  Status write_stretch(Sink& sink, std::int64_t begin, std::int64_t bytes) const;
  const std::byte* data() const noexcept;
  std::unique_ptr<ScratchPath> make_files(const Trial& trial, int place) const;
  const Comm& comm_for(const Trial& trial, int place);

  const Site& site_;
  SinkChoice choice_;
  std::vector<std::byte> data_;
  std::map<int, Comm> groups_;  // by number of writers: who is one, and who is not
  Comm alone_;
};

}  // namespace weir::profile
