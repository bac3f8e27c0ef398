// SPDX-License-Identifier: Apache-2.0
#include "file/gets.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "engine/reader.hpp"
#include "file/file_state.hpp"

namespace weir {

namespace {

constexpr OwnBoxes::Records nothing{OwnBoxes::nowhere, OwnBoxes::nowhere, -1};
constexpr std::size_t most_records = 4096;  // of one agreement of ranks

}  // namespace

void Gets::require_readable() const {
  state_.check_failure();
  require(state_.visible && state_.phase != FilePhase::closed, WEIR_ESTATE,
          "{}: there is nothing to read yet: weir_sync commits what was put, weir_open opens an existing file",
          file_.path);
  require(state_.phase != FilePhase::defining, WEIR_ESTATE,
          "{}: a file in define mode cannot be read: call weir_enddef first", file_.path);
  const int format = state_.geometry().format;
  require((format != netcdf4_format && format != zarr_format) || state_.found.tables, WEIR_ESTATE,
          "{} is {} and being written: close it and open it again to read it", file_.path,
          format == zarr_format ? "Zarr" : "netCDF-4");
  require(!state_.geometry().begin.empty(), WEIR_ESTATE,
          "{} is in part files: weir merge joins them into a file that can be read", file_.path);
}

void Gets::require_known_form(int var) const {
  if (!state_.found.tables) return;
  const std::string& obstacle = state_.found.tables->arrays[static_cast<std::size_t>(var)].obstacle;
  if (!obstacle.empty())
    throw Error(WEIR_EFORMAT, "\"{}\" of {} cannot be read: {}", file_.schema.variable(var).name, file_.path, obstacle);
}

void Gets::require_records(int var, std::int64_t first, std::int64_t last) const {
  const std::int64_t there = state_.geometry().records;
  if (first < 0 || last > there)
    throw Error(WEIR_EARGUMENT, "record {} of \"{}\", but the file has {}",
                file_.counting.number(first < 0 ? first : last - 1), file_.schema.variable(var).name, there);
}

void Gets::get_box(int var, IndexView start, IndexView count, Type type, void* values) const {
  require_readable();
  state_.check_types(state_.check_var(var), type);
  require_known_form(var);
  const bool record = file_.schema.is_record(var);
  const std::size_t skip = record ? 1 : 0;
  const Layout box = Layout::boxes(file_.schema.shape(var), start.subspan(skip), count.subspan(skip), {});
  const std::int64_t first = record ? start[0] : 0, records = record ? count[0] : 1;
  if (state_.found.tables) {
    if (records == 0) return;
    if (record) require_records(var, first, first + records);
    return require_all_fit(var, type, read_stored_box(var, start, count, type, values));
  }
  for (std::int64_t r = 0; r < records; ++r)
    read(var, first + r, box, type, static_cast<std::byte*>(values) + r * box.buffer_length() * type_bytes(type));
}

void Gets::read(int var, std::int64_t record, const Layout& layout, Type type, void* values) const {
  if (file_.schema.is_record(var)) require_records(var, record, record + 1);
  const Source source{file_.resolved, state_.geometry().first_byte(var, record),
                      file_.schema.variables()[static_cast<std::size_t>(var)].type, state_.identity()};
  require_all_fit(var, type, read_layout(source, layout, values, type, &context_.pipeline.storage()));
}

void Gets::require_all_fit(int var, Type type, const RangeFailure& failure) const {
  require(failure.count == 0, WEIR_ERANGE, "get of \"{}\" from {}: {} value(s) do not fit {}",
          file_.schema.variables()[static_cast<std::size_t>(var)].name, file_.path, failure.count, type_name(type));
}

std::int64_t Gets::records_until(double time) {
  const WaitLimit wait{context_.config().timeout_seconds, &context_.pipeline.rank().liveness_check};
  return made_by_0(
      context_.comm, [&] { return count_until(time); }, wait, formatted("reading the times of {}", file_.path));
}

// On rank 0.
std::int64_t Gets::count_until(double time) const {
  constexpr double nine_digits = 1e-9;
  const int dimension = file_.schema.record_dimension();
  const std::string name = dimension < 0 ? "" : file_.schema.dimensions()[static_cast<std::size_t>(dimension)].name;
  const int var = dimension < 0 ? -1 : file_.schema.find_variable(name);
  const bool has_times = var >= 0 && file_.schema.is_record(var) && file_.schema.shape(var).empty() &&
                         file_.schema.variable(var).type != WEIR_CHAR;
  require(has_times, WEIR_EARGUMENT,
          "{} has no variable of times, named as its record dimension and along it alone; give the number of records",
          file_.path);
  std::vector<double> times(static_cast<std::size_t>(state_.geometry().records));
  const std::int64_t first = 0, count = std::ssize(times);
  if (count > 0) get_box(var, IndexView(&first, 1), IndexView(&count, 1), WEIR_DOUBLE, times.data());
  const auto later = [&](double each) { return !(each <= time + nine_digits * std::abs(time)); };
  return std::find_if(times.begin(), times.end(), later) - times.begin();
}

std::string Gets::get_of(std::string_view call, int var) const {
  return formatted("{} of {} from {}", call, state_.quoted_if_known(var), file_.path);
}

// What this rank alone has wrong becomes all ranks' error where they meet, in a sentence that names it.
template <class Check>
Status Gets::checked(const std::string& call, Check check) const {
  try {
    check();
    return {};
  } catch (const Error& error) {
    return {error.code(), state_.this_rank() + call + ": " + error.what(), {Scope::this_call}};
  }
}

std::int64_t Gets::own_record(int var, std::int64_t record) const {
  return var >= 0 && var < std::ssize(file_.schema.variables()) && file_.schema.is_record(var) ? record : 0;
}

void Gets::require_gettable(int var, std::int64_t record, int layout) const {
  require_known_form(var);
  const Layout& wanted = context_.layouts.at(layout);
  if (!has_shape(file_.schema, var, wanted.shape()))
    throw Error(WEIR_EARGUMENT, "the layout is of an array {}, the variable is {}",
                in_words(wanted.shape(), file_.counting), in_words(file_.schema.shape(var), file_.counting));
  if (file_.schema.is_record(var)) require_records(var, record, record + 1);
}

void Gets::get(int var, std::int64_t record, int layout, Type type, void* values) {
  const CallBroadcast::Call announced(context_.call_broadcast, CallKind::get,
                                      {file_.serial, var, record, layout, type});
  const std::string call = get_of("weir_get", var);
  const bool has_records = var >= 0 && var < std::ssize(file_.schema.variables()) && file_.schema.is_record(var);
  const std::int64_t number = own_record(var, record);
  OwnReading::Kept own;
  const Status status = checked(call, [&] {
    require_readable();
    state_.check_types(state_.check_var(var), type);
    require_gettable(var, number, layout);
    const Layout& wanted = context_.layouts.at(layout);
    if (!values && wanted.elements_held() != 0)
      throw Error(WEIR_EARGUMENT, "the buffer is NULL, but there are {} elements of the layout",
                  wanted.elements_held());
    own = own_plan(var, layout, wanted);
  });
  std::int64_t by_owners = own ? 0 : 1;
  std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(var));
  signature = mix(mix(signature, static_cast<std::uint64_t>(number)), static_cast<std::uint64_t>(layout));
  const std::string words =
      formatted("{}{}, by layout {}", call, has_records ? ", " + state_.record_in_words(number) : "",
                file_.counting.number(layout));
  context_.pipeline.agreement().agree_to_read({AgreementPoint::get, signature, words, nullptr}, status, &by_owners);
  if (by_owners == 0)
    return get_own(var, {number, number + 1, layout}, context_.layouts.at(layout), own, {type, values});
  get_records(var, {number, number + 1, layout}, {type, values});
}

