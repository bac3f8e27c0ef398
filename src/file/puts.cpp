// SPDX-License-Identifier: Apache-2.0
#include "file/puts.hpp"

#include "base/text.hpp"
#include "file/file_state.hpp"

namespace weir {

void Puts::check_put(int var, std::int64_t record, const Layout& layout, Type type, const void* values) const {
  state_.check_types(var, type);
  state_.require_puttable(var);
  if (!has_shape(file_.schema, var, layout.shape()))
    throw Error(WEIR_EARGUMENT, "{}the layout is of an array {}, the variable is {}", state_.put_of(var),
                in_words(layout.shape(), file_.counting), in_words(file_.schema.shape(var), file_.counting));
  if (file_.schema.is_record(var) && record < 0)
    throw Error(WEIR_EARGUMENT, "{}{}; records count from {}", state_.put_of(var), state_.record_in_words(record),
                file_.counting.number(0));
  if (!values && layout.elements_held() != 0)
    throw Error(WEIR_EARGUMENT, "{}the buffer is NULL, but the layout holds {} elements", state_.put_of(var),
                layout.elements_held());
}

void Puts::put(int var, std::int64_t record, int layout, Type type, const void* values) {
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::put, {file_.serial, var, record, layout, type});
  state_.require_writing("weir_put");
  try {
    check_put(state_.check_var(var), record, context_.layouts.at(layout), type, values);
  } catch (const Error& error) {
    state_.fail_here(error);
  }
  put_checked(var, file_.schema.is_record(var) ? record : 0, layout, type, values);
  raise_watched();
}

void Puts::put_whole(int var, std::int64_t record, Type type, const void* values) {
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::put_whole, {file_.serial, var, record, type});
  state_.require_writing("weir_put_var");
  int layout = -1;
  try {
    const Shape shape = file_.schema.shape(state_.check_var(var));
    layout = context_.layouts.whole_on_rank_0(shape, context_.comm.rank());
    check_put(var, record, context_.layouts.at(layout), type, values);
  } catch (const Error& error) {
    state_.fail_here(error);
  }
  put_checked(var, file_.schema.is_record(var) ? record : 0, layout, type, values);
  raise_watched();
}

void Puts::put_box(int var, IndexView start, IndexView count, Type type, const void* values) {
  const CallBroadcast::Call announced(context_.call_broadcast, CallKind::put_box, {file_.serial, var, type});
  state_.require_writing("weir_put_vara");
  Layouts::OwnBox box;
  OwnBoxes::Records mine{OwnBoxes::nowhere, OwnBoxes::nowhere, -1};
  Status status;
  try {
    boxes_.check(var, start, count, type, values);
    state_.require_puttable(var);
    box = boxes_.inside(var, start, count);
    mine = boxes_.records(var, start, count, box);
  } catch (const Error& error) {
    status = {error.code(), formatted("{}weir_put_vara into {}: {}", state_.this_rank(), file_.path, error.what()),
              Scope::of(file_.serial)};
  }
  mine.layout = status.ok() ? context_.layouts.find(box) : -1;
  std::int64_t unknown = mine.layout < 0 ? 1 : 0;
  std::string call = "weir_put_vara of ";
  call.append(state_.quoted_if_known(var)).append(" into ").append(file_.path);
  const std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(var));
  context_.pipeline.agreement().agree_at({AgreementPoint::put_box, signature, call, nullptr}, status, &file_, &unknown);
  const OwnBoxes::Records all = agree_on_records(var, mine, call);
  const bool alike = unknown == 0 && all.layout == mine.layout;
  const int layout = alike ? mine.layout : boxes_.add(box);
  const std::int64_t per_record = context_.layouts.at(layout).buffer_length() * type_bytes(type);
  for (std::int64_t r = all.first; r < all.last; ++r) {
    const std::int64_t done = mine.first != OwnBoxes::nowhere ? r - all.first : 0;
    put_checked(var, r, layout, type, static_cast<const std::byte*>(values) + done * per_record);
  }
  raise_watched();
}

