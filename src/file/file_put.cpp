// SPDX-License-Identifier: Apache-2.0
// A file's puts.
#include <algorithm>
#include <limits>

#include "file/file.hpp"

namespace weir {

namespace {

constexpr std::int64_t box_point = 301;
constexpr std::int64_t nowhere = -1;

std::string quoted(const Schema& schema, int var) {
  return "\"" + schema.variables()[static_cast<std::size_t>(var)].name + "\"";
}

}  // namespace

// What this rank alone has wrong is told to all at the next agreement, and the file has then failed for all.
void File::fail_here(const Error& error) {
  throw Error(error.code(), fail(error.code(), error.what()), error.where());
}

std::string File::fail(Code code, const std::string& sentence) {
  check_failure();
  const bool names_file = sentence.find(file_.path) != sentence.npos;
  const std::string message =
      "rank " + std::to_string(context_.comm.number()) + ": " + (names_file ? sentence : file_.path + ": " + sentence);
  if (state_ == State::writing)
    context_.pipeline.fall_out_of_sync({code, message, -1});
  else
    refused_.merge({code, message, file_.serial});
  return message;
}

void File::check_types(int var, Type memory) const {
  require(type_is_valid(memory), WEIR_EARGUMENT,
          [&] { return file_.path + ": " + std::to_string(memory) + " is no weir_type"; });
  const Type external = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  require((memory == WEIR_CHAR) == (external == WEIR_CHAR), WEIR_EARGUMENT, [&] {
    return put_of(var) + std::string(type_name(memory)) + " and " + std::string(type_name(external)) +
           " do not convert; text goes to text only";
  });
}

void File::check_put(int var, std::int64_t record, const Layout& layout, Type type, const void* values) const {
  check_types(var, type);
  require(file_.schema.has_shape(var, layout.shape()), WEIR_EARGUMENT, [&] {
    return put_of(var) + "the layout is of an array " + in_words(layout.shape(), file_.counting) +
           ", the variable is " + in_words(file_.schema.shape(var), file_.counting);
  });
  require(!file_.schema.is_record(var) || record >= 0, WEIR_EARGUMENT,
          [&] { return put_of(var) + record_in_words(record) + "; records count from " + file_.counting.number(0); });
  require(values != nullptr || layout.elements_held() == 0, WEIR_EARGUMENT, [&] {
    return put_of(var) + "the buffer is NULL, the layout holds " + std::to_string(layout.elements_held()) + " elements";
  });
}

std::string File::record_in_words(std::int64_t record) const {
  return "record " + file_.counting.number(record);
}

std::string File::put_of(int var) const {
  return "put of " + quoted(file_.schema, var) + " into " + file_.path + ": ";
}

void File::put(int var, std::int64_t record, int layout, Type type, const void* values) {
  const Lead::Call call(context_.lead, Verb::put, {file_.serial, var, record, layout, type});
  require_writing("weir_put");
  try {
    check_put(check_var(var), record, context_.layouts.at(layout), type, values);
  } catch (const Error& error) {
    fail_here(error);
  }
  put_checked(var, file_.schema.is_record(var) ? record : 0, layout, type, values);
}

void File::put_whole(int var, std::int64_t record, Type type, const void* values) {
  const Lead::Call call(context_.lead, Verb::put_whole, {file_.serial, var, record, type});
  require_writing("weir_put_var");
  int layout = -1;
  try {
    const Shape shape = file_.schema.shape(check_var(var));
    layout = context_.layouts.whole_on_rank_0(shape, context_.comm.rank());
    check_put(var, record, context_.layouts.at(layout), type, values);
  } catch (const Error& error) {
    fail_here(error);
  }
  put_checked(var, file_.schema.is_record(var) ? record : 0, layout, type, values);
}

void File::put_box(int var, IndexView start, IndexView count, Type type, const void* values) {
  const Lead::Call call(context_.lead, Verb::put_box, {file_.serial, var, type});
  require_writing("weir_put_vara");
  Layouts::OwnBox box;
  Status status;
  try {
    check_box(var, start, count, type, values);
    box = own_box(var, start, count);
    check_inside(var, box);
  } catch (const Error& error) {
    const std::string rank = "rank " + std::to_string(context_.comm.number()) + ": ";
    status = {error.code(), rank + "weir_put_vara into " + file_.path + ": " + error.what(), file_.serial};
  }
  const int known = status.ok() ? context_.layouts.find(box) : -1;
  std::int64_t unknown = known < 0 ? 1 : 0;
  const std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(var));
  context_.pipeline.meet({box_point, signature, put_box_of(var), nullptr}, status, &file_, &unknown);
  const bool has_records = file_.schema.is_record(var) && elements(box.count) > 0 && count[0] > 0;
  const BoxRecords mine =
      has_records ? BoxRecords{start[0], start[0] + count[0], known} : BoxRecords{nowhere, nowhere, known};
  const BoxRecords all = agree_on_records(var, mine);
  const bool alike = unknown == 0 && all.layout == known;
  const int layout = alike ? known : add_own_box(box);
  const std::int64_t per_record = context_.layouts.at(layout).buffer_length() * type_bytes(type);
  for (std::int64_t r = all.first; r < all.last; ++r) {
    const std::int64_t done = has_records ? r - all.first : 0;
    put_checked(var, r, layout, type, static_cast<const std::byte*>(values) + done * per_record);
  }
}

