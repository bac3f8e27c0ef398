// SPDX-License-Identifier: Apache-2.0
// The open files of one kind, by the numbers that the underlying library gave them. Local, all of it; takes nanoseconds
// when there is none.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace weir::bridge {

template <class File>
class NumberedFiles {
 public:
  // nullptr where the number is none of theirs.
  File* find(int number) const noexcept {
    if (files_.empty()) return nullptr;
    const auto found = files_.find(number);
    return found == files_.end() ? nullptr : found->second.get();
  }
  template <class Is>
  bool has(const Is& is) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& numbered) { return is(*numbered.second); });
  }
  // In the place of one that had this number.
  void add(int number, std::unique_ptr<File> file) { files_[number] = std::move(file); }
  // It is the caller's then; nullptr where there is none.
  std::unique_ptr<File> take(int number) {
    const auto found = files_.find(number);
    if (found == files_.end()) return nullptr;
    std::unique_ptr<File> file = std::move(found->second);
    files_.erase(found);
    return file;
  }
  // Each one by `end`, in the order of the numbers, and there is none left.
  template <class End>
  void end_all(const End& end) {
    for (auto& [number, file] : files_) end(*file);
    files_.clear();
  }

 private:
  std::map<int, std::unique_ptr<File>> files_;
};

// Those of this process, never destroyed: a program that ends without closing its files runs no destructor of theirs.
template <class File>
NumberedFiles<File>& numbered() {
  static auto* const open_files = new NumberedFiles<File>;
  return *open_files;
}

}  // namespace weir::bridge