// Where they differ, the file has failed.
OwnBoxes::Records Puts::agree_on_records(int var, const OwnBoxes::Records& mine, const std::string& call) {
  try {
    const auto subject = [&] { return formatted("put of {} into {}", state_.quoted(var), file_.path); };
    return boxes_.agree_on_records(var, mine, {call, subject, "put", "have"});
  } catch (const Error& error) {
    if (error.code() == WEIR_EMISMATCH)
      context_.pipeline.agreement().fail({error.code(), error.what(), Scope::of(file_.serial)});
    throw;
  }
}

void Puts::put_checked(int var, std::int64_t record, int layout, Type type, const void* values) {
  note_range(var, record, type, put_counted(var, record, layout, type, values));
  state_.check_failure();
  tell_watch(var, record, layout, type, values);
}

// An error of the watch waits until all of a call is put.
void Puts::tell_watch(int var, std::int64_t record, int layout, Type type, const void* values) {
  if (state_.watch != nullptr) attempt(watched_, [&] { state_.watch->put(file_, var, record, layout, type, values); });
}

RangeFailure Puts::put_counted(int var, std::int64_t record, int layout, Type type, const void* values) {
  if (drops(var)) return {};
  const Type external = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  const Layout& held = context_.layouts.at(layout);
  const std::int64_t bytes = held.elements_held() * type_bytes(external);
  const Span span(context_.trace.main(), Step::put,
                  {.number = record, .bytes = bytes, .file = file_.serial, .var = var});
  if (state_.history.put_before(var, record)) {
    context_.pipeline.drain();
    file_.output->put_again();
  }
  if (file_.output->must_meet(var, record)) {
    context_.pipeline.drain();
    Status met = file_.output->meet();
    met.scope = Scope::of(file_.serial);
    context_.pipeline.agreement().note(std::move(met));
  }
  const RangeFailure failure = context_.pipeline.put({&file_,
                                                      var,
                                                      record,
                                                      write_key(state_, var, record, layout),
                                                      &held,
                                                      {values, type, external},
                                                      file_.schema.fill_value(var)});
  if (state_.history.add(var, record, layout))
    context_.pipeline.tally().bytes_in_files += variable_bytes(file_.schema, var);
  if (file_.schema.is_record(var) && state_.history.complete(record)) context_.pipeline.end_record(file_);
  return failure;
}

RangeFailure Puts::carry(int var, std::int64_t record, int layout, Type type, const void* values) {
  state_.require_writing("a put through the bridge");
  const RangeFailure failure = put_counted(var, record, layout, type, values);
  state_.check_failure();
  tell_watch(var, record, layout, type, values);
  return failure;
}

void Puts::add(std::span<const Extent> extents) {
  state_.require_writing("a put through the bridge");
  context_.pipeline.flush(formatted("put into {}", file_.path));
  Status status = file_.output->write(extents);
  status.scope = Scope::of(file_.serial);
  context_.pipeline.agreement().note(std::move(status));
}

void Puts::note_range(int var, std::int64_t record, Type type, const RangeFailure& failure) {
  if (failure.count == 0) return;
  const std::string external(type_name(file_.schema.variables()[static_cast<std::size_t>(var)].type));
  std::string where = state_.quoted(var);
  if (file_.schema.is_record(var)) where.append(" ").append(state_.record_in_words(record));
  state_.range.merge({WEIR_ERANGE, formatted("{}put of {} into {}: {} value(s) of {} do not fit {}, one at element {} "
                                             "of the buffer; they hold the fill value",
                                             state_.this_rank(), where, file_.path, failure.count, type_name(type),
                                             external, file_.counting.number(failure.first_source))});
}

std::string Puts::plan_json(int var, int layout) {
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::plan, {file_.serial, var, layout});
  state_.check_failure();
  require(state_.phase == FilePhase::writing, WEIR_ESTATE,
          "{}: weir_plan needs a file that is open for writing, after weir_enddef", file_.path);
  state_.check_var(var);
  const Layout& held = context_.layouts.at(layout);
  const std::int64_t next = file_.schema.is_record(var) ? state_.history.records() : 0;
  return to_json(context_.pipeline.plans().to_write(write_key(state_, var, next, layout), held, file_, var),
                 context_.comm.rank());
}

}  // namespace weir
