// SPDX-License-Identifier: Apache-2.0
// What is on the disk if the power goes now: files as they were when they were last synced, and of what was written and
// renamed since, any part. POSIX promises no more, and no order. A sync is of what its host has written: others have
// caches of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine.hpp"

namespace sim {

class Platter {
 public:
  explicit Platter(std::string folder) : folder_(std::move(folder)) {}

  // After the calls, of open files and of paths in the folder.
  void opened(int descriptor, const std::string& path);
  void wrote(int descriptor, std::int64_t offset, const void* data, std::size_t bytes);
  void resized(int descriptor, std::int64_t bytes);
  void synced(int descriptor);
  void renamed(const std::string& from, const std::string& to);
  void removed(const std::string& path);
  void linked(const std::string& target, const std::string& path);

  // Makes the folder what is on the disk.
  void cut(Chance& chance);

 private:
  using Bytes = std::vector<char>;
  // A write, or a new length (no bytes).
  struct Change {
    std::int64_t offset;
    Bytes bytes;
    bool resize;
    int host;  // of the process that made it
  };
  struct File {
    Bytes stable;
    std::vector<Change> since;
  };
  // What a name means: a file, or a symbolic link's target, or nothing.
  struct Meaning {
    std::uint64_t file = 0;
    std::string target;
    bool nothing() const { return file == 0 && target.empty(); }
  };
  // A name that now means something else.
  struct Naming {
    std::string path;
    Meaning meaning;
  };
  using Names = std::map<std::string, Meaning>;

  static std::uint64_t inode_of(int descriptor);
  static void apply(Bytes& bytes, const Change& change);
  static Bytes left_of(const File& file, Chance& chance);
  void put_there(const std::string& path, const Meaning& meaning, std::map<std::uint64_t, Bytes>& left, Chance& chance);
  static Change torn(const Change& change, Chance& chance);
  std::uint64_t file_at(const std::string& path) const;
  void name(const std::string& path, const Meaning& meaning);
  static void apply(Names& names, const Naming& naming);

  std::string folder_;
  std::map<std::uint64_t, File> files_;
  Names names_;  // as programs see them
  Names stable_names_;
  std::vector<Naming> since_;  // in their order, which a journal keeps
};

}  // namespace sim
