// SPDX-License-Identifier: Apache-2.0
#include "streams/restart_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

namespace {

using Json = nlohmann::json;
constexpr const char* attribute_name = "weir_streams";
constexpr int version = 1;

// What has to be the same for an output's interval to go on.
std::string definition(const Stream& stream, const Stream::Output& output) {
  const StreamConfig& config = stream.plan().stream;
  return formatted("{} of {}, every {} by {}, {}, {} elements", name(output.plan.operation),
                   stream.plan().schema.variable(output.plan.variable).name, in_words(config.every),
                   config.align == AlignedTo::calendar ? "the calendar" : "the start",
                   config.weighted ? "weighted by time" : "unweighted", elements(output.part->held.layout.shape()));
}

std::string array_name(const Stream& stream, const std::string& variable, std::string_view array) {
  return formatted("{}.{}.{}", stream.plan().name, variable, array);
}

// A variable of the state, and where its values come from.
struct Array {
  const Stream::Output* output;
  std::string_view state;
  int variable;
};

int dimension_of(Schema& schema, std::int64_t length) {
  const std::string name = formatted("n{}", length);
  const int found = schema.find_dimension(name);
  return found >= 0 ? found : schema.add_dimension(name, length);
}

Json state_of(const Stream::Output& output) {
  Json state = {{"since", output.since}, {"step", output.step}};
  const Stream::Open& open = output.open;
  if (open.is)
    state["open"] = {{"begin", open.begin}, {"end", open.end}, {"samples", open.samples}, {"last", open.last}};
  if (open.is && output.accumulator)
    state["accumulator"] = {{"samples", output.accumulator->samples()}, {"weight", output.accumulator->weight()}};
  return state;
}

Json state_of(const Stream& stream, const std::vector<Stream::Output>& outputs) {
  const Stream::Place place = stream.place();
  Json state = {{"path", place.path},   {"records", place.records}, {"last_end", place.last_end},
                {"label", place.label}, {"any", place.any},         {"outputs", Json::object()}};
  for (const Stream::Output& output : outputs) {
    Json& said = state["outputs"][stream.plan().schema.variable(output.plan.variable).name] = state_of(output);
    said["definition"] = definition(stream, output);
  }
  return state;
}

Json head_of(const File& file) {
  const Attribute* const attribute = file.schema().find_attribute(WEIR_GLOBAL, attribute_name);
  require(attribute != nullptr && attribute->type == WEIR_CHAR, WEIR_EFORMAT,
          "{} is no restart file of streams: it has no attribute {}; name the file that the run before has made",
          file.path(), attribute_name);
  const std::string text(reinterpret_cast<const char*>(attribute->values.data()), attribute->values.size());
  Json head = Json::parse(text, nullptr, false);
  require(head.is_object() && head.value("version", 0) == version, WEIR_EFORMAT,
          "{} is a restart file of streams of another version of Weir: go on with that version, or begin anew",
          file.path());
  return head;
}

Stream::Place place_of(const Json& state) {
  return {state.at("path"), state.at("records"), state.at("last_end"), state.at("label"), state.at("any")};
}

// How a stream was defined otherwise in the run before, in words; "": it was not.
std::string change(Stream& stream, const Json& state) {
  std::string changed;
  for (const Stream::Output& output : stream.outputs()) {
    const std::string& variable = stream.plan().schema.variable(output.plan.variable).name;
    const Json former = state.at("outputs").value(variable, Json::object());
    const std::string was = former.value("definition", "not there"), is = definition(stream, output);
    if (was != is) changed = formatted("{} was {} in the run before, and is {} now", variable, was, is);
  }
  return changed;
}

void require_same(Stream& stream, const Json& state) {
  const std::string changed = change(stream, state);
  const Stream::Place place = place_of(state);
  require(changed.empty() || place.records == 0, WEIR_ECONFIG,
          "stream {}: {}, while {} is not finished: let its files have another name, or configure it as it was",
          stream.plan().name, changed, place.path);
}

void restore(File& file, const Stream& stream, const std::string& variable, const Json& state, Stream::Output& output) {
  output.since = state.at("since");
  output.step = state.at("step");
  if (!state.contains("open")) return;
  const Json& open = state.at("open");
  output.open = {true, open.at("begin"), open.at("end"), open.at("samples"), open.at("last")};
  if (!output.accumulator || !state.contains("accumulator")) return;
  std::vector<double> values(static_cast<std::size_t>(output.part->held.elements()));
  for (const std::string_view array : Accumulator::state_names(output.plan.operation)) {
    const int number = file.schema().find_variable(array_name(stream, variable, array));
    require(number >= 0, WEIR_EFORMAT, "{} has no variable {}: it is damaged; begin anew without it", file.path(),
            array_name(stream, variable, array));
    if (output.part->layout >= 0)
      file.gets().get(number, 0, output.part->layout, WEIR_DOUBLE, values.data());
    else if (!values.empty())
      file.gets().get_box(number, {}, {}, WEIR_DOUBLE, values.data());
    output.accumulator->restore(array, values);
  }
  const Json& accumulator = state.at("accumulator");
  output.accumulator->restore_all(accumulator.at("samples"), accumulator.at("weight"));
}

}  // namespace

