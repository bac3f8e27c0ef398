// SPDX-License-Identifier: Apache-2.0
// peer:raw: a file a rank, its own buffers as they lie in memory, one plain write each: the ceiling of this file
// system, and no netCDF. Setting: sync=1 flushes before close.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "check.hpp"
#include "peers/peer.hpp"

namespace weir::bench {
namespace {

// The system may take less than is offered.
void write_all(int file, const std::byte* values, std::int64_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::write(file, values, bytes);
    check_system(written, "writing a raw file");
    values += written;
    bytes -= written;
  }
}

bool holds(int file, const std::byte* values, std::int64_t bytes, std::vector<std::byte>& scratch) {
  scratch.resize(std::min<std::int64_t>(bytes, 1 << 20));
  while (bytes > 0) {
    const ssize_t got = ::read(file, scratch.data(), std::min<std::int64_t>(bytes, std::ssize(scratch)));
    check_system(got, "reading a raw file");
    if (got == 0 || std::memcmp(values, scratch.data(), got) != 0) return false;
    values += got;
    bytes -= got;
  }
  return true;
}

class RawPeer final : public Mode {
 public:
  RawPeer(PeerSettings settings, const Scene& scene) : Mode(scene), sync_(settings.take_flag("sync", false)) {
    settings.refuse_rest("peer:raw");
  }

  void begin(const std::string& path) override {
    const std::string own = own_path(path);
    file_ = ::open(own.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    check_system(file_, formatted("creating {}", own));
  }

  void put_fixed() override {
    for (const int v : variables(false)) write({v, 0});
  }

  void put_record(std::int64_t record) override {
    for (const int v : variables(true)) write({v, record});
  }

  void end() override {
    if (sync_) check_system(::fdatasync(file_), "fdatasync of a raw file");
    check_system(::close(file_), "closing a raw file");
  }

  std::optional<bool> verify(const std::string& path, std::string& why) override {
    const std::string own = own_path(path);
    const int file = ::open(own.c_str(), O_RDONLY);
    check_system(file, formatted("opening {}", own));
    std::vector<std::byte> scratch;
    std::int64_t bytes = 0;
    int good = 1;
    for (const auto& [v, record] : writing_order()) {
      good = good && holds(file, scene().data.at(v, record), own_bytes(v), scratch);
      bytes += own_bytes(v);
    }
    struct stat status {};
    check_system(::fstat(file, &status), formatted("asking the size of {}", own));
    check_system(::close(file), formatted("closing {}", own));
    good = good && status.st_size == bytes;
    return all_read_back(good != 0, scene().comm, why);
  }

 private:
  void write(Field field) const {
    write_all(file_, scene().data.at(field.variable, field.record), own_bytes(field.variable));
  }

  [[nodiscard]] std::string own_path(const std::string& path) const { return formatted("{}.{}", path, rank()); }

  [[nodiscard]] std::vector<Field> writing_order() const {
    std::vector<Field> fields;
    for (const int v : variables(false)) fields.push_back({v, 0});
    for (std::int64_t record = 0; record < work().records; ++record) {
      for (const int v : variables(true)) fields.push_back({v, record});
    }
    return fields;
  }

  bool sync_;
  int file_ = -1;
};

}  // namespace

std::unique_ptr<Mode> make_peer_raw(const Settings& settings, const Scene& scene) {
  return std::make_unique<RawPeer>(PeerSettings(settings, scene.hints), scene);
}

}  // namespace weir::bench
