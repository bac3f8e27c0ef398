// SPDX-License-Identifier: Apache-2.0
#include "zarr_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/zarr/folder.hpp"
#include "formats/zarr/leftovers.hpp"
#include "formats/zarr/shard_files.hpp"
#include "formats/zarr/store.hpp"
#include "formats/zarr/stored_array.hpp"
#include "formats/zarr/stored_tables.hpp"
#include "packed_file.hpp"
#include "storage/filesystem.hpp"
#include "storage/identity.hpp"

namespace weir::verify {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* text_name = "zarr.json";

[[noreturn]] void damaged(const std::string& what) {
  throw Error(WEIR_EFORMAT, what);
}

std::vector<std::byte> bytes_of(const Descriptor& file, std::int64_t first, std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  file.read(bytes.data(), count, first);
  return bytes;
}

Json read_text(const std::string& folder) {
  const std::string path = folder + "/" + text_name;
  std::error_code none;
  if (!fs::exists(path, none)) damaged(formatted("\"{}\" is missing", path));
  const Descriptor file = open_to_read(path);
  const std::vector<std::byte> bytes = bytes_of(file, 0, file.bytes());
  const auto* first = reinterpret_cast<const char*>(bytes.data());
  Json text = Json::parse(first, first + bytes.size(), nullptr, false);
  if (!text.is_object()) damaged(formatted("\"{}\" is not valid JSON, or is truncated", path));
  return text;
}

// What a reader may open of an array is whole; throws where it is not. What no reader looks for goes to `leftovers`.
std::int64_t look(const std::string& folder, const StoredArray& array, std::vector<std::string>& leftovers) {
  const ChunkFiles& files = *array.files;
  ArrayFiles found = array_files(folder, files, array.lengths);
  leftovers.insert(leftovers.end(), found.leftovers.begin(), found.leftovers.end());
  const bool summed = !files.index && !array.filters.empty() && array.filters.back().id == crc32c_codec;
  for (const std::string& path : found.chunks) {
    if (!array.obstacle.empty()) continue;
    const Descriptor file = open_to_read(path);
    if (files.index) {
      const ShardIndex index = read_index(file, *files.index, elements(files.part) / elements(array.chunk));
      if (!index.problem.empty()) damaged(index.problem);
    } else if (summed && !ends_with_crc32c(bytes_of(file, 0, file.bytes()))) {
      damaged(formatted("\"{}\" is truncated or changed: its checksum does not match", path));
    }
  }
  return std::ssize(found.chunks);
}

UnpackedChunks unpack_chunks(const std::string& path) {
  const FileIdentity identity = identity_of(path);
  const auto tables = with_obstacles(read_zarr(path, identity, StringVariables::left_out));
  return unpack_all(*tables, std::make_unique<ZarrStore>(ZarrStore::Known{path, identity, tables}));
}

ZarrVerdict of_whole_folder(const std::string& path, const Json& group) {
  ZarrVerdict verdict{Verdict::Kind::whole, ""};
  std::int64_t files = 0, count = 0;
  const Json& arrays = group.at("consolidated_metadata").at("metadata");
  for (const auto& [name, text] : arrays.items()) {
    if (text.value("node_type", std::string()) != "array") continue;
    ++count;
    const std::string folder = path + "/" + name;
    if (read_text(folder) != text) verdict.behind.push_back({name, text.dump(1)});
    const ZarrVariable variable = zarr_variable(name, text);
    if (variable.refused.empty()) files += look(folder, variable.array, verdict.leftovers);
  }
  for (ZarrDocument& text : former_groups(arrays, pending_arrays(path))) verdict.behind.push_back(std::move(text));
  const std::string pending = path + "/" + pending_name(text_name);
  if (fs::exists(pending)) verdict.leftovers.push_back(pending);
  std::sort(verdict.leftovers.begin(), verdict.leftovers.end());
  const UnpackedChunks unpacked = unpack_chunks(path);
  verdict.sentence = formatted("{} is whole: Zarr version 3, {} array(s), {} file(s) of chunks, {} chunk(s){}", path,
                               count, files, unpacked.chunks, not_looked_into(unpacked));
  return verdict;
}

// No rank of this host who writes it goes on meanwhile, where the system can say so.
Descriptor hold(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
  if (folder.number() < 0) throw Error(WEIR_EIO, "{} is left as it is: {}", path, std::strerror(errno));
  require(::flock(folder.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, WEIR_EIO,
          "{} is left as it is: another program has it open, perhaps a run in progress", path);
  return folder;
}

}  // namespace

ZarrVerdict judge_zarr(const std::string& path) try {
  const Json group = read_text(path);
  if (group.value("zarr_format", 0) != 3 || !group.contains("consolidated_metadata"))
    return {Verdict::Kind::cannot_judge,
            formatted("{} cannot be judged: it is a Zarr folder of another kind than Weir writes; ask zarr", path)};
  return of_whole_folder(path, group);
} catch (const Error& error) {
  if (error.code() == WEIR_EFORMAT)
    return {Verdict::Kind::damaged, formatted("{} is not whole: {}", path, error.what())};
  return {Verdict::Kind::cannot_judge, formatted("{} cannot be judged: {}", path, error.what())};
} catch (const std::exception& error) {  // of JSON that says something else
  return {Verdict::Kind::cannot_judge, formatted("{} cannot be judged: {}", path, error.what())};
}

void clean_zarr(const std::string& path, const ZarrVerdict& verdict) {
  const Descriptor held = hold(path);
  for (const ZarrDocument& document : verdict.behind) {
    const std::string folder = path + "/" + document.folder;
    const auto text = std::as_bytes(std::span(document.text));
    write_pending(folder, text_name, text, Durability::storage).raise();
    show_pending(folder, text_name).raise();
    sync_folder(folder + "/" + text_name).raise();
  }
  for (const std::string& file : verdict.leftovers)
    if (::unlink(file.c_str()) != 0 && errno != ENOENT)
      throw Error(WEIR_EIO, "{} is left as it is: {}", file, std::strerror(errno));
}

void remove_unfinished_zarr(const std::string& path) {
  const Descriptor held = hold(path);
  std::error_code problem;
  fs::remove_all(path, problem);
  if (problem) throw Error(WEIR_EIO, "{} is left as it is: {}", path, problem.message());
}

}  // namespace weir::verify
