// SPDX-License-Identifier: Apache-2.0
// What the tests of defining and of reading headers share: a directory of their own, a schema with everything in it,
// and a call that must fail with a certain error and print nothing.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "formats/classic/visible.hpp"
#include "formats/definition.hpp"

namespace weir {

using Dims = std::vector<int>;
namespace fs = std::filesystem;

class DefinitionTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("weir_definition_" + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

 private:
  fs::path directory_;
};

// A file as it is made and shown, without data.
inline Geometry define_file(const std::string& path, const Schema& schema, const Alignment& alignment, int format) {
  const DefinedHeader header = define_header(path, schema, alignment, format);
  VisibleFile file(path, header, Durability::cache);
  const Status status = file.publish(header.geometry, 0);
  if (!status.ok()) file.discard();
  status.raise();
  return header.geometry;
}

inline std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline void write_contents(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The error of a call, which must print nothing; code WEIR_OK where there is none.
struct Outcome {
  Code code = WEIR_OK;
  std::string message;
};

inline Outcome read_outcome_of(const std::function<void()>& call) {
  Outcome outcome;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  try {
    call();
  } catch (const Error& error) {
    outcome = {error.code(), error.what()};
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return outcome;
}

inline void expect_error(const std::function<void()>& call, Code code, const std::string& part) {
  const Outcome outcome = read_outcome_of(call);
  EXPECT_EQ(outcome.code, code) << outcome.message;
  EXPECT_NE(outcome.message.find(part), std::string::npos) << outcome.message << "\nlacks: " << part;
}

constexpr Type last_type(int format) {
  return format == 5 ? WEIR_UINT64 : WEIR_DOUBLE;
}

// 65, 66 and 67 in a type: letters where it is text, and exact in every type.
inline std::vector<std::byte> numbers(Type type) {
  return with_type(type, [](auto zero) {
    std::vector<std::byte> bytes;
    for (const int number : {65, 66, 67}) {
      const auto value = static_cast<decltype(zero)>(number);
      const auto* begin = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), begin, begin + sizeof(value));
    }
    return bytes;
  });
}

// Every type of the format as fixed and record variable, scalars, and attributes of every type.
inline Schema rich(int format, Type without = static_cast<Type>(0)) {
  Schema schema;
  schema.put_attribute(WEIR_GLOBAL, "title", WEIR_CHAR, 6, "all in");
  const int time = schema.add_dimension("time", 0);
  const int y = schema.add_dimension("y", 5);
  const int x = schema.add_dimension("x", 7);
  for (int number = WEIR_BYTE; number <= last_type(format); ++number) {
    const auto type = static_cast<Type>(number);
    if (type == without) continue;
    const std::string name(type_name(type));
    const int fixed = schema.add_variable("fixed_" + name, type, Dims{y, x});
    schema.add_variable("record_" + name, type, Dims{time, x});
    schema.add_variable("scalar_" + name, type, Dims{});
    const auto values = numbers(type);
    schema.put_attribute(fixed, "of_" + name, type, 3, values.data());
    schema.put_attribute(fixed, "_FillValue", type, 1, values.data());
    schema.put_attribute(WEIR_GLOBAL, "global_" + name, type, 1, values.data());
  }
  return schema;
}

}  // namespace weir
