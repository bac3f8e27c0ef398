// SPDX-License-Identifier: Apache-2.0
#include "cdl.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

enum class TokenKind { word, text, mark, end };

struct Token {
  TokenKind kind;
  std::string text;
  int line;
};

bool is_mark(char c) {
  return std::strchr("{}();:,=", c) != nullptr && c != '\0';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Token next() {
    skip_blanks();
    if (at_ == text_.size()) return {TokenKind::end, "the end", line_};
    if (text_[at_] == '"') return quoted();
    if (is_mark(text_[at_])) return {TokenKind::mark, std::string(1, text_[at_++]), line_};
    std::string word;
    while (at_ < text_.size() && !is_mark(text_[at_]) && !std::isspace(static_cast<unsigned char>(text_[at_]))) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      word += text_[at_++];
    }
    return {TokenKind::word, word, line_};
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        if (text_[at_++] == '\n') ++line_;
      } else {
        return;
      }
    }
  }

  Token quoted() {
    Token token{TokenKind::text, "", line_};
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\n') ++line_;
      token.text += text_[at_] == '\\' ? unescaped() : text_[at_];
    }
    if (at_ == text_.size()) {
      throw BenchError(formatted("{} line {}: the string has no end; close it with \"", source_, token.line));
    }
    ++at_;
    return token;
  }

  char unescaped() {
    if (++at_ == text_.size()) return '\\';
    switch (text_[at_]) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      default:
        return text_[at_];
    }
  }

  std::string_view text_;
  std::string source_;
  std::size_t at_ = 0;
  int line_ = 1;
};

std::optional<weir_type> type_named(const std::string& name) {
  static const std::map<std::string, weir_type> types = {
      {"byte", WEIR_BYTE},    {"char", WEIR_CHAR},     {"short", WEIR_SHORT}, {"int", WEIR_INT},
      {"long", WEIR_INT},     {"float", WEIR_FLOAT},   {"real", WEIR_FLOAT},  {"double", WEIR_DOUBLE},
      {"ubyte", WEIR_UBYTE},  {"ushort", WEIR_USHORT}, {"uint", WEIR_UINT},   {"int64", WEIR_INT64},
      {"uint64", WEIR_UINT64}};
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

// The type that CDL's suffix letters (or their absence) give a number.
weir_type type_of_number(const std::string& number) {
  static const std::vector<std::pair<std::string, weir_type>> suffixes = {
      {"ull", WEIR_UINT64}, {"ll", WEIR_INT64}, {"ub", WEIR_UBYTE}, {"us", WEIR_USHORT},
      {"ul", WEIR_UINT},    {"u", WEIR_UINT},   {"b", WEIR_BYTE},   {"s", WEIR_SHORT},
      {"l", WEIR_INT},      {"f", WEIR_FLOAT},  {"d", WEIR_DOUBLE}};
  std::string lower = number;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.find("nan") != std::string::npos || lower.find("inf") != std::string::npos) {
    return lower.back() == 'f' && lower != "inf" && lower != "-inf" ? WEIR_FLOAT : WEIR_DOUBLE;
  }
  for (const auto& [suffix, type] : suffixes) {
    if (lower.size() > suffix.size() && lower.compare(lower.size() - suffix.size(), suffix.size(), suffix) == 0) {
      return type;
    }
  }
  return lower.find_first_of(".e") == std::string::npos ? WEIR_INT : WEIR_DOUBLE;
}

template <typename T>
void append(std::vector<std::byte>& values, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  values.insert(values.end(), bytes, bytes + sizeof(T));
}

