// SPDX-License-Identifier: Apache-2.0
// A file that gets further variables is written anew: Weir ends definitions once. What it had is read back and put, each
// rank an even share, and the new file takes the old one's name when it is committed; until then the old one stays.
#include <algorithm>

#include "output.hpp"

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

}  // namespace

void Output::extend(weir_file* base, const Schema& had) {
  create();
  std::int64_t records = 0;
  check(weir_inq_nrecords(base, &records), shared_.weir());
  for (int var = 0; var < static_cast<int>(had.variables().size()); ++var)
    for (std::int64_t record = 0; record < (had.is_record(var) ? records : 1); ++record)
      copy_variable(base, var, record);
}

// A rank that cannot read, or write, goes on to meet the others, who hear of it in the end.
void Output::copy_variable(weir_file* base, int var, std::int64_t record) {
  const Shape shape = schema_.shape(var);
  const Type type = schema_.variable(var).type;
  Share share = shape.empty() ? Share{} : even_share(shape, shared_.comm());
  std::vector<std::byte> values(static_cast<std::size_t>(elements(share.count) * type_bytes(type)));
  if (schema_.is_record(var)) {
    share.start.insert(share.start.begin(), record);
    share.count.insert(share.count.begin(), 1);
  }
  int code = WEIR_OK;
  if (!values.empty()) code = weir_get_vara(base, var, share.start.data(), share.count.data(), type, values.data());
  if (code != WEIR_OK) weir_fail(file_, code, weir_file_error(base));
  code = shape.empty() ? weir_put_var(file_, var, record, type, values.data())
                       : weir_put_vara(file_, var, share.start.data(), share.count.data(), type, values.data());
  if (code != WEIR_OK) trouble_.merge({static_cast<Code>(code), weir_file_error(file_), -1});
}

}  // namespace weir::cfio2
