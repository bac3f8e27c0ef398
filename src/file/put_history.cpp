// SPDX-License-Identifier: Apache-2.0
#include "file/put_history.hpp"

#include <algorithm>

#include "flow/steps.hpp"

namespace weir {

namespace {

constexpr std::size_t most_files = 1000;

}  // namespace

void FileHistory::add(const FileSummary& file) {
  last_[file.serial] = file;
  if (last_.size() <= most_files) return;
  const FileSummary& oldest = last_.begin()->second;
  ++earlier_.files;
  earlier_.records += oldest.records;
  earlier_.bytes_written += oldest.bytes_written;
  earlier_.compress_seconds += oldest.compress_seconds;
  earlier_.packing_bytes = std::max(earlier_.packing_bytes, oldest.packing_bytes);
  last_.erase(last_.begin());
}

const FileSummary* FileHistory::attachment(const std::string& path) const {
  const auto found = std::find_if(last_.rbegin(), last_.rend(), [&](const auto& entry) {
    return entry.second.attachment && entry.second.path == path;
  });
  return found == last_.rend() ? nullptr : &found->second;
}

void PutHistory::start_with(std::int64_t records, std::int64_t committed) noexcept {
  records_ = records;
  first_open_record_ = committed;
}

void PutHistory::begin(bool written_before) {
  put_.resize(schema_.variables().size());
  fixed_complete_.assign(put_.size(), written_before);
  put_by_.assign(put_.size(), written_before ? several_layouts : not_put);
}

void PutHistory::add_variables() {
  put_.resize(schema_.variables().size());
  fixed_complete_.resize(put_.size(), false);
  put_by_.resize(put_.size(), not_put);
}

bool PutHistory::add(int var, std::int64_t record, int layout) {
  const auto v = static_cast<std::size_t>(var);
  auto& put = put_[v];
  int& by = put_by_[v];
  by = by == not_put || by == layout ? layout : several_layouts;
  if (!schema_.is_record(var)) {
    const bool first = !fixed_complete_[v];
    fixed_complete_[v] = true;
    put.assign(1, true);
    return first;
  }
  records_ = std::max(records_, record + 1);
  if (record < first_open_record_) {
    rewritten_.insert({var, record});
    return false;
  }
  const auto at = static_cast<std::size_t>(record - first_open_record_);
  if (put.size() <= at) put.resize(at + 1, false);
  const bool first = !put[at];
  put[at] = true;
  return first;
}

void PutHistory::reached_library() noexcept {
  for (auto& put : put_) put.clear();
  rewritten_.clear();
}

void PutHistory::commit() noexcept {
  first_open_record_ = records_;
  reached_library();
  std::fill(fixed_complete_.begin(), fixed_complete_.end(), true);
}

bool PutHistory::put_before(int var, std::int64_t record) const {
  const auto v = static_cast<std::size_t>(var);
  if (!schema_.is_record(var)) return !put_[v].empty();
  if (record < first_open_record_) return rewritten_.contains({var, record});
  return is_put(v, record);
}

// In the file, or on the way there.
bool PutHistory::has_values(int var, std::int64_t record) const {
  if (!schema_.is_record(var)) return fixed_complete_[static_cast<std::size_t>(var)];
  return record < first_open_record_ || put_before(var, record);
}

bool PutHistory::complete(std::int64_t record) const {
  if (record < first_open_record_) return false;
  return record_is_complete(
      put_.size(), [this](std::size_t v) { return schema_.is_record(static_cast<int>(v)); },
      [this, record](std::size_t v) { return is_put(v, record); });
}

// What becomes of the elements that no rank holds, of a file with WEIR_FILL:
//
//   no value there yet, or all puts so far by this layout  they get the fill value: WEIR_FILL
//   values by another layout, a file without chunks        they keep their values: WEIR_NOFILL
//   values by another layout, a file in whole chunks       there may be none: WEIR_COVER
//
// Without WEIR_FILL the file's mode holds, but chunks, which are written whole, are filled.
weir_fill_mode PutHistory::cover(int var, std::int64_t record, int layout, weir_fill_mode fill, bool in_chunks) const {
  const weir_fill_mode of_new = in_chunks && fill == WEIR_NOFILL ? WEIR_FILL : fill;
  const int before = put_by_[static_cast<std::size_t>(var)];
  if (of_new != WEIR_FILL || fills_again_ || before == not_put || before == layout || !has_values(var, record))
    return of_new;
  return in_chunks ? WEIR_COVER : WEIR_NOFILL;
}

std::vector<MissingRecord> PutHistory::missing_records() const {
  std::vector<MissingRecord> missing;
  for (std::size_t v = 0; v < put_.size(); ++v) {
    const int var = static_cast<int>(v);
    if (!schema_.is_record(var)) {
      if (!fixed_complete_[v]) missing.push_back({var, 0});
      continue;
    }
    for (std::int64_t r = first_open_record_; r < records_; ++r)
      if (!is_put(v, r)) missing.push_back({var, r});
  }
  return missing;
}

}  // namespace weir