// Alike on all ranks before the first of its plans is made, since that takes all of them.
void Gets::prefetch(const std::vector<int>& vars, std::int64_t record, int layout) {
  std::vector<std::int64_t> words{file_.serial, record, layout};
  words.insert(words.end(), vars.begin(), vars.end());
  const CallBroadcast::Call announced(context_.call_broadcast, CallKind::prefetch, words, {});
  const std::string call = formatted("weir_prefetch from {}", file_.path);
  std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(layout));
  for (const int var : vars)
    signature =
        mix(mix(signature, static_cast<std::uint64_t>(var)), static_cast<std::uint64_t>(own_record(var, record)));
  const Status status = checked(call, [&] {
    require_readable();
    for (const int var : vars) {
      state_.check_var(var);
      require_gettable(var, own_record(var, record), layout);
    }
  });
  const std::string described = formatted("{} of {} variable(s), {}, by layout {}", call, vars.size(),
                                          state_.record_in_words(record), file_.counting.number(layout));
  context_.pipeline.agreement().agree_to_read({AgreementPoint::prefetch, signature, described, nullptr}, status);
  for (const int var : vars) {
    const std::int64_t number = own_record(var, record);
    const Type external = file_.schema.variable(var).type;
    context_.pipeline.reading().prefetch({&file_,
                                          sources_.of_all(),
                                          var,
                                          read_key(state_, var, number, layout),
                                          &context_.layouts.at(layout),
                                          external,
                                          external,
                                          {{number, nullptr}}});
  }
}

