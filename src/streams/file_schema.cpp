// SPDX-License-Identifier: Apache-2.0
#include "streams/file_schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/chunk_grid.hpp"
#include "streams/attribute_values.hpp"
#include "streams/operation_results.hpp"
#include "weir/weir.h"

namespace weir {

namespace {

constexpr const char* conventions = "CF-1.11";
constexpr const char* missing_name = "missing_value";
constexpr const char* methods_name = "cell_methods";
constexpr const char* quantization_name = "quantization";
// Attributes that name fields which readers want in the same file.
constexpr std::array references{std::string_view("coordinates"),   std::string_view("bounds"),
                                std::string_view("cell_measures"), std::string_view("ancillary_variables"),
                                std::string_view("grid_mapping"),  std::string_view("formula_terms")};
// Attributes whose values are of the variable's own type, in the variable's own values.
constexpr std::array ranges{std::string_view("valid_min"), std::string_view("valid_max"),
                            std::string_view("valid_range")};
constexpr std::array flags{std::string_view("flag_values"), std::string_view("flag_masks"),
                           std::string_view("flag_meanings")};

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void put_text(Schema& schema, int var, const std::string& name, const std::string& text) {
  schema.put_attribute(var, name, WEIR_CHAR, static_cast<std::int64_t>(text.size()), text.data());
}

void put_number(Schema& schema, int var, const char* name, double value) {
  schema.put_attribute(var, name, WEIR_DOUBLE, 1, &value);
}

// The numbers that a packed type has besides its fill value.
std::optional<NumberRange> stored_range(Type type) noexcept {
  switch (type) {
    case WEIR_BYTE:
      return NumberRange{-126, 127};
    case WEIR_SHORT:
      return NumberRange{-32766, 32767};
    case WEIR_INT:
      return NumberRange{-2147483646.0, 2147483647.0};
    case WEIR_UBYTE:
      return NumberRange{0, 254};
    case WEIR_USHORT:
      return NumberRange{0, 65534};
    case WEIR_UINT:
      return NumberRange{0, 4294967294.0};
    default:
      return std::nullopt;
  }
}

// Makes the schema of one file.
class FileSchema {
 public:
  FileSchema(PlannedFile& file, const FileContent& content, const Fields& fields, const TimeAxis& axis)
      : file_(file), content_(content), fields_(fields), axis_(axis) {}

  void define_time(bool intervals);
  void define_output(const ChosenField& chosen);
  void define_fixed(int field);
  void define_attributes();
  void count_bytes();
  // The fixed fields of the file, in the order in which the model has defined them.
  std::set<int> fixed_fields() const;

 private:
  Schema& schema() noexcept { return file_.schema; }
  std::vector<int> dimensions_of(const Field& field);
  KeptIndices kept_of(const Field& field) const;
  void pack(PlannedOutput& output, const ChosenField& chosen, Type results, Type stored);
  void put_field_attributes(const PlannedOutput& output, const ChosenField& chosen, bool packed);
  void put_fill(PlannedOutput& output, const Field& field, bool packed);
  void tell_kept_bits(int variable, int bits);
  void bound_error(PlannedOutput& output, const ChosenField& chosen);
  void set_storage(int variable, int digits);
  std::set<std::string> external_variables() const;

