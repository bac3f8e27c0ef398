// SPDX-License-Identifier: Apache-2.0
#include "file/own_boxes.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace weir {

namespace {

bool is_empty(IndexView count) {
  return std::find(count.begin(), count.end(), 0) != count.end();
}

}  // namespace

void OwnBoxes::check(int var, IndexView start, IndexView count, Type type, const void* values) const {
  state_.check_types(state_.check_var(var), type);
  const std::string name = state_.quoted(var);
  const std::size_t ndims = file_.schema.variable(var).dims.size();
  require(start.size() == ndims && count.size() == ndims, WEIR_EARGUMENT,
          "{} has {} dimensions: give start and count for each of them", name, ndims);
  for (std::int64_t each : count)
    require(each >= 0, WEIR_EARGUMENT, "{}: a count is {}; counts are 0 or more", name, each);
  const bool empty = is_empty(count);
  require(empty || values != nullptr, WEIR_EARGUMENT, "{}: the buffer is NULL, but the box is not empty", name);
  require(empty || !file_.schema.is_record(var) || start[0] >= 0, WEIR_EARGUMENT, "{}: {}; records count from {}", name,
          state_.record_in_words(ndims ? start[0] : 0), file_.counting.number(0));
}

Layouts::OwnBox OwnBoxes::inside(int var, IndexView start, IndexView count) const {
  const std::ptrdiff_t skip = file_.schema.is_record(var) ? 1 : 0;
  Layouts::OwnBox box{
      file_.schema.shape(var), {start.begin() + skip, start.end()}, {count.begin() + skip, count.end()}};
  if (box.shape.empty()) box = {{1}, {0}, {1}};
  if (is_empty(count)) box.start = box.count = Shape(box.shape.size(), 0);
  try {
    Layout::boxes(box.shape, box.start, box.count, {}, file_.counting);
  } catch (const Error& error) {
    throw Error(error.code(), "{}: {}", state_.quoted(var), error.what());
  }
  return box;
}

OwnBoxes::Records OwnBoxes::records(int var, IndexView start, IndexView count, const Layouts::OwnBox& box) const {
  const bool any = file_.schema.is_record(var) && elements(box.count) > 0 && count[0] > 0;
  return any ? Records{start[0], start[0] + count[0], -1} : Records{nowhere, nowhere, -1};
}

OwnBoxes::Records OwnBoxes::agree_on_records(int var, const Records& mine, const Call& call) const {
  const bool any = mine.first != nowhere;
  std::int64_t most[6] = {mine.first,  any ? -mine.first : nowhere, mine.last, any ? -mine.last : nowhere, mine.layout,
                          -mine.layout};
  allreduce_max(context_.comm, most, context_.pipeline.deadline(), call.name);
  const int layout = most[4] == -most[5] ? static_cast<int>(most[4]) : -1;
  if (!file_.schema.is_record(var)) return {0, 1, layout};
  if (most[0] == nowhere) return {0, 0, layout};
  if (most[0] != -most[1] || most[2] != -most[3])
    throw Error(WEIR_EMISMATCH,
                "{}: some ranks begin at {} and others at {}, or {} more of them: all ranks that {} something {} the "
                "same records in a call",
                call.subject(), state_.record_in_words(-most[1]), state_.record_in_words(most[0]), call.does, call.want,
                call.does);
  return {most[0], most[2], layout};
}

int OwnBoxes::add(const Layouts::OwnBox& box) {
  const std::vector<int> outdated = context_.layouts.outdated_boxes();
  if (!outdated.empty()) context_.pipeline.drain();
  for (const int layout : outdated) {
    context_.pipeline.plans().forget(layout);
    context_.layouts.remove(layout);
  }
  return context_.layouts.add(box);
}

}  // namespace weir
