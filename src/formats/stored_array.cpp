// SPDX-License-Identifier: Apache-2.0
#include "formats/stored_array.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

std::vector<int> order_as(const Schema& like, StoredTables& tables) {
  std::vector<int> order;
  std::vector<StoredArray> arrays;
  for (const Variable& wanted : like.variables()) {
    const int var = tables.schema.find_variable(wanted.name);
    const Variable* const there = var < 0 ? nullptr : &tables.schema.variable(var);
    require(there && there->type == wanted.type && there->dims.size() == wanted.dims.size(), WEIR_EINTERNAL,
            "the file has another variable \"{}\" than was defined", wanted.name);
    order.push_back(var);
    arrays.push_back(std::move(tables.arrays[static_cast<std::size_t>(var)]));
  }
  require(order.size() == tables.arrays.size(), WEIR_EINTERNAL, "the file has more variables than were defined");
  tables.schema.order_variables(order);
  tables.arrays = std::move(arrays);
  return order;
}

}  // namespace weir