  PlannedFile& file_;
  const FileContent& content_;
  const Fields& fields_;
  const TimeAxis& axis_;
};

void FileSchema::define_time(bool intervals) {
  const int time = schema().add_dimension(Name(time_name), 0);
  file_.time_variable = schema().add_variable(Name(time_name), WEIR_DOUBLE, std::array{time});
  put_text(schema(), file_.time_variable, "standard_name", "time");
  put_text(schema(), file_.time_variable, "units", axis_.units());
  put_text(schema(), file_.time_variable, "calendar", std::string(name(axis_.calendar())));
  put_text(schema(), file_.time_variable, "axis", "T");
  if (!intervals) return;
  const int ends = schema().add_dimension(Name(bounds_dimension), 2);
  file_.bounds_variable = schema().add_variable(Name(bounds_name), WEIR_DOUBLE, std::array{time, ends});
  put_text(schema(), file_.time_variable, "bounds", std::string(bounds_name));
}

KeptIndices FileSchema::kept_of(const Field& field) const {
  KeptIndices kept(field.dimensions.size());
  bool any = false;
  for (std::size_t d = 0; d < kept.size(); ++d) {
    const int found = find_name(content_.kept, field.dimensions[d]);
    if (found < 0) continue;
    kept[d] = content_.kept[static_cast<std::size_t>(found)].indices;
    any = true;
  }
  return any ? kept : KeptIndices();
}

std::vector<int> FileSchema::dimensions_of(const Field& field) {
  const Shape part = part_shape(field.shape, kept_of(field));
  std::vector<int> dimensions;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    const std::string& name = field.dimensions[d];
    require(!same_name(name, time_name), WEIR_ECONFIG,
            "field \"{}\" has a dimension called time, which is the record dimension of the stream's files; give the "
            "model's dimension another name",
            field.name);
    int number = schema().find_dimension(name);
    if (number < 0) number = schema().add_dimension(name, part[d]);
    const std::int64_t length = schema().dimensions()[static_cast<std::size_t>(number)].length;
    require(length == part[d], WEIR_ECONFIG,
            "field \"{}\" has a dimension called {} of length {}, and the bounds of time have one of length {}; give "
            "the model's dimension another name",
            field.name, name, part[d], length);
    dimensions.push_back(number);
  }
  return dimensions;
}

void FileSchema::set_storage(int variable, int digits) {
  const Variable& known = schema().variable(variable);
  if (known.dims.empty()) return;
  Storage storage = known.storage;
  const std::int64_t chunk_bytes = elements(schema().chunk(variable)) * type_bytes(known.type);
  if (file_.stream.compression != CompressionKind::none && worth_compressing(chunk_bytes)) {
    storage.shuffle = type_bytes(known.type) > 1;
    (file_.stream.compression == CompressionKind::zlib ? storage.deflate_level : storage.zstd_level) =
        file_.stream.compression_level;
  }
  if (digits > 0) storage.quantization = Quantization{QuantizeKind::granular_bit_round, digits};
  if (storage.any()) schema().set_storage(variable, std::move(storage));
}

void FileSchema::pack(PlannedOutput& output, const ChosenField& chosen, Type results, Type stored) {
  const FieldChoice& choice = *chosen.choice;
  output.scale_factor = choice.scale_factor;
  if (choice.scale_factor) output.add_offset = choice.add_offset.value_or(0);
  if (choice.scale_factor || is_real_type(stored) || !is_real_type(results)) return;
  const auto stores = stored_range(stored);
  const auto range = keeps_range(output.operation) ? valid_range(fields_.at(chosen.field).attributes) : std::nullopt;
  if (choice.max_error && !range) {
    output.scale_factor = 2 * choice.max_error->most;
    output.add_offset = 0;
    return;
  }
  if (!stores || !range)
    throw Error(
        WEIR_ECONFIG,
        "fields: {}: type: {} holds whole numbers, and {} of \"{}\" gives {}; give scale_factor and add_offset{}",
        chosen.name, type_name(stored), name(output.operation), fields_.at(chosen.field).name, type_name(results),
        stores && keeps_range(output.operation) ? ", or let the model give the field a valid_range" : "");
  output.scale_factor = (range->most - range->least) / (stores->most - stores->least);
  output.add_offset = range->least - stores->least * *output.scale_factor;
}

// As CF has it from 1.12 on (section 8.4.2): a variable without data says which algorithm has rounded the others.
void FileSchema::tell_kept_bits(int variable, int bits) {
  int container = schema().find_variable(quantization_name);
  if (container < 0) {
    container = schema().add_variable(Name(quantization_name), WEIR_CHAR, {});
    put_text(schema(), container, "algorithm", "bitround");
    put_text(schema(), container, "implementation", "Weir " WEIR_VERSION);
  }
  put_text(schema(), variable, quantization_name, quantization_name);
  schema().put_attribute(variable, "quantization_nsb", WEIR_INT, 1, &bits);
}

// The units, and the precision that the variable's type can have, are known now.
void FileSchema::bound_error(PlannedOutput& output, const ChosenField& chosen) {
  if (!chosen.choice->max_error) return;
  const ErrorBound& bound = *chosen.choice->max_error;
  const int variable = output.variable;
  const Attribute* const units = schema().find_attribute(variable, "units");
  const std::string own = units != nullptr && is_text(*units) ? text_of(*units) : "";
  require(bound.units.empty() || !own.empty(), WEIR_ECONFIG,
          "fields: {}: max_error: {} {} has units, and the variable has none; give the number alone", chosen.name,
          bound.most, bound.units);
  require(bound.units.empty() || bound.units == own, WEIR_ECONFIG,
          "fields: {}: max_error: {} {} is not in the variable's units, {}; give the bound in {}", chosen.name,
          bound.most, bound.units, own, own);
  if (output.scale_factor) {
    require(!bound.relative, WEIR_ECONFIG,
            "fields: {}: max_error: {} % is for float and double, and packed values have one error for all; give it in "
            "the variable's units, or leave type and scale_factor out",
            chosen.name, 100 * bound.most);
    require(std::fabs(*output.scale_factor) / 2 <= bound.most, WEIR_ECONFIG,
            "fields: {}: packing in steps of {} makes errors of up to {}, and max_error is {}; give a wider type, or a "
            "scale_factor of at most {}",
            chosen.name, *output.scale_factor, std::fabs(*output.scale_factor) / 2, bound.most, 2 * bound.most);
    output.rounding.emplace(bound);
  } else {
    const Type type = schema().variable(variable).type;
    require(is_real_type(type), WEIR_ECONFIG,
            "fields: {}: max_error is for float and double, and the variable is {}; leave it out", chosen.name,
            type_name(type));
    output.rounding.emplace(bound, type);
    if (bound.relative) tell_kept_bits(variable, output.rounding->kept_bits());
  }
  put_number(schema(), variable,
             bound.relative ? "quantization_maximum_relative_error" : "quantization_maximum_absolute_error",
             bound.most);
}

void FileSchema::put_fill(PlannedOutput& output, const Field& field, bool packed) {
  if (output.operation == Operation::count) return;
  const Type type = schema().variable(output.variable).type;
  const Attribute* given = find_attribute(field.attributes, fill_name);
  if (given == nullptr) given = find_attribute(field.attributes, missing_name);
  const auto kept = packed || given == nullptr || given->count != 1 ? std::nullopt : converted(*given, type);
  Attribute fill = kept ? *kept : default_fill_attribute(type);
  fill.name = fill_name;
  output.fill = first_value(fill);
  if (kept || packed || output.operation != Operation::instant) put_attribute(schema(), output.variable, fill);
}

void FileSchema::put_field_attributes(const PlannedOutput& output, const ChosenField& chosen, bool packed) {
  const Field& field = fields_.at(chosen.field);
  const Type type = schema().variable(output.variable).type;
  const Operation operation = output.operation;
  for (const Attribute& attribute : field.attributes) {
    const std::string& name = attribute.name;
    if (name == fill_name || (name == "actual_range" && operation != Operation::instant)) continue;
    const bool is_range = is_one_of(ranges, name), is_missing = name == missing_name;
    const bool is_flag = is_one_of(flags, name);
    if ((is_range && (packed || !keeps_range(operation))) || (is_flag && (packed || !keeps_values(operation))))
      continue;
    if (is_missing && (packed || operation == Operation::count)) continue;
    if ((is_range || is_missing || is_flag) && !is_text(attribute)) {
      if (const auto same = converted(attribute, type)) put_attribute(schema(), output.variable, *same);
    } else {
      put_attribute(schema(), output.variable, attribute);
    }
  }
  const Attribute* const units = schema().find_attribute(output.variable, "units");
  if (operation == Operation::count)
    put_text(schema(), output.variable, "units", "1");
  else if (operation == Operation::variance && units != nullptr && is_text(*units))
    put_text(schema(), output.variable, "units", squared(text_of(*units)));
  const Attribute* const standard = schema().find_attribute(output.variable, "standard_name");
  if (operation == Operation::count && standard != nullptr && is_text(*standard))
    put_text(schema(), output.variable, "standard_name", formatted("{} number_of_observations", text_of(*standard)));
}

// What the model says of its cells, then what the stream has made of them.
std::string cell_methods_of(const Schema& schema, int variable, Operation operation) {
  const Attribute* const given = schema.find_attribute(variable, methods_name);
  const std::string before = given != nullptr && is_text(*given) ? text_of(*given) : "";
  const std::string_view method = cell_method(operation);
  if (method.empty() || (operation == Operation::instant && before.find("time:") != before.npos)) return before;
  return formatted("{}{}time: {}", before, before.empty() ? "" : " ", method);
}

void FileSchema::define_output(const ChosenField& chosen) {
  const Field& field = fields_.at(chosen.field);
  const FieldChoice& choice = *chosen.choice;
  std::vector<int> dimensions = dimensions_of(field);
  dimensions.insert(dimensions.begin(), 0);
  PlannedOutput output;
  output.field = chosen.field;
  output.operation = choice.operation;
  output.kept = kept_of(field);
  const Type results = type_of_results(choice.operation, field.type);
  const Type stored = choice.type ? static_cast<Type>(*choice.type) : results;
  output.variable = schema().add_variable(chosen.name, stored, dimensions);
  pack(output, chosen, results, stored);
  const bool packed = output.scale_factor.has_value();
  put_field_attributes(output, chosen, packed);
  put_fill(output, field, packed);
  if (packed) {
    put_number(schema(), output.variable, "scale_factor", *output.scale_factor);
    put_number(schema(), output.variable, "add_offset", *output.add_offset);
  }
  bound_error(output, chosen);
  for (const auto& [name, text] : choice.attributes) put_text(schema(), output.variable, name, text);
  const std::string methods = cell_methods_of(schema(), output.variable, output.operation);
  if (!methods.empty()) put_text(schema(), output.variable, methods_name, methods);
  set_storage(output.variable, choice.digits);
  file_.outputs.push_back(std::move(output));
}

void FileSchema::define_fixed(int number) {
  const Field& field = fields_.at(number);
  const std::vector<int> dimensions = dimensions_of(field);
  const int variable = schema().add_variable(field.name, field.type, dimensions);
  put_attributes(schema(), variable, field.attributes);
  set_storage(variable, 0);
  file_.fixed.push_back({number, variable, kept_of(field)});
}

std::set<int> FileSchema::fixed_fields() const {
  std::set<int> found;
  std::vector<int> next;
  const auto want = [&](const std::string& name) {
    const int field = fields_.find(name);
    if (field >= 0 && fields_.at(field).fixed && found.insert(field).second) next.push_back(field);
  };
  for (const int field : content_.fixed) want(fields_.at(field).name);
  for (const ChosenField& chosen : content_.sent) next.push_back(chosen.field);
  while (!next.empty()) {
    const Field& field = fields_.at(next.back());
    next.pop_back();
    for (const std::string& dimension : field.dimensions) want(dimension);
    for (const Attribute& attribute : field.attributes) {
      if (!is_one_of(references, attribute.name) || !is_text(attribute)) continue;
      std::istringstream words(text_of(attribute));
      // "area: areacello", "crs: x y"
      for (std::string word; words >> word;) want(word.ends_with(':') ? word.substr(0, word.size() - 1) : word);
    }
  }
  return found;
}

// Cell measures that variables name and the file does not have: CF wants them told (section 2.6.3).
std::set<std::string> FileSchema::external_variables() const {
  std::set<std::string> external;
  for (int var = 0; var < static_cast<int>(file_.schema.variables().size()); ++var) {
    const Attribute* const measures = file_.schema.find_attribute(var, "cell_measures");
    if (measures == nullptr || !is_text(*measures)) continue;
    std::istringstream words(text_of(*measures));  // "area: areacello volume: volcello"
    for (std::string word; words >> word;)
      if (!word.ends_with(':') && file_.schema.find_variable(word) < 0) external.insert(word);
  }
  return external;
}

void FileSchema::define_attributes() {
  put_text(schema(), WEIR_GLOBAL, "Conventions", conventions);
  std::string external;
  for (const std::string& name : external_variables()) external += (external.empty() ? "" : " ") + name;
  if (!external.empty()) put_text(schema(), WEIR_GLOBAL, "external_variables", external);
  put_attributes(schema(), WEIR_GLOBAL, content_.attributes);
  for (const auto& [name, text] : file_.stream.attributes) put_text(schema(), WEIR_GLOBAL, name, text);
}

void FileSchema::count_bytes() {
  const bool classic = file_.mode == 0;
  for (int var = 0; var < static_cast<int>(schema().variables().size()); ++var) {
    const std::int64_t bytes = schema().elements(var) * type_bytes(schema().variable(var).type);
    (schema().is_record(var) ? file_.record_bytes : file_.fixed_bytes) += classic ? padded_bytes(bytes) : bytes;
  }
  if (classic) file_.fixed_bytes += header_bytes(schema(), minimal_format(schema(), {}));
}

int mode_of(FormatKind format) noexcept {
  if (format == FormatKind::netcdf4) return WEIR_NETCDF4;
  return format == FormatKind::zarr ? WEIR_ZARR : 0;
}

}  // namespace

