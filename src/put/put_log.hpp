// SPDX-License-Identifier: Apache-2.0
// A log of this rank's puts since the last agreement, so that a difference between ranks can be reported. Local.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "write/open_file.hpp"

namespace weir {

class PutLog {
 public:
  struct Line {
    const OpenFile* file;
    int var;
    std::int64_t record;
    int layout;
  };
  void add(const Line& line);
  void clear() noexcept;
  // The file goes: what was put into it is kept in words.
  void leave(const OpenFile& file);
  // Equal on two ranks if they put the same.
  std::uint64_t signature() const noexcept { return signature_; }
  // The puts in words, in order; of very many only the first.
  enum class Detail { plain, with_layouts };
  std::vector<std::string> describe(Detail detail) const;

 private:
  std::vector<Line> lines_;
  std::map<std::size_t, std::string> lines_of_gone_files_;  // lines by number whose file is gone
  std::uint64_t signature_ = 0;
};

}  // namespace weir
