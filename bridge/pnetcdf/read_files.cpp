// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/read_files.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "pnetcdf/definition.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

namespace {

// Less of a rank is the library's: the ranks' agreements take longer than reading it.
constexpr std::int64_t least_bytes = 1 << 20;

}  // namespace

ReadFile::ReadFile(std::shared_ptr<RankGroup> group, int ncid, std::string given, std::string path)
    : Border(*group), reading_(std::move(group), std::move(given), std::move(path)), ncid_(ncid) {}

void ReadFile::survey() {
  const DefinedFile defined = definition_of(ncid_);
  form_ = {defined.geometry.format, defined.geometry.records, false, defined.geometry.record_bytes};
  variables_ = variables_of(defined);
  surveyed_ = true;
}

// nullopt: only the library knows, or its elements lie apart in the file or in memory.
std::optional<ReadFile::Wanted> ReadFile::wanted(const Access& access) try {
  if (!surveyed_) survey();
  auto get = prepare(access, variables_, form_);
  if (!get || !get->packed.empty() || get->records > form_.records) return std::nullopt;
  const bool strided = std::any_of(get->part.slabs.begin(), get->part.slabs.end(), [](const Slab& slab) {
    return std::any_of(slab.stride.begin(), slab.stride.end(), [](std::int64_t step) { return step != 1; });
  });
  if (strided) return std::nullopt;
  auto* const values = static_cast<std::byte*>(const_cast<void*>(get->part.values));
  return Wanted{get->part.var, get->part.type, std::move(get->part.slabs), values, get->bytes};
} catch (const std::exception&) {
  return std::nullopt;
}

// All ranks, box by box; false on all of them where one fails.
bool ReadFile::get_slabs(const Wanted& mine, std::int64_t slabs) {
  return reading_.get([&](File& file) {
    std::byte* values = mine.values;
    for (std::int64_t i = 0; i < slabs; ++i) {
      if (i >= std::ssize(mine.slabs) || mine.slabs[static_cast<std::size_t>(i)].elements() == 0) {
        file.gets().get_nothing(mine.var, mine.type);
        continue;
      }
      const Slab& slab = mine.slabs[static_cast<std::size_t>(i)];
      file.gets().get_box_all(mine.var, slab.start, slab.count, mine.type, values);
      values += slab.elements() * type_bytes(mine.type);
    }
  });
}

int ReadFile::get_together(const Access& access, LibraryCall original) {
  if (independent_) return original();  // the library refuses it
  const bool left = reading_.left() || reading_.group().comm().size() == 1;
  const std::optional<Wanted> mine = left ? std::nullopt : wanted(access);
  enum Word { refusal, var, minus_var, slabs, bytes, words };
  std::array<std::int64_t, words> most{mine ? 0 : 1, access.var, -access.var, mine ? std::ssize(mine->slabs) : 0,
                                       mine ? mine->bytes : 0};
  RankGroup& group = reading_.group();
  if (!left) allreduce_max(group.comm(), most, group.deadline(), formatted("get from {}", reading_.counts().path));
  const bool written_by_weir = !left && most[refusal] == 0 && most[var] == -most[minus_var] &&
                               most[bytes] >= least_bytes && most[slabs] <= 64 && reading_.open() == Reason::none;
  if (written_by_weir && get_slabs(*mine, most[slabs])) {
    ++reading_.counts().taken_over;
    return NC_NOERR;
  }
  reading_.counts().pass(most[refusal] == 0 ? Reason::small : Reason::unusual);
  return original();
}

}  // namespace weir::bridge
