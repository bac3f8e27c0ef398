// SPDX-License-Identifier: Apache-2.0
#include "file/history.hpp"

#include <algorithm>

namespace weir {

namespace {

constexpr std::size_t most_files = 1000;

}  // namespace

void FileHistory::add(const FileSummary& file) {
  last_[file.serial] = file;
  if (last_.size() <= most_files) return;
  const FileSummary& oldest = last_.begin()->second;
  ++earlier_.files;
  earlier_.records += oldest.records;
  earlier_.bytes_written += oldest.bytes_written;
  earlier_.compress_seconds += oldest.compress_seconds;
  earlier_.packing_bytes = std::max(earlier_.packing_bytes, oldest.packing_bytes);
  last_.erase(last_.begin());
}

const FileSummary* FileHistory::attachment(const std::string& path) const {
  const auto found = std::find_if(last_.rbegin(), last_.rend(), [&](const auto& entry) {
    return entry.second.attachment && entry.second.path == path;
  });
  return found == last_.rend() ? nullptr : &found->second;
}

}  // namespace weir
