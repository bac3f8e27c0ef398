// SPDX-License-Identifier: Apache-2.0
// A file of another format, which Weir makes by itself (FileName::made) at the first put, sync or close, with the
// definitions that the library has by then. It appears under its name when it is first committed. A record that no call
// covers is kept until it is complete, or until the file is committed. Later definitions are added at the next put or
// commit.
#pragma once

#include "core/partial_records.hpp"
#include "core/writer_state.hpp"

namespace weir::bridge {

class MadeFile {
 public:
  explicit MadeFile(WriterState& writer_state) : writer_state_(writer_state), records_(writer_state) {}

  // It is made (or opened, where it is there), and has the definitions that the library has by now, which its puts and
  // commits see to themselves; all that was put is committed; and that for good. Collective, the same on all ranks.
  Status make();
  Status commit();
  Status finish();
  // It is made, and can be put into. Collective where it is not made yet.
  Status ready();
  // The library has defined more since. Collective; throws Error, and the file is as it was.
  void redefine();
  // The library told of its definitions again. Local.
  void compare() { outdated_ = writer_state_.file != nullptr && writer_state_.defined.schema != told_; }
  bool outdated() const noexcept { return outdated_; }
  // The definitions of the library, as ranks agreed on them when Weir last gave them to the file; nullptr while it has
  // no instance.
  const Schema* written() const noexcept { return writer_state_.file != nullptr ? &written_ : nullptr; }
  PartialRecords& records() noexcept { return records_; }

 private:
  void agree();
  void create();
  void open_there();
  void take(File& file);
  void commit_now();
  void count_records();

  WriterState& writer_state_;
  PartialRecords records_;
  Schema told_;            // by this rank's library, when ranks last agreed
  Schema written_;         // what they agreed on
  bool outdated_ = false;  // the library has other definitions now
  Status problem_;         // why it could not have them; alike on all ranks
};

}  // namespace weir::bridge