File& write_restart(const StreamContext& shared, const std::string& path, Instant time, std::span<const Instant> last,
                    StreamList streams) {
  Json head = {{"version", version},
               {"units", shared.axis.units()},
               {"calendar", name(shared.axis.calendar())},
               {"begun", shared.begun},
               {"time", time},
               {"date", shared.axis.in_words(time)},
               {"last", Json::object()},
               {"streams", Json::object()}};
  for (std::size_t field = 0; field < last.size(); ++field) head["last"][shared.fields.all()[field].name] = last[field];
  Schema schema;
  std::vector<Array> arrays;
  for (const auto& stream : streams) {
    head["streams"][stream->plan().name] = state_of(*stream, stream->outputs());
    for (const Stream::Output& output : stream->outputs()) {
      if (!output.open.is || !output.accumulator) continue;
      std::vector<int> dims;
      if (output.part->layout >= 0)
        for (const std::int64_t length : output.part->held.layout.shape()) dims.push_back(dimension_of(schema, length));
      const std::string& variable = stream->plan().schema.variable(output.plan.variable).name;
      for (const std::string_view array : Accumulator::state_names(output.plan.operation))
        arrays.push_back(
            {&output, array, schema.add_variable(array_name(*stream, variable, array), WEIR_DOUBLE, dims)});
    }
  }
  const std::string text = head.dump();
  schema.put_attribute(WEIR_GLOBAL, attribute_name, WEIR_CHAR, static_cast<std::int64_t>(text.size()), text.data());

  File& file = shared.files.create(shared.absolute(path), WEIR_CLOBBER | WEIR_CDF5);
  file.definitions().define([&](Schema& defined) { defined = schema; });
  file.definitions().enddef();
  std::vector<double> values;
  for (const auto& [output, state, variable] : arrays) {
    values.resize(static_cast<std::size_t>(output->part->held.elements()));
    output->accumulator->save(state, values);
    if (output->part->layout >= 0)
      file.puts().put(variable, 0, output->part->layout, WEIR_DOUBLE, values.data());
    else
      file.puts().put_whole(variable, 0, WEIR_DOUBLE, values.data());
  }
  return file;
}

RestartHead RestartHead::of(const File& file) {
  const Json head = head_of(file);
  return {head.at("units"), head.at("calendar"), head.at("begun"), head.at("time"), head.at("last")};
}

std::vector<std::string> read_restart(const StreamContext& shared, File& file, StreamList streams) {
  const Json head = head_of(file);
  const Json& states = head.at("streams");
  // All are compared before a file is opened.
  for (const auto& stream : streams)
    if (states.contains(stream->plan().name)) require_same(*stream, states.at(stream->plan().name));
  std::vector<std::string> notes;
  for (const auto& stream : streams) {
    const std::string& name = stream->plan().name;
    if (!states.contains(name)) {
      notes.push_back(formatted("stream {} is new: it begins at {}", name, shared.axis.in_words(shared.start)));
      continue;
    }
    const Json& state = states.at(name);
    if (const std::string changed = change(*stream, state); !changed.empty()) {
      notes.push_back(
          formatted("stream {}: {}: it begins anew at {}", name, changed, shared.axis.in_words(shared.start)));
      continue;
    }
    for (Stream::Output& output : stream->outputs()) {
      const std::string& variable = stream->plan().schema.variable(output.plan.variable).name;
      restore(file, *stream, variable, state.at("outputs").at(variable), output);
    }
    stream->go_on(place_of(state));
  }
  return notes;
}

}  // namespace weir
