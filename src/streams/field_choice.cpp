// SPDX-License-Identifier: Apache-2.0
#include "streams/field_choice.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "schema/name.hpp"
#include "schema/types.hpp"

namespace weir {

namespace {

constexpr std::array field_keys{std::string_view("of"),           std::string_view("as"),
                                std::string_view("type"),         std::string_view("digits"),
                                std::string_view("scale_factor"), std::string_view("add_offset"),
                                std::string_view("max_error"),    std::string_view("attributes")};
constexpr std::array type_words{
    std::pair{std::string_view("byte"), WEIR_BYTE},   std::pair{std::string_view("short"), WEIR_SHORT},
    std::pair{std::string_view("int"), WEIR_INT},     std::pair{std::string_view("int64"), WEIR_INT64},
    std::pair{std::string_view("ubyte"), WEIR_UBYTE}, std::pair{std::string_view("ushort"), WEIR_USHORT},
    std::pair{std::string_view("uint"), WEIR_UINT},   std::pair{std::string_view("uint64"), WEIR_UINT64},
    std::pair{std::string_view("float"), WEIR_FLOAT}, std::pair{std::string_view("double"), WEIR_DOUBLE}};

constexpr int most_digits = 15;

// Attributes that other keys set.
constexpr std::array set_by_keys{std::pair{std::string_view("scale_factor"), "give it as a key of the field"},
                                 std::pair{std::string_view("add_offset"), "give it as a key of the field"},
                                 std::pair{std::string_view("cell_methods"), "it follows from as"},
                                 std::pair{std::string_view("_FillValue"), "the model gives it to the field"}};

std::vector<std::pair<std::string_view, Operation>> operation_words() {
  std::vector<std::pair<std::string_view, Operation>> words;
  for (int number = 0; number <= static_cast<int>(Operation::count); ++number)
    words.emplace_back(name(static_cast<Operation>(number)), static_cast<Operation>(number));
  return words;
}

void parse_packing(const Setting& setting, FieldChoice& choice) {
  const auto scale = setting.find("scale_factor"), offset = setting.find("add_offset"), digits = setting.find("digits");
  if (scale) choice.scale_factor = scale->number();
  if (offset) choice.add_offset = offset->number();
  if (choice.scale_factor && *choice.scale_factor == 0)
    scale->refuse("0 makes all values equal; give the step between two values");
  if (offset && !scale) offset->refuse("packs values only with scale_factor; give both, or leave it out");
  if (scale && choice.type && is_real_type(static_cast<Type>(*choice.type)))
    setting.refuse(
        formatted("scale_factor: {} packs values into whole numbers, and type is {}; give type: short, or leave "
                  "scale_factor out",
                  scale->text(), type_name(static_cast<Type>(*choice.type))));
  if (scale && !choice.type) choice.type = WEIR_SHORT;
  if (const auto most = setting.find("max_error")) {
    const std::string& text = most->text();
    choice.max_error = most->guard([&] { return parse_error_bound(text); });
    if (digits)
      setting.refuse(formatted("has digits: {} and max_error: {}; leave one of them out", digits->text(), text));
    if (choice.operation == Operation::count)
      most->refuse(formatted("{} is for values, and as: count gives whole numbers; leave it out", text));
  }
  if (!digits) return;
  choice.digits = static_cast<int>(digits->whole(1, most_digits));
  if (choice.type && !is_real_type(static_cast<Type>(*choice.type)))
    setting.refuse(formatted("digits: {} is for float and double, and type is {}{}; leave one of them out",
                             choice.digits, type_name(static_cast<Type>(*choice.type)),
                             scale ? formatted(" by scale_factor: {}", scale->text()) : ""));
  if (choice.operation == Operation::count)
    setting.refuse(formatted("digits: {} is for float and double, and as: count gives whole numbers; leave digits out",
                             choice.digits));
}

// A choice of which only the name is told.
FieldChoice usual_choice(const Setting& setting, const std::string& name, const UsualChoice& usual) {
  FieldChoice choice;
  choice.name = name;
  choice.operation = usual.operation;
  choice.type = usual.type;
  choice.line = setting.value().line;
  if (trimmed(choice.name).empty()) setting.refuse("a field has no name; give one");
  return choice;
}

FieldChoice parse_choice(const Setting& setting, const UsualChoice& usual) {
  FieldChoice choice = usual_choice(setting, setting.key(), usual);
  if (setting.value().is_list) setting.refuse("is a list; give an operation (mean), or {as: mean, ...}");
  if (!setting.value().is_map) {
    if (!setting.value().text.empty()) choice.operation = parse_operation(setting);
    return choice;
  }
  setting.check_keys(field_keys);
  if (const auto as = setting.find("as")) choice.operation = parse_operation(*as);
  if (const auto of = setting.find("of")) {
    choice.of = of->text();
    if (trimmed(choice.of).empty()) of->refuse("names no field; give its name, or leave it out");
    if (is_pattern(choice.of))
      of->refuse(formatted("\"{}\" is a pattern; give one field, or the pattern as the name without of", choice.of));
    if (is_pattern(choice.name))
      setting.refuse(formatted("is a pattern, and of: {} is one field; give the output a name", choice.of));
  }
  if (usual.type && is_real_type(static_cast<Type>(*usual.type)) && setting.find("scale_factor"))
    choice.type.reset();  // the field is packed
  if (const auto type = setting.find("type")) choice.type = parse_type(*type);
  parse_packing(setting, choice);
  if (const auto attributes = setting.find("attributes")) choice.attributes = parse_attributes(*attributes, true);
  return choice;
}

}  // namespace

Operation parse_operation(const Setting& setting) {
  return setting.word<Operation>(operation_words());
}

Type parse_type(const Setting& setting) {
  return setting.word<Type>(type_words);
}

std::vector<std::pair<std::string, std::string>> parse_attributes(const Setting& setting, bool of_field) {
  setting.require_map("{name: text}");
  std::vector<std::pair<std::string, std::string>> attributes;
  for (const Setting& attribute : setting.entries()) {
    const std::string& name = attribute.key();
    if (const auto fault = name_fault(name)) attribute.refuse(formatted("the name {}; give another", *fault));
    for (const auto& [taken, instead] : set_by_keys)
      if (of_field && name == taken)
        attribute.refuse(formatted("is no text attribute here; leave it out: {}", instead));
    attributes.emplace_back(name, attribute.text());
  }
  return attributes;
}

std::vector<FieldChoice> parse_fields(const Setting& setting, const UsualChoice& usual) {
  std::vector<FieldChoice> choices;
  if (setting.value().is_list) {
    for (const Setting& item : setting.items()) {
      if (item.value().is_map || item.value().is_list)
        item.refuse("a list has names alone; to say more of a field give a map: {sst: mean, salt: {as: mean}}");
      choices.push_back(usual_choice(item, item.text(), usual));
    }
  } else {
    setting.require_map("[sst, salt], {sst: mean, salt: {as: maximum}} or {\"*\": mean}");
    for (const Setting& entry : setting.entries()) choices.push_back(parse_choice(entry, usual));
  }
  if (choices.empty()) setting.refuse("names no field; give at least one, or \"*\" for all");
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    const auto before =
        std::find_if(choices.begin(), choice, [&](const FieldChoice& other) { return other.name == choice->name; });
    if (before != choice)
      setting.refuse(formatted("\"{}\" is given twice, in lines {} and {}; keep one of them, or give one another name: "
                               "{{{}_2: {{of: {}}}}}",
                               choice->name, before->line, choice->line, choice->name, choice->name),
                     choice->line);
  }
  return choices;
}

bool is_pattern(std::string_view name) noexcept {
  return name.find_first_of("*?[") != name.npos;
}

}  // namespace weir
