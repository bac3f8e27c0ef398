// SPDX-License-Identifier: Apache-2.0
// The files of a run, as the report tells of them: a thousand one by one, those before summed up, and nothing lost.
#include <gtest/gtest.h>

#include "file/put_history.hpp"

namespace weir {
namespace {

FileSummary summary(int serial) {
  FileSummary file;
  file.serial = serial;
  file.path = "out" + std::to_string(serial % 7) + ".nc";
  file.records = serial % 5;
  file.bytes_written = 100 * serial;
  file.compress_seconds = 0.5;
  file.packing_bytes = serial == 3 ? 9000 : 1000;
  file.attachment = serial % 2 == 0;
  return file;
}

TEST(FileHistory, LosesNothingOfFilesThatAreNotToldOneByOne) {
  FileHistory history;
  const int files = 2500;
  std::int64_t records = 0, bytes = 0;
  for (int serial = 1; serial <= files; ++serial) {
    history.add(summary(serial));
    records += serial % 5;
    bytes += 100 * serial;
  }
  EXPECT_EQ(history.last().size(), 1000u);
  EXPECT_EQ(history.last().begin()->first, files - 999);
  const FileHistory::Earlier& earlier = history.earlier();
  EXPECT_EQ(earlier.files, files - 1000);
  EXPECT_EQ(earlier.packing_bytes, 9000);
  EXPECT_DOUBLE_EQ(earlier.compress_seconds, 0.5 * (files - 1000));
  std::int64_t told_records = earlier.records, told_bytes = earlier.bytes_written;
  for (const auto& [serial, file] : history.last()) {
    told_records += file.records;
    told_bytes += file.bytes_written;
  }
  EXPECT_EQ(told_records, records);
  EXPECT_EQ(told_bytes, bytes);
}

TEST(FileHistory, FindsTheLatestAttachmentOfAPath) {
  FileHistory history;
  for (int serial = 1; serial <= 20; ++serial) history.add(summary(serial));
  const FileSummary* found = history.attachment("out4.nc");  // 4, 11 and 18; 11 was none
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->serial, 18);
  history.remove(18);
  found = history.attachment("out4.nc");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->serial, 4);
  EXPECT_EQ(history.attachment("other.nc"), nullptr);
}

TEST(FileHistory, TellsOfAFileOnceHoweverOftenItIsAdded) {
  FileHistory history;
  for (int time = 0; time < 3; ++time) history.add(summary(7));
  EXPECT_EQ(history.last().size(), 1u);
  EXPECT_EQ(history.earlier().files, 0);
}

}  // namespace
}  // namespace weir
