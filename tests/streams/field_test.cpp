// SPDX-License-Identifier: Apache-2.0
// The fields that a model defines, and which it may not.
#include "streams/field.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace weir {
namespace {

Field field_of(const std::string& name, const std::vector<std::string>& dimensions,
               const std::vector<std::int64_t>& shape) {
  Field field;
  field.name = name;
  field.type = WEIR_FLOAT;
  field.dimensions = dimensions;
  field.shape = shape;
  return field;
}

std::string refusal_of(Fields& fields, const Field& field) {
  try {
    fields.add(field);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EARGUMENT);
    return error.what();
  }
  return "nothing is refused";
}

TEST(Fields, AreFoundByNameAndNumber) {
  Fields fields;
  EXPECT_EQ(fields.add(field_of("sst", {"lat", "lon"}, {180, 360})), 0);
  EXPECT_EQ(fields.add(field_of("level", {}, {})), 1);
  EXPECT_EQ(fields.find("level"), 1);
  EXPECT_EQ(fields.find("none"), -1);
  EXPECT_EQ(fields.count(), 2);
  EXPECT_EQ(fields.at(0).name, "sst");
  EXPECT_THROW(fields.at(2), Error);
  EXPECT_THROW(fields.at(-1), Error);
}

TEST(Fields, AreRefusedWhereTheyCannotBe) {
  Fields fields;
  fields.add(field_of("sst", {"lat", "lon"}, {180, 360}));
  EXPECT_EQ(refusal_of(fields, field_of("sst", {}, {})),
            "there is a field called \"sst\" already; give this one another name");
  EXPECT_EQ(refusal_of(fields, field_of("", {}, {})), "a field cannot be called \"\": the name is empty; give another");
  EXPECT_EQ(refusal_of(fields, field_of("salt", {"lat", "lon"}, {180, 361})),
            "dimension \"lon\" has length 361 in field \"salt\" and 360 in field \"sst\"; give two lengths two names");
  EXPECT_EQ(refusal_of(fields, field_of("salt", {"lat", "lat"}, {180, 180})),
            "field \"salt\" has two dimensions called \"lat\"; give each a name of its own");
  EXPECT_EQ(refusal_of(fields, field_of("salt", {"lat"}, {180, 360})),
            "field \"salt\" has 1 names of dimensions, and its layout has 2 dimensions; give a name for each");
  EXPECT_EQ(refusal_of(fields, field_of("salt", {"y"}, {0})),
            "field \"salt\": dimension \"y\" has length 0; give at least 1");
  Field text = field_of("words", {}, {});
  text.type = WEIR_CHAR;
  EXPECT_EQ(refusal_of(fields, text),
            "field \"words\" has the type char, which is no number; give WEIR_FLOAT, WEIR_DOUBLE or another number's "
            "type");
  EXPECT_EQ(fields.count(), 1);
}

}  // namespace
}  // namespace weir
