// SPDX-License-Identifier: Apache-2.0
// The mode `limit`: the least that output can cost a model that computes. Each rank copies its buffers once, as they
// lie in memory and big-endian, and a thread of its own writes them into a file of the rank's own, past the page cache.
// Not netCDF.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"
#include "check.hpp"
#include "mode.hpp"
#include "past_cache_file.hpp"

namespace weir::bench {
namespace {

std::int64_t up_to(std::int64_t multiple, std::int64_t bytes) {
  return (bytes + multiple - 1) / multiple * multiple;
}

class Limit final : public Mode {
 public:
  explicit Limit(const Scene& scene) : Mode(scene) {}

  // Memory for the fixed variables and two records: one is written while the next one is put.
  void prepare() override {
    const std::int64_t records = std::min<std::int64_t>(2, work().records);
    const std::int64_t slots = slots_of(false) + records * slots_of(true);
    file_ = std::make_unique<PastCacheFile>(std::max<std::int64_t>(2, slots));
  }

  void begin(const std::string& path) override { file_->open(own_path(path)); }
  void put_fixed() override { put(false, 0); }
  void put_record(std::int64_t record) override { put(true, record); }
  void end() override { file_->close(); }

  std::optional<bool> verify(const std::string& path, std::string& why) override {
    const std::string own = own_path(path);
    const int file = ::open(own.c_str(), O_RDONLY);
    check_system(file, formatted("opening {}", own));
    std::int64_t at = 0;
    int good = holds(file, at, false, 0) ? 1 : 0;
    for (std::int64_t record = 0; record < work().records; ++record) good = good && holds(file, at, true, record);
    good = good && ::lseek(file, 0, SEEK_END) == at;
    check_system(::close(file), formatted("closing {}", own));
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, scene().comm), "MPI_Allreduce");
    if (!good) why = "a rank's own file does not hold what it put";
    return good != 0;
  }

  std::string remark() override {
    if (!file_ || !file_->through_cache()) return "";
    return "this file system cannot be written past the page cache (O_DIRECT): it was written through it";
  }

 private:
  void put(bool record_variables, std::int64_t record) {
    for (const int v : variables(record_variables)) {
      file_->append(scene().data.at(v, record), own_bytes(v), type_bytes(work().variables[v].type));
    }
    file_->hand_over();
  }

  // Whether the file holds these variables from `at` on, which becomes the place behind them.
  bool holds(int file, std::int64_t& at, bool record_variables, std::int64_t record) const {
    bool good = true;
    std::int64_t bytes = 0;
    for (const int v : variables(record_variables)) {
      good = good && holds_values(file, at + bytes, v, record);
      bytes = up_to(PastCacheFile::append_bytes, bytes + own_bytes(v));
    }
    at += up_to(PastCacheFile::block_bytes, bytes);
    return good;
  }

  bool holds_values(int file, std::int64_t at, int v, std::int64_t record) const {
    const std::int64_t size = type_bytes(work().variables[v].type);
    const std::byte* const values = scene().data.at(v, record);
    std::vector<std::byte> read(static_cast<std::size_t>(own_bytes(v)));
    for (std::int64_t done = 0; done < std::ssize(read);) {
      const ssize_t got = ::pread(file, read.data() + done, read.size() - static_cast<std::size_t>(done), at + done);
      check_system(got, "reading an own file");
      if (got == 0) return false;
      done += got;
    }
    for (std::int64_t first = 0; first < std::ssize(read); first += size) {
      if (!std::equal(values + first, values + first + size, std::make_reverse_iterator(read.data() + first + size)))
        return false;
    }
    return true;
  }

  [[nodiscard]] std::string own_path(const std::string& path) const { return formatted("{}.{}", path, rank()); }

  [[nodiscard]] std::int64_t slots_of(bool record_variables) const {
    std::int64_t bytes = 0;
    for (const int v : variables(record_variables)) bytes += own_bytes(v) + PastCacheFile::append_bytes;
    return (bytes + PastCacheFile::slot_bytes - 1) / PastCacheFile::slot_bytes;
  }

  std::unique_ptr<PastCacheFile> file_;
};

}  // namespace

std::unique_ptr<Mode> make_limit(const ModeSpec& spec, const Scene& scene) {
  if (!spec.settings.empty()) return make_packing_limit(spec, scene);
  return std::make_unique<Limit>(scene);
}

}  // namespace weir::bench