void define_file(PlannedFile& file, const FileContent& content, const Fields& fields, const TimeAxis& axis, int& line) {
  FileSchema schema(file, content, fields, axis);
  file.mode = mode_of(file.stream.format);
  line = 0;
  const bool intervals = std::any_of(content.sent.begin(), content.sent.end(), [](const ChosenField& chosen) {
    return chosen.choice->operation != Operation::instant;
  });
  if (!intervals) file.stream.stamp = TimeStamp::end;
  if (!file.stream.stamp) file.stream.stamp = TimeStamp::middle;
  schema.define_time(intervals);
  for (const int field : schema.fixed_fields()) schema.define_fixed(field);
  for (const ChosenField& chosen : content.sent) {
    line = chosen.choice->line;
    schema.define_output(chosen);
  }
  line = 0;
  schema.define_attributes();
  schema.count_bytes();
}

Schema with_step(const PlannedFile& file, const Interval& step) {
  Schema schema = file.schema;
  const std::string comment = formatted(" (interval: {})", in_words(step));
  for (const PlannedOutput& output : file.outputs) {
    const Attribute* const methods = schema.find_attribute(output.variable, methods_name);
    if (output.operation == Operation::instant || cell_method(output.operation).empty()) continue;
    put_text(schema, output.variable, methods_name, text_of(*methods) + comment);
  }
  return schema;
}

}  // namespace weir