void append_number(std::vector<std::byte>& values, const std::string& number, weir_type type) {
  switch (type) {
    case WEIR_FLOAT:
      return append(values, std::strtof(number.c_str(), nullptr));
    case WEIR_DOUBLE:
      return append(values, std::strtod(number.c_str(), nullptr));
    case WEIR_UINT64:
      return append(values, std::strtoull(number.c_str(), nullptr, 10));
    case WEIR_INT64:
      return append(values, std::strtoll(number.c_str(), nullptr, 10));
    default:
      break;
  }
  const long long integer = std::strtoll(number.c_str(), nullptr, 10);
  if (type_bytes(type) == 1) return append(values, static_cast<std::int8_t>(integer));
  if (type_bytes(type) == 2) return append(values, static_cast<std::int16_t>(integer));
  append(values, static_cast<std::int32_t>(integer));
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : scanner_(text, source), source_(source) { step(); }

  Header header() {
    expect_word("netcdf");
    step();
    expect_mark("{");
    if (token_.text == "dimensions") dimensions();
    if (token_.text == "variables") section();
    while (token_.kind == TokenKind::mark && token_.text == ":") attribute();
    if (token_.text != "data") expect_mark("}");
    return header_;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw BenchError(formatted("{} line {}: \"{}\" stands where {} should; give the text that `ncdump -h` prints",
                               source_, token_.line, token_.text, expected));
  }

  void step() { token_ = scanner_.next(); }

  void expect_word(const std::string& word) {
    if (token_.kind != TokenKind::word || token_.text != word) refuse("\"" + word + "\"");
    step();
  }

  void expect_mark(const std::string& mark) {
    if (token_.kind != TokenKind::mark || token_.text != mark) refuse("\"" + mark + "\"");
    step();
  }

  bool take_mark(const std::string& mark) {
    if (token_.kind != TokenKind::mark || token_.text != mark) return false;
    step();
    return true;
  }

  std::string take_word(const std::string& expected) {
    if (token_.kind != TokenKind::word) refuse(expected);
    std::string word = token_.text;
    step();
    return word;
  }

  void dimensions() {
    step();
    expect_mark(":");
    while (token_.kind == TokenKind::word && token_.text != "variables" && token_.text != "data") {
      Dimension dimension{take_word("a dimension's name"), 0};
      expect_mark("=");
      const std::string length = take_word("a length");
      if (length != "UNLIMITED" && length != "unlimited") {
        dimension.length = std::strtoll(length.c_str(), nullptr, 10);
        if (dimension.length <= 0) refuse(formatted("after \"{}\", a positive length", length));
      }
      header_.dimensions.push_back(dimension);
      if (!take_mark(",")) expect_mark(";");
    }
  }

  // Declarations and the attributes of variables and of the file; data begins, or the header ends, after it.
  void section() {
    step();
    expect_mark(":");
    while (token_.kind == TokenKind::word || (token_.kind == TokenKind::mark && token_.text == ":")) {
      if (token_.text == "data") return;
      if (const auto type = token_.kind == TokenKind::word ? type_named(token_.text) : std::nullopt) {
        step();
        declarations(*type);
      } else {
        attribute();
      }
    }
  }

  void declarations(weir_type type) {
    do {
      Variable variable;
      variable.name = take_word("a variable's name");
      variable.type = type;
      if (take_mark("(")) {
        do {
          variable.dims.push_back(dimension_named(take_word("a dimension's name")));
        } while (take_mark(","));
        expect_mark(")");
      }
      variable.record = !variable.dims.empty() && header_.dimensions[variable.dims[0]].length == 0;
      header_.variables.push_back(std::move(variable));
    } while (take_mark(","));
    expect_mark(";");
  }

  int dimension_named(const std::string& name) const {
    for (std::size_t i = 0; i < header_.dimensions.size(); ++i) {
      if (header_.dimensions[i].name == name) return static_cast<int>(i);
    }
    refuse(formatted("after \"{}\", which is not defined, the name of a dimension", name));
  }

  std::vector<Attribute>& attributes_of(const std::string& variable) {
    if (variable.empty()) return header_.attributes;
    for (Variable& candidate : header_.variables) {
      if (candidate.name == variable) return candidate.attributes;
    }
    refuse(formatted("after \"{}\", which is not defined, the name of a variable", variable));
  }

  void attribute() {
    const std::string owner = token_.kind == TokenKind::word ? take_word("a variable's name") : "";
    std::vector<Attribute>& attributes = attributes_of(owner);
    expect_mark(":");
    Attribute attribute{take_word("an attribute's name"), WEIR_CHAR, 0, {}};
    expect_mark("=");
    do {
      value(attribute);
    } while (take_mark(","));
    expect_mark(";");
    attribute.count = static_cast<std::int64_t>(attribute.values.size()) / type_bytes(attribute.type);
    attributes.push_back(std::move(attribute));
  }

  void value(Attribute& attribute) {
    if (token_.kind == TokenKind::text) {
      for (const char c : token_.text) append(attribute.values, c);
    } else {
      if (token_.kind != TokenKind::word) refuse("a value");
      if (attribute.values.empty()) attribute.type = type_of_number(token_.text);
      append_number(attribute.values, token_.text, attribute.type);
    }
    step();
  }

  Scanner scanner_;
  std::string source_;
  Token token_{TokenKind::end, "", 0};
  Header header_;
};

}  // namespace

Header parse_cdl(std::string_view text, const std::string& source) {
  return Parser(text, source).header();
}

}  // namespace weir::bench
