// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/stored_tables.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/chunked/unpacker.hpp"
#include "formats/zarr/documents.hpp"
#include "formats/zarr/store.hpp"
#include "formats/zarr/stored_array.hpp"
#include "schema/name.hpp"
#include "schema/text_list.hpp"

namespace weir {

namespace {

constexpr Type guesses[] = {WEIR_INT, WEIR_INT64, WEIR_UINT64, WEIR_DOUBLE};
// Of the variable's own type.
constexpr std::string_view alike[] = {"_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"};

struct Elements {
  Type type;
  std::vector<std::byte> bytes;
};

bool is_of_numbers(const Json& value) {
  if (!value.is_array()) return value.is_number();
  return std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_number(); });
}

std::optional<Elements> with_type_of(const Json& value, Type type) {
  auto bytes = elements_of(value, type);
  return bytes ? std::optional(Elements{type, std::move(*bytes)}) : std::nullopt;
}

// xarray has it as the bytes of a double, whatever the array's real type is.
std::optional<Elements> encoded_fill(const Json& value, Type type) {
  if (!value.is_string() || (type != WEIR_FLOAT && type != WEIR_DOUBLE)) return std::nullopt;
  auto bytes = from_base64(value.get_ref<const std::string&>());
  if (!bytes || bytes->size() != sizeof(double)) return std::nullopt;
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes->begin(), bytes->end());
  if (type == WEIR_DOUBLE) return Elements{type, std::move(*bytes)};
  double number = 0;
  std::memcpy(&number, bytes->data(), sizeof number);
  const auto single = std::bit_cast<std::array<std::byte, sizeof(float)>>(static_cast<float>(number));
  return Elements{type, {single.begin(), single.end()}};
}

std::optional<Elements> guess(const Json& value) {
  if (!is_of_numbers(value)) return std::nullopt;
  for (const Type type : guesses)
    if (auto found = with_type_of(value, type)) return found;
  return std::nullopt;
}

// One text, or a list of them; nullopt where it is another thing, or a text has a zero in it.
std::optional<std::vector<std::byte>> texts_of(const Json& value) {
  std::vector<const char*> texts;
  const auto add = [&](const Json& each) {
    if (!each.is_string()) return false;
    const auto& text = each.get_ref<const std::string&>();
    texts.push_back(text.c_str());
    return text.find('\0') == std::string::npos;
  };
  const bool all = value.is_array() ? std::all_of(value.begin(), value.end(), add) : add(value);
  return all ? std::optional(join_texts(texts)) : std::nullopt;
}

class Attributes {
 public:
  Attributes(Schema& schema, int var, const Json& types) : schema_(schema), var_(var), types_(types) {}

  void add(const std::string& name, const Json& value) {
    const auto noted = noted_type(name);
    const bool of_variable =
        var_ != WEIR_GLOBAL && std::find(std::begin(alike), std::end(alike), name) != std::end(alike);
    std::optional<Elements> elements;
    if (noted) elements = with_type_of(value, *noted);
    if (!elements && of_variable) elements = in_type_of_variable(name, value);
    if (of_variable && name == "_FillValue") {
      if (elements && std::ssize(elements->bytes) == type_bytes(elements->type)) put(name, *elements);
      return;
    }
    if (!elements) elements = guess(value);
    if (elements) return put(name, *elements);
    if (value.is_array() || noted == WEIR_STRING) return put_texts(name, value);
    if (!value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    schema_.put_attribute(var_, Name::stored(name), WEIR_CHAR, std::ssize(text), text.data());
  }

 private:
  std::optional<Type> noted_type(const std::string& name) const {
    if (!types_.is_object() || !types_.contains(name) || !types_.at(name).is_string()) return std::nullopt;
    return zarr_type(types_.at(name).get_ref<const std::string&>());
  }

  std::optional<Elements> in_type_of_variable(const std::string& name, const Json& value) const {
    const Type type = schema_.variable(var_).type;
    if (name == "_FillValue")
      if (auto fill = encoded_fill(value, type)) return fill;
    if (value.is_string() && name != "_FillValue") return std::nullopt;
    return with_type_of(value, type);
  }

  void put(const std::string& name, const Elements& elements) {
    const std::int64_t count = std::ssize(elements.bytes) / type_bytes(elements.type);
    schema_.put_attribute(var_, Name::stored(name), elements.type, count, elements.bytes.data());
  }

  void put_texts(const std::string& name, const Json& value) {
    const auto count = value.is_array() ? static_cast<std::int64_t>(value.size()) : 1;
    if (const auto texts = texts_of(value))
      schema_.put_attribute(var_, Name::stored(name), WEIR_STRING, count, texts->data());
  }

  Schema& schema_;
  int var_;
  const Json& types_;
};

}  // namespace