std::string File::put_box_of(int var) const {
  const bool known = var >= 0 && var < static_cast<int>(file_.schema.variables().size());
  return "weir_put_vara of " + (known ? quoted(file_.schema, var) : "no variable") + " into " + file_.path;
}

void File::check_box(int var, IndexView start, IndexView count, Type type, const void* values) const {
  check_types(check_var(var), type);
  const std::string name = quoted(file_.schema, var);
  const std::size_t ndims = file_.schema.variable(var).dims.size();
  require(start.size() == ndims && count.size() == ndims, WEIR_EARGUMENT,
          name + " has " + std::to_string(ndims) + " dimensions: give start and count for each of them");
  for (std::int64_t each : count)
    require(each >= 0, WEIR_EARGUMENT, name + ": a count is " + std::to_string(each) + "; counts are 0 or more");
  const bool empty = std::find(count.begin(), count.end(), 0) != count.end();
  require(empty || values != nullptr, WEIR_EARGUMENT, name + ": the buffer is NULL, the box is not empty");
  require(empty || !file_.schema.is_record(var) || start[0] >= 0, WEIR_EARGUMENT,
          name + ": " + record_in_words(ndims ? start[0] : 0) + "; records count from " + file_.counting.number(0));
}

void File::check_inside(int var, const Layouts::OwnBox& box) const {
  try {
    Layout::boxes(box.shape, box.start, box.count, {}, file_.counting);
  } catch (const Error& error) {
    throw Error(error.code(), quoted(file_.schema, var) + ": " + error.what());
  }
}

// This rank's part of each record, as if the variable had no record dimension; a scalar is an array of one element.
Layouts::OwnBox File::own_box(int var, IndexView start, IndexView count) const {
  const std::ptrdiff_t skip = file_.schema.is_record(var) ? 1 : 0;
  const bool empty = std::find(count.begin(), count.end(), 0) != count.end();
  Layouts::OwnBox box{
      file_.schema.shape(var), {start.begin() + skip, start.end()}, {count.begin() + skip, count.end()}};
  if (box.shape.empty()) box = {{1}, {0}, {1}};
  if (empty) box.start = box.count = Shape(box.shape.size(), 0);
  return box;
}