void Gets::get_box_all(int var, IndexView start, IndexView count, Type type, void* values) {
  const CallBroadcast::Call announced(context_.call_broadcast, CallKind::get_box, {file_.serial, var, type});
  Layouts::OwnBox box;
  OwnBoxes::Records records = nothing;
  const std::string call = get_of("weir_get_vara_all", var);
  const Status status = checked(call, [&] {
    require_readable();
    boxes_.check(var, start, count, type, values);
    require_known_form(var);
    box = boxes_.inside(var, start, count);
    records = boxes_.records(var, start, count, box);
    if (records.first != OwnBoxes::nowhere) require_records(var, records.first, records.last);
  });
  get_boxes(var, {std::move(box), records}, status, {type, values});
}

// Of a scalar too, which has no count that could be 0.
void Gets::get_nothing(int var, Type type) {
  Layouts::OwnBox box;
  const Status status = checked(get_of("weir_get_vara_all", var), [&] {
    require_readable();
    state_.check_types(state_.check_var(var), type);
    require_known_form(var);
    box.shape = file_.schema.shape(var);
    if (box.shape.empty()) box.shape = {1};
    box.start = box.count = Shape(box.shape.size(), 0);
  });
  get_boxes(var, {std::move(box), nothing}, status, {type, nullptr});
}

void Gets::get_boxes(int var, WantedBox wanted, Status status, const Target& target) {
  const std::string call = get_of("weir_get_vara_all", var);
  wanted.records.layout = status.ok() ? context_.layouts.find(wanted.box) : -1;
  Layout box;
  OwnReading::Kept own;
  if (status.ok())
    status = checked(call, [&] {
      box = Layout::boxes(wanted.box.shape, wanted.box.start, wanted.box.count, {});
      own = own_plan(var, -1, box);
    });
  std::int64_t by_owners = own ? 0 : 1;
  const std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(var));
  context_.pipeline.agreement().agree_to_read({AgreementPoint::get_box, signature, call, nullptr}, status, &by_owners);
  OwnBoxes::Records all = boxes_.agree_on_records(var, wanted.records, {call, [&] { return call; }, "get", "want"});
  if (by_owners == 0) return get_own(var, all, box, own, target);
  if (all.layout < 0) all.layout = boxes_.add(wanted.box);
  get_records(var, all, target);
}

// Records that share a plan are read together, as many at a time as memory holds.
void Gets::get_records(int var, const OwnBoxes::Records& wanted, const Target& target) {
  const Layout& layout = context_.layouts.at(wanted.layout);
  const Type external = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  const std::int64_t per_record = layout.elements_held() > 0 ? layout.buffer_length() * type_bytes(target.type) : 0;
  for (std::int64_t first = wanted.first; first < wanted.last;) {
    GetRequest request{&file_,  sources_.of_all(), var,         read_key(state_, var, first, wanted.layout),
                       &layout, external,          target.type, {}};
    for (; first < wanted.last && request.records.size() < most_records; ++first) {
      if (read_key(state_, var, first, wanted.layout).place != request.key.place) break;
      request.records.push_back({first, static_cast<std::byte*>(target.values) + (first - wanted.first) * per_record});
    }
    context_.pipeline.reading().get(request);
  }
}

// Of a file of this host. It is looked at here, so that no rank's buffer is touched where it is not what it was.
OwnReading::Kept Gets::own_plan(int var, int number, const Layout& layout) {
  if (state_.found.tables || state_.found.where.on_one_host == 0) return nullptr;
  OwnReading::Kept plan =
      context_.pipeline.own_reading().plan(number, layout, type_bytes(file_.schema.variable(var).type));
  if (!plan || plan->blocks.empty()) return plan;
  const std::shared_ptr<TileSource> source = sources_.of_all();
  const std::int64_t before = source->count().opens;
  context_.pipeline.storage().run([source] { return source->check(), Status(); }, "reading").raise();
  context_.pipeline.tally().opens += source->count().opens - before;
  return plan;
}

void Gets::get_own(int var, const OwnBoxes::Records& wanted, const Layout& layout, const OwnReading::Kept& plan,
                   const Target& target) {
  const Type external = file_.schema.variable(var).type;
  const std::int64_t per_record = layout.elements_held() > 0 ? layout.buffer_length() * type_bytes(target.type) : 0;
  GetRequest request{&file_, sources_.of_all(), var, {}, &layout, external, target.type, {}};
  for (std::int64_t record = wanted.first; record < wanted.last; ++record)
    request.records.push_back({record, static_cast<std::byte*>(target.values) + (record - wanted.first) * per_record});
  context_.pipeline.own_reading().get(request, plan);
}

RangeFailure Gets::read_stored_box(int var, IndexView start, IndexView count, Type type, void* values) const {
  const Variable& variable = file_.schema.variable(var);
  return read_box(sources_.of_this_rank(), {var, start, count, variable.type, file_.schema.fill_value(var)}, values,
                  type, context_.pipeline.storage());
}

}  // namespace weir
