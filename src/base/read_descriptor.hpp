// SPDX-License-Identifier: Apache-2.0
// A file open for reading, closed at the end of its scope. Local; throws Error(WEIR_EIO) with path and place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace weir {

class ReadDescriptor {
 public:
  explicit ReadDescriptor(const std::string& path);
  ~ReadDescriptor();
  ReadDescriptor(const ReadDescriptor&) = delete;
  ReadDescriptor& operator=(const ReadDescriptor&) = delete;

  void read(std::byte* target, std::int64_t bytes, std::int64_t offset) const;
  // Length of the file.
  std::int64_t bytes() const;

 private:
  std::string path_;
  int number_;
};

}  // namespace weir