// All ranks that have something must put the same records; ranks with nothing learn them here. `layout` stays where it
// is the same number on all ranks: one that is known here may be known by another number elsewhere.
File::BoxRecords File::agree_on_records(int var, const BoxRecords& mine) {
  const std::int64_t none = -std::numeric_limits<std::int64_t>::max();
  const bool any = mine.first != nowhere;
  std::int64_t most[6] = {any ? mine.first : none,
                          any ? -mine.first : none,
                          any ? mine.last : none,
                          any ? -mine.last : none,
                          mine.layout,
                          -mine.layout};
  allreduce_max(context_.comm, most, context_.pipeline.deadline(), put_box_of(var));
  const int layout = most[4] == -most[5] ? static_cast<int>(most[4]) : -1;
  if (!file_.schema.is_record(var)) return {0, 1, layout};
  if (most[0] == none) return {0, 0, layout};
  if (most[0] != -most[1] || most[2] != -most[3]) {
    Status status{WEIR_EMISMATCH,
                  "put of " + quoted(file_.schema, var) + " into " + file_.path + ": some ranks begin at " +
                      record_in_words(-most[1]) + " and others at " + record_in_words(most[0]) +
                      ", or put more of them: all ranks that have something put the same records in a call",
                  file_.serial};
    file_.failure.merge(status);
    status.raise();
  }
  return {most[0], most[2], layout};
}

int File::add_own_box(const Layouts::OwnBox& box) {
  const std::vector<int> outdated = context_.layouts.outdated_boxes();
  if (!outdated.empty()) context_.pipeline.settle();
  for (const int layout : outdated) {
    context_.pipeline.forget(layout);
    context_.layouts.remove(layout);
  }
  return context_.layouts.add(box);
}

// What holes of a put mean. Elements that have values keep them: the layout that gave all that the variable has fills
// its holes once more, another one leaves its holes alone. In chunks, which are written whole, it may have none.
weir_fill_mode File::cover(int var, std::int64_t record, int layout) const {
  const bool in_chunks = file_.output && file_.output->granule(var).any();
  const weir_fill_mode of_new = in_chunks && fill_ == WEIR_NOFILL ? WEIR_FILL : fill_;
  const int before = put_by_[static_cast<std::size_t>(var)];
  if (of_new != WEIR_FILL || fills_again_ || before == not_put || before == layout || !has_values(var, record)) return of_new;
  return in_chunks ? WEIR_COVER : WEIR_NOFILL;
}

PlanKey File::key(int var, std::int64_t record, int layout, Use use) const {
  const Geometry& places = geometry();
  const int size = type_bytes(file_.schema.variables()[static_cast<std::size_t>(var)].type);
  const bool reads = use == Use::read;
  PlanKey key{layout, size, reads ? WEIR_NOFILL : cover(var, record, layout), {}, reads};
  const Pipeline& pipeline = context_.pipeline;
  if (places.begin.empty()) return key;
  const Granule granule = reads ? read_granule(var) : file_.output->granule(var);
  const bool is_record = file_.schema.is_record(var);
  const std::int64_t begin = places.begin[static_cast<std::size_t>(var)];
  const Strategy& strategy = reads ? pipeline.reading_strategy() : pipeline.strategy();
  const std::vector<int>& owners = reads ? pipeline.readers_of(granule) : pipeline.writers_of(granule);
  const Spread spread{file_.schema.elements(var) * size, context_.config.bundle_bytes, std::ssize(owners),
                      pipeline.machine().hosts()};
  const FilePlace in_file =
      place_in_file({places.fixed_end, places.record_begin, places.record_bytes}, begin, is_record, record);
  const std::int64_t stripe = file_.output ? file_.output->stripe_bytes() : (tables_ ? 0 : read_stripe_bytes_);
  key.place = plan_place(strategy, spread, in_file, {stripe, granule});
  return key;
}

void File::put_checked(int var, std::int64_t record, int layout, Type type, const void* values) {
  note_range(var, record, type, put_counted(var, record, layout, type, values));
  check_failure();
}

RangeFailure File::put_counted(int var, std::int64_t record, int layout, Type type, const void* values) {
  const Type external = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  const Layout& held = context_.layouts.at(layout);
  const std::int64_t bytes = held.elements_held() * type_bytes(external);
  const Span span(context_.trace.main(), Step::put,
                  {.number = record, .bytes = bytes, .file = file_.serial, .var = var});
  if (put_before(var, record)) {
    context_.pipeline.settle();
    file_.output->put_again();
  }
  const RangeFailure failure = context_.pipeline.put(
      {&file_, var, record, key(var, record, layout), &held, {values, type, external}, file_.schema.fill_value(var)});
  remember(var, record, layout);
  if (file_.schema.is_record(var) && complete(record)) context_.pipeline.end_record(file_);
  return failure;
}

