// SPDX-License-Identifier: Apache-2.0
#include "rewriting.hpp"

#include <algorithm>
#include <vector>

namespace weir::cfio2 {

namespace {

struct Share {
  Shape start, count;
};

// This rank's share of an array, cut along its longest dimension.
Share even_share(const Shape& shape, const Comm& comm) {
  Share share{Shape(shape.size(), 0), shape};
  const auto longest = static_cast<std::size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
  const std::int64_t each = shape[longest] / comm.size(), left = shape[longest] % comm.size();
  const auto cut = [&](std::int64_t rank) { return each * rank + std::min(left, rank); };
  share.start[longest] = cut(comm.rank());
  share.count[longest] = cut(comm.rank() + 1) - cut(comm.rank());
  return share;
}

struct Copying {
  const Schema& schema;
  weir_file* from;
  weir_file* to;
};

Status copy_variable(const Copying& copying, const Comm& comm, int var, std::int64_t record) {
  const auto& [schema, from, to] = copying;
  const Shape shape = schema.shape(var);
  const Type type = schema.variable(var).type;
  Share share = shape.empty() ? Share{} : even_share(shape, comm);
  std::vector<std::byte> values(static_cast<std::size_t>(elements(share.count) * type_bytes(type)));
  if (schema.is_record(var)) {
    share.start.insert(share.start.begin(), record);
    share.count.insert(share.count.begin(), 1);
  }
  int code = WEIR_OK;
  if (!values.empty()) code = weir_get_vara(from, var, share.start.data(), share.count.data(), type, values.data());
  if (code != WEIR_OK) weir_fail(to, code, weir_file_error(from));
  code = shape.empty() ? weir_put_var(to, var, record, type, values.data())
                       : weir_put_vara(to, var, share.start.data(), share.count.data(), type, values.data());
  if (code != WEIR_OK) return {static_cast<Code>(code), weir_file_error(to)};
  return {};
}

}  // namespace

Status copy_all(Shared& shared, const Schema& had, weir_file* from, weir_file* to) {
  std::int64_t records = 0;
  check(weir_inq_nrecords(from, &records), shared.weir());
  Status status;
  for (int var = 0; var < static_cast<int>(had.variables().size()); ++var)
    for (std::int64_t record = 0; record < (had.is_record(var) ? records : 1); ++record)
      status.merge(copy_variable({had, from, to}, shared.comm(), var, record));
  return status;
}

}  // namespace weir::cfio2
