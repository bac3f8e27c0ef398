// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/leftovers.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "formats/zarr/array.hpp"
#include "formats/zarr/documents.hpp"

namespace weir {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// As consolidated metadata have them; none of a text that is cut off.
Json arrays_in(const std::string& group) {
  const Json text = Json::parse(group, nullptr, false);
  const Json consolidated = text.is_object() ? text.value("consolidated_metadata", Json::object()) : Json::object();
  return consolidated.is_object() ? consolidated.value("metadata", Json::object()) : Json::object();
}

bool lies_beyond(const Shape& place, const Shape& part, const Shape& lengths) {
  for (std::size_t d = 0; d < place.size(); ++d)
    if (place[d] > (lengths[d] - 1) / part[d] || lengths[d] == 0) return true;
  return false;
}

void sort_in(const fs::directory_entry& entry, const ChunkFiles& files, const Shape& lengths, const fs::path& folder,
             ArrayFiles& found) {
  if (entry.is_directory()) return;
  if (is_pending(entry.path().filename().string())) return found.leftovers.push_back(entry.path().string());
  const auto place = place_of_key(files.keys, entry.path().lexically_relative(folder).string());
  if (!place || place->size() != lengths.size() || files.part.size() != lengths.size()) return;
  (lies_beyond(*place, files.part, lengths) ? found.leftovers : found.chunks).push_back(entry.path().string());
}

}  // namespace

std::string text_of(const std::string& path) {
  const Descriptor file = open_to_read(path);
  std::string text(static_cast<std::size_t>(file.bytes()), '\0');
  file.read(std::as_writable_bytes(std::span(text)).data(), std::ssize(text), 0);
  return text;
}

Json pending_arrays(const std::string& path) {
  const std::string pending = path + "/" + pending_name(zarr_metadata_name);
  std::error_code none;
  return fs::exists(pending, none) ? arrays_in(text_of(pending)) : Json::object();
}

std::vector<std::string> leftover_arrays(const std::string& path, const std::string& group) {
  const Json there = arrays_in(group), coming = pending_arrays(path);
  std::vector<std::string> folders;
  for (const auto& [name, document] : coming.items()) {
    const std::string folder = path + "/" + name;
    std::error_code none;
    const auto inside = [&](const auto& item) { return item.key().starts_with(name + "/"); };
    const auto items = there.items();
    if (there.contains(name) || std::any_of(items.begin(), items.end(), inside)) continue;  // a group with what stays
    if (!fs::exists(folder, none)) continue;
    const bool told = fs::exists(folder + "/" + zarr_metadata_name, none);
    if (!told || Json::parse(text_of(folder + "/" + zarr_metadata_name), nullptr, false) == document)
      folders.push_back(folder);
  }
  return folders;
}

// What a group's own text says of the arrays in it, where another library has it do so, is not the root's to change.
std::vector<ZarrDocument> former_groups(const Json& there, const Json& coming) {
  std::vector<ZarrDocument> groups;
  for (const auto& [name, document] : there.items()) {
    const bool is_group = document.value("node_type", std::string()) == "group";
    if (!is_group || !coming.contains(name) || coming.at(name) == document) continue;
    Json own = document;
    own.erase("consolidated_metadata");
    groups.push_back({name, own.dump(zarr_indent)});
  }
  return groups;
}

bool is_pending(const std::string& name) {
  return name.starts_with(".") && name.ends_with(".weir");
}

ArrayFiles array_files(const std::string& folder, const ChunkFiles& files, const Shape& lengths) try {
  ArrayFiles found;
  const auto look = [&](const fs::directory_entry& entry) { sort_in(entry, files, lengths, folder, found); };
  if (files.keys.separator == '/')
    for (const auto& entry : fs::recursive_directory_iterator(folder)) look(entry);
  else
    for (const auto& entry : fs::directory_iterator(folder)) look(entry);
  return found;
} catch (const fs::filesystem_error& error) {
  throw Error(WEIR_EIO, "looking into {}: {}", folder, error.code().message());
}

}  // namespace weir