RangeFailure File::carry(int var, std::int64_t record, int layout, Type type, const void* values) {
  require_writing("a put through the bridge");
  const RangeFailure failure = put_counted(var, record, layout, type, values);
  check_failure();
  return failure;
}

void File::add(std::span<const Extent> extents) {
  require_writing("a put through the bridge");
  context_.pipeline.flush("put into " + file_.path);
  Status status = file_.output->write(extents);
  status.subject = file_.serial;
  context_.pipeline.note(std::move(status));
}

// Since the last commit. Then the earlier one must have reached the file first, perhaps by way of another writer.
bool File::put_before(int var, std::int64_t record) const {
  const auto& put = put_[static_cast<std::size_t>(var)];
  if (!file_.schema.is_record(var)) return !put.empty();
  if (record < first_open_record_) return rewritten_.contains({var, record});
  const auto at = static_cast<std::size_t>(record - first_open_record_);
  return at < put.size() && put[at];
}

// In the file, or on the way there.
bool File::has_values(int var, std::int64_t record) const {
  if (!file_.schema.is_record(var)) return fixed_complete_[static_cast<std::size_t>(var)];
  return record < first_open_record_ || put_before(var, record);
}

void File::remember(int var, std::int64_t record, int layout) {
  auto& put = put_[static_cast<std::size_t>(var)];
  int& by = put_by_[static_cast<std::size_t>(var)];
  by = by == not_put || by == layout ? layout : several_layouts;
  if (!file_.schema.is_record(var)) {
    if (!fixed_complete_[static_cast<std::size_t>(var)]) count(var);
    fixed_complete_[static_cast<std::size_t>(var)] = true;
    put.assign(1, true);
    return;
  }
  records_ = std::max(records_, record + 1);
  if (record < first_open_record_) {
    rewritten_.insert({var, record});
    return;
  }
  const auto at = static_cast<std::size_t>(record - first_open_record_);
  if (put.size() <= at) put.resize(at + 1, false);
  if (!put[at]) count(var);
  put[at] = true;
}

void File::count(int var) {
  const Type external = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  context_.pipeline.tally().bytes_in_files += file_.schema.elements(var) * type_bytes(external);
}

// Whether every variable that has records has put this one. Models put them in order, so the last tells most.
bool File::complete(std::int64_t record) const {
  if (record < first_open_record_) return false;
  const auto at = static_cast<std::size_t>(record - first_open_record_);
  for (std::size_t v = put_.size(); v-- > 0;)
    if (file_.schema.is_record(static_cast<int>(v)) && (at >= put_[v].size() || !put_[v][at])) return false;
  return true;
}

void File::note_range(int var, std::int64_t record, Type type, const RangeFailure& failure) {
  if (failure.count == 0) return;
  const std::string external(type_name(file_.schema.variables()[static_cast<std::size_t>(var)].type));
  std::string where = quoted(file_.schema, var);
  if (file_.schema.is_record(var)) where.append(" ").append(record_in_words(record));
  range_.merge({WEIR_ERANGE,
                "rank " + std::to_string(context_.comm.number()) + ": put of " + where + " into " + file_.path + ": " +
                    std::to_string(failure.count) + " value(s) of " + std::string(type_name(type)) + " do not fit " +
                    external + ", one at element " + file_.counting.number(failure.first_source) +
                    " of the buffer; they hold the fill value",
                -1});
}

std::string File::plan_json(int var, int layout) {
  const Lead::Call call(context_.lead, Verb::plan, {file_.serial, var, layout});
  check_failure();
  require(state_ == State::writing, WEIR_ESTATE,
          [&] { return file_.path + ": weir_plan is of a file that is written, after weir_enddef"; });
  check_var(var);
  const Layout& held = context_.layouts.at(layout);
  const std::int64_t next = file_.schema.is_record(var) ? records_ : 0;
  return to_json(context_.pipeline.plan(key(var, next, layout), held, file_, var), context_.comm.rank());
}

}  // namespace weir
