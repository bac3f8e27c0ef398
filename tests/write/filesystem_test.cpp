// SPDX-License-Identifier: Apache-2.0
#include "storage/filesystem.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/error.hpp"

namespace weir {
namespace {

TEST(FileSystem, KnowsTmpfs) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "there is no /dev/shm";
  const FileSystem system = inspect_file_system("/dev/shm/no_such_file.nc");
  EXPECT_EQ(system.name, "tmpfs");
  EXPECT_FALSE(system.shared_between_hosts);
  EXPECT_TRUE(system.coherent);
  EXPECT_EQ(system.stripe_bytes, 0);
}

TEST(FileSystem, AnswersForTheDirectoryOfAFileThatIsNotThere) {
  const auto directory = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(inspect_file_system(directory + "/no_such_file.nc").name, inspect_file_system(directory).name);
  EXPECT_EQ(inspect_file_system("no_such_file.nc").name, inspect_file_system(".").name);
  EXPECT_FALSE(inspect_file_system("/no_such_file.nc").name.empty());
}

TEST(FileSystem, TakesTheNameOfWhatStatfsDoesNotKnowFromTheMounts) {
  EXPECT_EQ(inspect_file_system("/proc").name, "proc");
  EXPECT_FALSE(inspect_file_system("/proc").coherent);
}

TEST(FileSystem, RefusesADirectoryThatIsNotThere) {
  try {
    inspect_file_system("/no/such/directory/x.nc");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EIO);
    EXPECT_STREQ(
        error.what(),
        "cannot create \"/no/such/directory/x.nc\": the directory \"/no/such/directory\" does not exist; make it "
        "first");
  }
}

std::vector<std::byte> lustre_attribute(std::uint32_t magic, std::uint32_t stripe_bytes, std::size_t length) {
  std::vector<std::byte> attribute(std::max<std::size_t>(length, 32));
  std::memcpy(attribute.data(), &magic, sizeof(magic));
  std::memcpy(attribute.data() + 24, &stripe_bytes, sizeof(stripe_bytes));
  attribute.resize(length);
  return attribute;
}

TEST(FileSystem, ReadsTheStripeSizeOfLustre) {
  EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD10BD0, 4U << 20, 56)), 4 << 20);
  EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD30BD0, 1U << 20, 72)), 1 << 20);
  EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD60BD0, 1U << 20, 72)), 0);  // a composite layout
  EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD10BD0, 12345, 56)), 0);
  EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD10BD0, 0, 56)), 0);
  EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD10BD0, 4U << 20, 27)), 0);
  EXPECT_EQ(lustre_stripe_bytes({}), 0);
}

TEST(FileSystem, FindsAMountByItsDevice) {
  const std::string lines =
      "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
      "90 27 0:52 / /scratch rw,relatime shared:1 master:2 - fuse.glusterfs storage1:/scratch rw,user_id=0\n"
      "91 27 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "92 27 9:9 / /broken rw\n";
  const auto mount = [&](unsigned major, unsigned minor) {
    std::istringstream stream(lines);
    return find_mount(stream, major, minor);
  };
  EXPECT_EQ(mount(0, 52).type, "fuse.glusterfs");
  EXPECT_EQ(mount(0, 52).source, "storage1:/scratch");
  EXPECT_EQ(mount(8, 1).type, "ext4");
  EXPECT_EQ(mount(8, 2).type, "");
  EXPECT_EQ(mount(9, 9).type, "");
}

}  // namespace
}  // namespace weir
