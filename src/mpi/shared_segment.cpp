// SPDX-License-Identifier: Apache-2.0
#include "mpi/shared_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/descriptor.hpp"
#include "base/pages.hpp"
#include "base/text.hpp"

namespace weir {

namespace {

// How a neighbour finds a segment, and knows that it is this one: another process of that number, in a host that keeps
// processes apart, has another file there, or none.
struct Offered {
  std::int64_t process, descriptor, inode, bytes;
};

Descriptor make_file(std::int64_t bytes) {
  Descriptor file(::memfd_create("weir", MFD_CLOEXEC), "shared memory");
  if (file.number() >= 0 && ::ftruncate(file.number(), bytes) != 0) file.close();
  return file;
}

std::int64_t inode_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? static_cast<std::int64_t>(status.st_ino) : -1;
}

Descriptor open_file(const Offered& offered) {
  const std::string path = formatted("/proc/{}/fd/{}", offered.process, offered.descriptor);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC), path);
  if (file.number() >= 0 && inode_of(file.number()) != offered.inode) file.close();
  return file;
}

}  // namespace

SharedSegments::SharedSegments(const Comm& host, std::int64_t bytes, const Deadline& deadline) {
  const std::int64_t mapped = std::max<std::int64_t>(bytes, 1);
  const Descriptor mine = make_file(mapped);
  const Offered offer{::getpid(), mine.number(), inode_of(mine.number()), mapped};
  const std::vector<std::int64_t> all =
      allgather(host, std::span(&offer.process, sizeof offer / sizeof(std::int64_t)), deadline, "sharing of memory");
  std::int64_t refused = 0;
  for (int rank = 0; rank < host.size(); ++rank) {
    Offered offered{};
    std::memcpy(&offered, all.data() + static_cast<std::size_t>(rank) * sizeof offered / sizeof(std::int64_t),
                sizeof offered);
    segments_.push_back(map(open_file(offered).number(), offered.bytes));
    if (!segments_.back()) refused = 1;
  }
  // No rank closes a file that a neighbour has yet to open.
  allreduce_max(host, std::span(&refused, 1), deadline, "sharing of memory");
  require(refused == 0 || !deadline.overdue(), WEIR_ETIMEOUT,
          "sharing of memory: this rank was stopped, and ranks of its host have timed out meanwhile");
  require(refused == 0, WEIR_EMEMORY,
          "the ranks of a host cannot share {} bytes of memory each: lower buffer_limit, or allow for more memory or "
          "open files",
          bytes);
}

void SharedSegments::Unmap::operator()(std::byte* memory) const noexcept {
  ::munmap(memory, bytes);
}

SharedSegments::Segment SharedSegments::map(int descriptor, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* memory = descriptor < 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory != MAP_FAILED) ask_for_large_pages(memory, size);
  return Segment(memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory), Unmap{size});
}

void SharedSegments::synchronize() const noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace weir