void add_attributes(Schema& schema, int var, const Json& attributes, const Json& types, const std::string& prefix) {
  if (!attributes.is_object()) return;
  Attributes all(schema, var, types);
  for (const auto& [name, value] : attributes.items())
    if (!name_fault(name) && !path_fault(prefix + name)) all.add(prefix + name, value);
}

namespace fs = std::filesystem;

namespace {

Json read_text(const std::string& path) {
  const Descriptor file = open_to_read(path);
  std::string text(static_cast<std::size_t>(file.bytes()), '\0');
  file.read(std::as_writable_bytes(std::span(text)).data(), std::ssize(text), 0);
  Json document = Json::parse(text, nullptr, false);
  require(document.is_object(), WEIR_EFORMAT, "\"{}\" is not valid JSON, or is truncated; restore the folder", path);
  return document;
}

std::string text_in(const Json& attributes, const char* name) {
  if (!attributes.is_object() || !attributes.contains(name) || !attributes.at(name).is_string()) return {};
  return attributes.at(name).get<std::string>();
}

// As the CF conventions have it.
bool tells_time(const Json& attributes) {
  return text_in(attributes, "standard_name") == "time" || text_in(attributes, "axis") == "T" ||
         text_in(attributes, "units").find(" since ") != std::string::npos;
}

class StoredFolder {
 public:
  StoredFolder(const std::string& path, const FileIdentity& identity, StringVariables strings)
      : path_(path), identity_(identity), strings_(strings) {}

  StoredTables read() {
    const Json group = read_group();
    const Json consolidated = group.value("consolidated_metadata", Json());
    if (consolidated.is_object() && consolidated.contains("metadata")) {
      for (const auto& [name, document] : consolidated.at("metadata").items()) add(name, document);
      noted_ = consolidated.value("weir", Json::object());
    } else {
      look_for_arrays("");
    }
    add_noted_dimensions();
    find_record_dimension();
    find_dimensions_in_groups();
    for (const ZarrVariable& variable : variables_) count_records(variable);
    for (ZarrVariable& variable : variables_) add_variable(std::move(variable));
    add_attributes(tables_.schema, WEIR_GLOBAL, group.value("attributes", Json::object()),
                   noted_.value("group_attribute_types", Json()));
    for (const auto& [name, attributes] : groups_)
      add_attributes(tables_.schema, WEIR_GLOBAL, attributes, noted_.value("group_attribute_types", Json()),
                     name + "/");
    return std::move(tables_);
  }

 private:
  Json read_group() const {
    const std::string path = path_ + "/" + zarr_metadata_name;
    require(fs::exists(path), WEIR_EFORMAT,
            "\"{}\" is a Zarr folder of version 2, and Weir reads version 3: make a copy by zarr or xarray", path_);
    Json group = read_text(path);
    const auto told = [&](const std::string& what) { return formatted("\"{}\" {}", path_, what); };
    require(group.value("zarr_format", 0) == 3, WEIR_EFORMAT,
            told("is not a Zarr version 3 folder, which is what Weir reads"));
    require(group.value("node_type", std::string()) == "group", WEIR_EFORMAT,
            told("is a single Zarr array, and Weir reads groups: open the folder that it is in"));
    return group;
  }

  void add(const std::string& name, const Json& document) {
    const std::string kind = document.is_object() ? document.value("node_type", std::string()) : "";
    if (kind == "array") variables_.push_back(zarr_variable(name, document));
    if (kind == "group") groups_.emplace_back(name, document.value("attributes", Json::object()));
  }

