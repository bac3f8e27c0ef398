// SPDX-License-Identifier: Apache-2.0
// A file's gets: by one rank, and by all ranks. Methods follow weir.h, which states their contracts; they throw Error,
// collective ones the same error on all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "file/file_state.hpp"
#include "file/opening.hpp"
#include "file/own_boxes.hpp"

namespace weir {

class Gets {
 public:
  Gets(FileState& state, Sources& sources)
      : state_(state), context_(state.context), file_(state.file), sources_(sources), boxes_(state) {}

  void get_box(int var, IndexView start, IndexView count, Type type, void* values) const;
  void get(int var, std::int64_t record, int layout, Type type, void* values);
  void get_box_all(int var, IndexView start, IndexView count, Type type, void* values);
  // get_box_all() of a rank that wants nothing.
  void get_nothing(int var, Type type);
  // Before the first get, on all ranks; else they fit.
  void set_infinities(Infinities infinities) noexcept { state_.file.infinities = infinities; }
  // Storage is asked for what get() of these variables would read. Collective.
  void prefetch(const std::vector<int>& vars, std::int64_t record, int layout);

 private:
  void require_readable() const;
  void require_known_form(int var) const;
  void require_records(int var, std::int64_t first, std::int64_t last) const;
  void require_gettable(int var, std::int64_t record, int layout) const;
  void require_all_fit(int var, Type type, const RangeFailure& failure) const;
  std::string get_of(std::string_view call, int var) const;
  // As the record of a fixed variable has it.
  std::int64_t own_record(int var, std::int64_t record) const;
  template <class Check>
  Status checked(const std::string& call, Check check) const;
  struct WantedBox {
    Layouts::OwnBox box;
    OwnBoxes::Records records;
  };
  struct Target {
    Type type;
    void* values;
  };
  void get_boxes(int var, WantedBox wanted, Status status, const Target& target);
  void get_records(int var, const OwnBoxes::Records& wanted, const Target& target);
  // Of gets in which ranks read each for itself.
  OwnReading::Kept own_plan(int var, int number, const Layout& layout);
  void get_own(int var, const OwnBoxes::Records& wanted, const Layout& layout, const OwnReading::Kept& plan,
               const Target& target);
  RangeFailure read_stored_box(int var, IndexView start, IndexView count, Type type, void* values) const;
  void read(int var, std::int64_t record, const Layout& layout, Type type, void* values) const;

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  Sources& sources_;
  OwnBoxes boxes_;
};

}  // namespace weir
