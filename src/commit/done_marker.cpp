// SPDX-License-Identifier: Apache-2.0
#include "commit/done_marker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "commit/partial.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

// The first key, by which a marker is known, and the version of what follows.
constexpr const char* first_key = "weir_marker";
constexpr int text_version = 1;
constexpr std::int64_t most_text_bytes = 256 << 20;

std::string pending_marker(const std::string& path) {
  return partial_name(marker_name(path));
}

// JSON's numbers have no 64 bits in all readers.
std::string sum_in_words(std::uint64_t sum) {
  return formatted("{:016x}", sum);
}

std::optional<std::uint64_t> sum_of_words(const std::string& words) {
  std::uint64_t sum = 0;
  const char* const end = words.data() + words.size();
  const auto [stop, error] = std::from_chars(words.data(), end, sum, 16);
  require(error == std::errc() && stop == end, WEIR_EFORMAT, "\"{}\" is not a sum", words);
  return sum;
}

DoneMarker marker_of(const Json& text) {
  DoneMarker marker;
  marker.file = text.at("file").get<std::string>();
  marker.format = text.at("format").get<std::string>();
  marker.weir = text.at("weir").get<std::string>();
  marker.records = text.at("records").get<std::int64_t>();
  // A time that is no number is null.
  const auto number = [](const Json& value) { return value.is_number() ? value.get<double>() : 0.0; };
  if (text.contains("times")) {
    const Json& times = text.at("times");
    marker.times = {times.at("variable").get<std::string>(), times.at("units").get<std::string>(),
                    number(times.at("first")), number(times.at("last"))};
  }
  marker.size = {text.at("bytes").get<std::int64_t>(), text.at("files").get<std::int64_t>()};
  for (const auto& [name, field] : text.at("variables").items()) {
    std::optional<std::uint64_t> sum;
    if (!field.at("sum").is_null()) sum = sum_of_words(field.at("sum").get<std::string>());
    marker.fields.push_back(
        {name, field.at("type").get<std::string>(), field.at("shape").get<std::vector<std::int64_t>>(), sum});
  }
  marker.left_out = text.at("left_out").get<std::vector<std::string>>();
  return marker;
}

std::optional<std::string> text_of(const std::string& name) {
  std::error_code none;
  if (!fs::is_regular_file(name, none)) return std::nullopt;
  const Descriptor file = open_to_read(name);
  const std::int64_t bytes = file.bytes();
  if (bytes > most_text_bytes) return std::nullopt;
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(reinterpret_cast<std::byte*>(text.data()), bytes, 0);
  return text;
}

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An entry a line, which people read and diff.
std::string lines_of(const Json& map, const std::string& indent) {
  std::string text;
  for (const auto& [key, value] : map.items())
    text += formatted("{}{}{}: {}", text.empty() ? "" : ",\n", indent, dumped(key), dumped(value));
  return text;
}

bool begins_as_marker(const std::string& text) {
  return text.substr(0, 32).find(first_key) != std::string::npos;
}

}  // namespace

std::string marker_name(const std::string& path) {
  return without_last_slashes(path) + ".done";
}

std::string to_text(const DoneMarker& marker) {
  Json text;
  text[first_key] = text_version;
  text["file"] = marker.file;
  text["format"] = marker.format;
  text["weir"] = marker.weir;
  text["records"] = marker.records;
  if (marker.times)
    text["times"] = {{"variable", marker.times->variable},
                     {"units", marker.times->units},
                     {"first", marker.times->first},
                     {"last", marker.times->last}};
  text["bytes"] = marker.size.bytes;
  text["files"] = marker.size.files;
  text["left_out"] = marker.left_out;
  Json fields = Json::object();
  for (const DoneMarker::Field& field : marker.fields) {
    Json sum;
    if (field.sum) sum = sum_in_words(*field.sum);
    fields[field.name] = {{"type", field.type}, {"shape", field.shape}, {"sum", sum}};
  }
  return formatted("{{\n{},\n \"variables\": {{\n{}\n }}\n}}\n", lines_of(text, " "), lines_of(fields, "  "));
}

std::optional<DoneMarker> read_marker(const std::string& path) {
  const std::string name = marker_name(path);
  const std::optional<std::string> text = text_of(name);
  if (!text || !begins_as_marker(*text)) return std::nullopt;
  try {
    const Json json = Json::parse(*text);
    const int version = json.at(first_key).get<int>();
    require(version <= text_version, WEIR_EFORMAT, "\"{}\" is of a newer Weir (version {}); read it with that", name,
            json.value("weir", std::string("unknown")));
    return marker_of(json);
  } catch (const Json::exception&) {
    throw Error(WEIR_EFORMAT, "\"{}\" is damaged; copy it again, or make it anew by weir-verify --mark", name);
  }
}

Status write_marker(const std::string& path, const DoneMarker& marker, Durability durability) {
  const std::string text = to_text(marker), name = marker_name(path), pending = pending_marker(path);
  Descriptor file(uninterrupted([&] {
                    return ::open(pending.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
                  }),
                  pending);
  if (file.number() < 0) return failed_call("making", pending);
  errno = write_whole(file.number(), std::as_bytes(std::span(text)), 0);
  if (errno != 0) return failed_call("writing", pending);
  const bool lasts = durability == Durability::storage;
  if (lasts && uninterrupted([&] { return ::fsync(file.number()); }) != 0) return failed_call("fsync", pending);
  if (!file.close()) return failed_call("closing", pending);
  if (std::rename(pending.c_str(), name.c_str()) != 0) return failed_call("renaming", pending);
  return lasts ? sync_folder(name) : Status();
}

Status remove_marker(const std::string& path, MarkerOf whose) try {
  const std::string name = marker_name(path);
  ::unlink(pending_marker(path).c_str());
  if (whose == MarkerOf::weir) {
    const std::optional<std::string> text = text_of(name);
    if (!text || !begins_as_marker(*text)) return {};
  }
  if (::unlink(name.c_str()) == 0) return sync_folder(name);
  if (errno == ENOENT) return {};
  return {WEIR_EIO, formatted("\"{}\" tells of the file that is about to change, and cannot be removed: {}; remove it",
                              name, std::strerror(errno))};
} catch (const Error& error) {
  return {error.code(), error.what()};
}

DoneMarker::Size size_of(const std::string& path) {
  try {
    if (!fs::is_directory(path)) return {static_cast<std::int64_t>(fs::file_size(path)), 1};
    DoneMarker::Size size{0, 0};
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      size.bytes += static_cast<std::int64_t>(entry.file_size());
      ++size.files;
    }
    return size;
  } catch (const fs::filesystem_error& error) {
    throw Error(WEIR_EIO, "the length of \"{}\" is not known: {}", path, error.code().message());
  }
}

}  // namespace weir