  // prefix: of a group, with its '/'.
  void look_for_arrays(const std::string& prefix) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_ + "/" + prefix))
      if (fs::exists(entry.path() / zarr_metadata_name)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const std::size_t groups = groups_.size();
      add(prefix + name, read_text(path_ + "/" + prefix + name + "/" + zarr_metadata_name));
      if (groups_.size() > groups) look_for_arrays(prefix + name + "/");
    }
  }

  void add_noted_dimensions() {
    for (const Json& dimension : noted_.value("dimensions", Json::array())) {
      const auto name = dimension.at("name").get<std::string>();
      const auto length = dimension.at("length").get<std::int64_t>();
      if (length == WEIR_UNLIMITED) record_ = name;
      lengths_[name] = length;
      if (dimension.value("unlimited", false))
        tables_.schema.add_growing_dimension(Name::stored(name), length);
      else
        tables_.schema.add_dimension(Name::stored(name), length);
    }
  }

  // Where it is not noted.
  void find_record_dimension() {
    if (noted_.contains("dimensions")) return;
    std::map<std::string, bool> first;  // wherever it occurs
    for (const ZarrVariable& variable : variables_)
      for (std::size_t d = 0; d < variable.dims.size(); ++d) {
        const auto known = first.find(variable.dims[d]);
        first[variable.dims[d]] = d == 0 && (known == first.end() || known->second);
      }
    for (const ZarrVariable& variable : variables_) {
      if (variable.dims.empty() || !first.at(variable.dims[0])) continue;
      const std::string& dim = variable.dims[0];
      const bool coordinate = last_name(variable.name) == dim && tells_time(variable.attributes);
      if (dim != "time" && !coordinate) continue;
      record_ = dim;
      return;
    }
  }

  // Zarr's names of dimensions are by themselves. Which one an array in a group has is noted; of others it is that of a
  // group which holds it, where the length is the same, and else one of its own group.
  void find_dimensions_in_groups() {
    const auto depth = [](const ZarrVariable& of) { return std::count(of.name.begin(), of.name.end(), '/'); };
    if (!noted_.contains("dimensions"))
      std::stable_sort(variables_.begin(), variables_.end(),
                       [&](const auto& one, const auto& other) { return depth(one) < depth(other); });
    const Json noted = noted_.value("variable_dimensions", Json::object());
    std::map<std::string, std::int64_t> known;
    for (ZarrVariable& variable : variables_) {
      if (!variable.refused.empty()) continue;
      if (noted.contains(variable.name) && noted.at(variable.name).size() == variable.dims.size()) {
        variable.dims = noted.at(variable.name).get<std::vector<std::string>>();
        continue;
      }
      for (std::size_t d = 0; d < variable.dims.size(); ++d)
        variable.dims[d] = in_scope(variable.name, variable.dims[d], variable.array.lengths[d], known);
    }
  }

  std::string in_scope(const std::string& variable, const std::string& dim, std::int64_t length,
                       std::map<std::string, std::int64_t>& known) const {
    if (dim == record_) return dim;
    const std::string own(group_prefix(variable));
    for (std::string prefix = own;; prefix = group_prefix(prefix.substr(0, prefix.size() - 1))) {
      const auto found = known.find(prefix + dim);
      if (found != known.end() && found->second == length) return found->first;
      if (prefix.empty()) break;
    }
    known.try_emplace(own + dim, length);
    return own + dim;
  }

  // Why the variable cannot have these dimensions; empty where it can. They are in the schema then.
  std::string add_dimensions(const ZarrVariable& variable, std::vector<int>& dims) {
    for (std::size_t d = 0; d < variable.dims.size(); ++d) {
      const std::string& name = variable.dims[d];
      const std::int64_t length = variable.array.lengths[d];
      const bool record = name == record_;
      if (!record && length == 0) return "it has a dimension of length 0 that is not the record dimension";
      if (const auto fault = path_fault(name)) return formatted("its dimension \"{}\" {}", name, *fault);
      const auto [known, is_new] = lengths_.try_emplace(name, record ? WEIR_UNLIMITED : length);
      if (is_new) tables_.schema.add_dimension(Name::stored(name), known->second);
      if (!record && known->second != length)
        return formatted("its dimension \"{}\" has {} elements here and {} elsewhere", name, length, known->second);
      dims.push_back(tables_.schema.find_dimension(name));
    }
    return {};
  }

  // They are text with one dimension more, which the length of the longest has ("string12", as xarray has it). Nothing
  // is left of how they lay in files.
  void make_text(ZarrVariable& variable) {
    if (strings_ == StringVariables::left_out) throw Error(WEIR_EFORMAT, strings_only_to_read);
    StoredArray& array = variable.array;
    const std::string obstacle = array.obstacle.empty() ? unknown_filter(array.filters) : array.obstacle;
    require(obstacle.empty(), WEIR_EFORMAT, obstacle);
    StoredArray in_tables;
    in_tables.lengths = array.lengths;
    if (has_records(variable)) in_tables.lengths[0] = most_records_;
    FixedTexts texts = read_texts({path_, identity_}, array, *variable.texts, in_tables.lengths);
    in_tables.lengths.push_back(texts.length);
    in_tables.contents = std::move(texts.characters);
    array = std::move(in_tables);
    std::string dim = formatted("string{}", texts.length);
    while (lengths_.contains(dim) && lengths_.at(dim) != texts.length) dim += "_";
    variable.dims.push_back(dim);
    variable.attributes.erase("_FillValue");  // text has another one
    if (!variable.attributes.contains("_Encoding")) variable.attributes["_Encoding"] = "utf-8";
  }

  bool has_records(const ZarrVariable& variable) const { return !variable.dims.empty() && variable.dims[0] == record_; }

  // Texts with records have as many as any variable may bring: what lies in the tables does not end before the others.
  void count_records(const ZarrVariable& variable) {
    if (!variable.refused.empty() || !has_records(variable)) return;
    if (variable.texts && !elements_up_to(variable.array.lengths, most_text_bytes)) return;  // will be left out
    most_records_ = std::max(most_records_, variable.array.lengths[0]);
  }

  void add_variable(ZarrVariable variable) {
    std::vector<int> dims;
    const std::int64_t stored_records = has_records(variable) ? variable.array.lengths.at(0) : 0;  // before it is text
    try {
      if (variable.refused.empty() && variable.texts) make_text(variable);
    } catch (const Error& error) {
      if (error.code() != WEIR_EFORMAT) throw;
      variable.refused = error.what();
    }
    if (variable.refused.empty()) variable.refused = add_dimensions(variable, dims);
    int var = -1;
    try {
      if (variable.refused.empty()) var = tables_.schema.add_variable(Name::stored(variable.name), variable.type, dims);
    } catch (const Error& error) {
      variable.refused = error.what();
    }
    if (!variable.refused.empty())
      return static_cast<void>(tables_.left_out.emplace_back(variable.name, variable.refused));
    if (has_records(variable)) tables_.records = std::max(tables_.records, stored_records);
    add_attributes_of(variable, var);
    tables_.arrays.push_back(std::move(variable.array));
  }

  // The _FillValue of text is fill_value alone.
  void add_attributes_of(const ZarrVariable& variable, int var) {
    const Json types = noted_.value("attribute_types", Json::object()).value(variable.name, Json::object());
    add_attributes(tables_.schema, var, variable.attributes, types);
    if (variable.type == WEIR_CHAR && types.contains("_FillValue"))
      tables_.schema.put_attribute(var, "_FillValue", WEIR_CHAR, 1, variable.array.fill.data());
  }

  const std::string& path_;
  const FileIdentity& identity_;
  StringVariables strings_;
  Json noted_ = Json::object();  // by Weir that wrote it
  std::vector<ZarrVariable> variables_;
  std::vector<std::pair<std::string, Json>> groups_;  // within the folder, with their attributes
  std::map<std::string, std::int64_t> lengths_;       // of dimensions in the schema
  std::string record_;                                // the name of the dimension that has records; empty: none has
  std::int64_t most_records_ = 0;                     // of those that may be taken
  StoredTables tables_;
};

