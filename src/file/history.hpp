// SPDX-License-Identifier: Apache-2.0
// The files of one instance, as the report lists them: the last ones one by one, those before summed up, so that a run
// that writes very many files needs no more memory for them. Alike on all ranks but for bytes. Local.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "write/open_file.hpp"

namespace weir {

class FileHistory {
 public:
  // Files that are not told one by one any more.
  struct Earlier {
    std::int64_t files = 0;
    std::int64_t records = 0;
    std::int64_t bytes_written = 0;  // by this rank
    double compress_seconds = 0;     // of its processor
    std::int64_t packing_bytes = 0;  // of its memory, at most, for one file
  };

  void add(const FileSummary& file);
  // The latest attachment to this file that was closed without an error; nullptr where there is none, or long ago.
  const FileSummary* attachment(const std::string& path) const;
  void remove(int serial) { last_.erase(serial); }

  const Earlier& earlier() const noexcept { return earlier_; }
  // By their numbers.
  const std::map<int, FileSummary>& last() const noexcept { return last_; }

 private:
  Earlier earlier_;
  std::map<int, FileSummary> last_;
};

}  // namespace weir
