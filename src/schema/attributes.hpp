// SPDX-License-Identifier: Apache-2.0
// Copies the attributes of one schema to another one.
#pragma once

#include <vector>

#include "schema/schema.hpp"

namespace weir {

// Each as Schema::put_attribute. Throws as that.
inline void put_attribute(Schema& schema, int var, const Attribute& attribute) {
  schema.put_attribute(var, Name::stored(attribute.name), attribute.type, attribute.count, attribute.values.data());
}
inline void put_attributes(Schema& schema, int var, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) put_attribute(schema, var, attribute);
}

}  // namespace weir
