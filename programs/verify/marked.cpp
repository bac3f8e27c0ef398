// SPDX-License-Identifier: Apache-2.0
#include "marked.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "commit/done_marker.hpp"
#include "formats/classic/header.hpp"
#include "formats/classic/stored_file.hpp"
#include "formats/classic/visible.hpp"
#include "formats/definition.hpp"
#include "formats/field_sums.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/netcdf4/netcdf4_store.hpp"
#include "formats/zarr/folder.hpp"
#include "formats/zarr/store.hpp"
#include "formats/zarr/stored_tables.hpp"
#include "packed_file.hpp"
#include "storage/filesystem.hpp"
#include "storage/identity.hpp"

namespace weir::verify {

namespace {

namespace fs = std::filesystem;

ReadableFile in_chunks(StoredTables tables, int format, const std::string& path, const FileIdentity& identity) {
  ReadableFile file;
  const std::shared_ptr<const StoredTables> known = with_obstacles(std::move(tables));
  file.schema = known->schema;
  file.records = known->records;
  file.format = format;
  for (const auto& [name, reason] : known->left_out) file.left_out.push_back(name);
  std::unique_ptr<ChunkStore> store;
  if (format == zarr_format)
    store = std::make_unique<ZarrStore>(ZarrStore::Known{path, identity, known});
  else
    store = std::make_unique<Netcdf4Store>(Netcdf4Store::Known{path, identity, known}, std::nullopt);
  file.source = file.in_chunks = std::make_shared<ChunkedSource>(std::move(store), known->schema, 0);
  return file;
}

ReadableFile in_one_piece(const std::string& path) {
  DefinedFile defined = read_definition(path);
  const std::int64_t records = defined.geometry.records, least = least_file_bytes(defined, records);
  ReadableFile file;
  file.records = records;
  file.format = defined.geometry.format;
  const std::vector<int> none_alike(defined.schema.variables().size(), -1);
  file.source = std::make_shared<StoredFile>(
      StoredFile::Known{path, defined.identity, defined.geometry, least, none_alike}, PageCacheKind::through);
  file.schema = std::move(defined.schema);
  return file;
}

ReadableFile readable(const std::string& path) {
  const FileIdentity identity = identity_of(path);
  if (is_zarr_folder(path))
    return in_chunks(read_zarr(path, identity, StringVariables::as_text), zarr_format, path, identity);
  if (is_hdf5(open_to_read(path)))
    return in_chunks(read_netcdf4(path, StringVariables::as_text), netcdf4_format, path, identity);
  return in_one_piece(path);
}

// What the file has now.
DoneMarker look(const std::string& path) {
  const auto file = std::make_shared<const ReadableFile>(readable(path));
  FieldSums sums(file, 0, 1);
  while (sums.advance()) {
  }
  return marker_of(*file, path, sums.sums());
}

std::string in_words(const DoneMarker::Field& field) {
  std::string lengths;
  for (const std::int64_t length : field.shape) lengths += (lengths.empty() ? "" : ", ") + std::to_string(length);
  return formatted("{} ({})", field.type, lengths);
}

const DoneMarker::Field* find(const DoneMarker& marker, const std::string& name) {
  const auto found = std::find_if(marker.fields.begin(), marker.fields.end(),
                                  [&](const DoneMarker::Field& field) { return field.name == name; });
  return found == marker.fields.end() ? nullptr : &*found;
}

// The fields of `said` in `found`, as parts of a sentence. Other lengths along the records are told once, of all.
std::vector<std::string> differing_fields(const DoneMarker& said, const DoneMarker& found) {
  std::vector<std::string> differences;
  for (const DoneMarker::Field& field : said.fields) {
    const DoneMarker::Field* const there = find(found, field.name);
    if (!there)
      differences.push_back(formatted("\"{}\" is missing", field.name));
    else if (there->type != field.type || there->shape.size() != field.shape.size() ||
             (there->shape != field.shape && said.records == found.records))
      differences.push_back(formatted("\"{}\" is {}, not {}", field.name, in_words(*there), in_words(field)));
    else if (there->sum && field.sum && there->sum != field.sum)
      differences.push_back(formatted("\"{}\" has other values", field.name));
  }
  for (const DoneMarker::Field& field : found.fields)
    if (!find(said, field.name)) differences.push_back(formatted("\"{}\" is new", field.name));
  return differences;
}

std::vector<std::string> differences(const DoneMarker& said, const DoneMarker& found) {
  std::vector<std::string> all = differing_fields(said, found);
  if (said.records != found.records) all.push_back(formatted("{} record(s), not {}", found.records, said.records));
  if (said.size.files != found.size.files)
    all.push_back(formatted("{} file(s), not {}", found.size.files, said.size.files));
  if (said.size.bytes != found.size.bytes)
    all.push_back(formatted("{} bytes, not {}", found.size.bytes, said.size.bytes));
  if (said.format != found.format) all.push_back(formatted("{}, not {}", found.format, said.format));
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

// Variables whose values no sum covers.
std::string not_summed(const DoneMarker& said, const DoneMarker& found) {
  std::int64_t count = std::ssize(found.left_out);
  for (const DoneMarker::Field& field : said.fields)
    if (const DoneMarker::Field* const there = find(found, field.name); there && !(field.sum && there->sum)) ++count;
  if (count == 0) return {};
  return formatted(
      "; the values of {} variable(s), which this Weir or the one that made it cannot read, are not compared", count);
}

std::string counts(const DoneMarker& marker) {
  return formatted("{} variable(s), {} record(s), {} bytes", marker.fields.size(), marker.records, marker.size.bytes);
}

// A link has its marker beside the file that it leads to.
std::string shown_name(const std::string& path, const std::string& file) {
  return marker_name(fs::is_symlink(without_last_slashes(path)) ? file : path);
}

void sync(const std::string& path) {
  const Descriptor file = open_to_read(path);
  if (uninterrupted([&] { return ::fsync(file.number()); }) != 0) failed_call("fsync", path).raise();
}

void sync_all(const std::string& path) {
  if (!fs::is_directory(path)) return sync(path);
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) sync(entry.path().string());
}

}  // namespace

std::optional<MarkerVerdict> compare_with_marker(const std::string& path) {
  const std::string file = resolved_path(path), name = shown_name(path, file);
  const std::optional<DoneMarker> said = read_marker(file);
  if (!said) return std::nullopt;
  const DoneMarker found = look(file);
  const std::vector<std::string> differing = differences(*said, found);
  if (!differing.empty())
    return MarkerVerdict{false, formatted("{} does not agree with {}: {}", path, name, joined(differing))};
  return MarkerVerdict{true, formatted("{} agrees with {}: {}{}", path, name, counts(found), not_summed(*said, found))};
}

std::string make_marker(const std::string& path) {
  const std::string file = resolved_path(path);
  const DoneMarker found = look(file);
  sync_all(file);
  write_marker(file, found, Durability::storage).raise();
  return formatted("{} is made: {}{}", shown_name(path, file), counts(found), not_summed(found, found));
}

}  // namespace weir::verify