// Each is a file of one element, which then need not be read by each rank.
void read_scalars(const std::string& path, const FileIdentity& identity, StoredTables& tables) {
  ZarrStore store({path, identity, std::make_shared<const StoredTables>(tables)});
  Unpacker unpacker;
  store.check();
  for (std::size_t v = 0; v < tables.arrays.size(); ++v) {
    StoredArray& array = tables.arrays[v];
    if (!array.lengths.empty() || !array.obstacle.empty()) continue;
    array.obstacle = unknown_filter(array.filters);
    if (!array.obstacle.empty()) continue;
    const auto place = store.find(static_cast<int>(v), 0);
    if (!place) continue;
    std::vector<std::byte> packed(static_cast<std::size_t>(place->bytes));
    store.read(place->file, place->address, packed);
    const int size = type_bytes(tables.schema.variable(static_cast<int>(v)).type);
    std::vector<std::byte> element(static_cast<std::size_t>(size));
    const std::string problem = unpacker.unpack(packed, array, 0, size, element);
    if (!problem.empty()) array.obstacle = formatted("\"{}\" is damaged: it {}", store.path(place->file), problem);
    if (array.little_endian) std::reverse(element.begin(), element.end());  // as the file has it
    array.contents = std::move(element);
  }
}

}  // namespace

StoredTables read_zarr(const std::string& path, const FileIdentity& identity, StringVariables strings) try {
  StoredTables tables = StoredFolder(path, identity, strings).read();
  read_scalars(path, identity, tables);
  return tables;
} catch (const Error& error) {
  if (error.code() != WEIR_EARGUMENT) throw;
  throw Error(WEIR_EFORMAT, "Weir does not support the definitions of \"{}\": {}", path, error.what());
} catch (const Json::exception& error) {
  throw Error(WEIR_EFORMAT, "\"{}\" is not as Zarr version 3 has it: {}", path + "/" + zarr_metadata_name,
              error.what());
} catch (const fs::filesystem_error& error) {
  throw Error(WEIR_EIO, "looking into {}: {}", path, error.code().message());
}

}  // namespace weir
