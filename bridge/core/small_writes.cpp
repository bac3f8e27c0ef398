// SPDX-License-Identifier: Apache-2.0
#include "core/small_writes.hpp"

#include <cstring>
#include <iterator>

#include "rearrange/copy.hpp"

namespace weir::bridge {

namespace {

constexpr std::int64_t word_bytes = 8;

// A message: how many shares; of each its record, variable and runs, of each run its place and bytes; then the shares'
// bytes, each share's from a new word on.
constexpr std::int64_t words_of_share = 3, words_of_run = 2;

std::int64_t words_for(std::int64_t bytes) {
  return (bytes + word_bytes - 1) / word_bytes;
}

bool has_steps(const Slab& slab) {
  return !slab.stride.empty() && slab.stride.back() != 1;
}

std::int64_t runs_of(const Slab& slab) noexcept {
  return has_steps(slab) ? slab.elements() : slab.elements() / slab.count.back();
}

// Each stretch of the slab's last dimension: its first element in an array of `shape`, and how many.
template <class Body>
void each_run(const Slab& slab, IndexView shape, Body body) {
  const Shape distances = strides(shape);
  const std::int64_t length = has_steps(slab) ? 1 : slab.count.back();
  Shape at(slab.count.size(), 0);
  for (std::int64_t left = slab.elements(); left > 0; left -= length) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      element += (slab.start[d] + at[d] * (slab.stride.empty() ? 1 : slab.stride[d])) * distances[d];
    body(element, length);
    at.back() += length;
    for (std::size_t d = at.size(); --d > 0 && at[d] == slab.count[d]; ++at[d - 1]) at[d] = 0;
  }
}

class Reader {
 public:
  explicit Reader(std::span<const std::int64_t> words) : words_(words) {}
  bool done() const noexcept { return words_.empty(); }
  std::int64_t next() {
    const std::int64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::span<const std::int64_t> next(std::int64_t count) {
    const auto taken = words_.first(static_cast<std::size_t>(count));
    words_ = words_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

 private:
  std::span<const std::int64_t> words_;
};

SmallWrites::BytesByOffset read_rank(Reader& reader, SmallWrites::Call& call) {
  SmallWrites::BytesByOffset places;
  for (std::int64_t shares = reader.next(); shares > 0; --shares) {
    const std::int64_t record = reader.next();
    call.where.insert({static_cast<int>(reader.next()), record});
    const auto runs = reader.next(words_of_run * reader.next());
    std::int64_t bytes = 0;
    for (std::size_t r = 0; r < runs.size(); r += words_of_run) bytes += runs[r + 1];
    const auto* from = reinterpret_cast<const std::byte*>(reader.next(words_for(bytes)).data());
    for (std::size_t r = 0; r < runs.size(); from += runs[r + 1], r += words_of_run)
      if (!places.emplace(runs[r], std::vector(from, from + runs[r + 1])).second) call.overlaps = true;
  }
  return places;
}

bool overlap(const SmallWrites::BytesByOffset& places) {
  std::int64_t end = INT64_MIN;
  for (const auto& [offset, bytes] : places) {
    if (offset < end) return true;
    end = offset + std::ssize(bytes);
  }
  return false;
}

}  // namespace

std::int64_t SmallWrites::words(std::span<const Share> shares) noexcept {
  std::int64_t words = 1;
  for (const Share& share : shares) {
    words += words_of_share + share.elements();  // of at most a word each in the file
    for (const Slab& slab : share.slabs) words += words_of_run * runs_of(slab);
  }
  return words;
}

std::vector<std::int64_t> SmallWrites::message(const Schema& schema, const Geometry& geometry,
                                               std::span<const Share> shares, Infinities infinities,
                                               std::int64_t& misfits) {
  std::vector<std::int64_t> words{std::ssize(shares)};
  std::vector<std::byte> room;
  misfits = 0;
  for (const Share& share : shares) {
    const auto var = static_cast<std::size_t>(share.key.var);
    const Type external = schema.variables()[var].type;
    const std::int64_t size = type_bytes(external);
    const std::int64_t begin = geometry.first_byte(share.key.var, share.key.record);
    words.insert(words.end(), {share.key.record, share.key.var, 0});
    const std::size_t count = words.size() - 1;
    for (const Slab& slab : share.slabs)
      each_run(slab, shape_of(schema, share.key.var), [&](std::int64_t element, std::int64_t length) {
        words.insert(words.end(), {begin + element * size, length * size});
        ++words[count];
      });
    const std::size_t data = words.size();
    words.resize(data + static_cast<std::size_t>(words_for(share.elements() * size)));
    CopyProgram program;
    program.runs.push_back({0, 0, share.elements()});
    misfits += encode(program, share.values(room), share.type, reinterpret_cast<std::byte*>(words.data() + data),
                      external, schema.fill_value(share.key.var), StoreHint::cached, infinities)
                   .count;
  }
  return words;
}

SmallWrites::Call SmallWrites::read(std::span<const std::int64_t> messages) {
  Call call;
  for (Reader reader(messages); !reader.done();) {
    for (auto& [place, bytes] : read_rank(reader, call)) {
      const auto [found, is_new] = call.places.try_emplace(place, bytes);
      if (!is_new && found->second.size() != bytes.size()) call.overlaps = true;
    }
  }
  call.overlaps = call.overlaps || overlap(call.places);
  return call;
}

bool SmallWrites::lies_across(const Call& call) const {
  for (const auto& [place, bytes] : call.places) {
    const auto same = places_.find(place);
    if (same != places_.end() && same->second.size() == bytes.size()) continue;
    const auto after = places_.lower_bound(place);
    if (after != places_.end() && after->first < place + std::ssize(bytes)) return true;
    if (after == places_.begin()) continue;
    const auto before = std::prev(after);
    if (before->first + std::ssize(before->second) > place) return true;
  }
  return false;
}

void SmallWrites::add(Call call) {
  where_.merge(call.where);
  for (auto& [place, bytes] : call.places) {
    const std::int64_t count = std::ssize(bytes);
    if (places_.insert_or_assign(place, std::move(bytes)).second) bytes_ += count;
  }
}

std::vector<Extent> SmallWrites::extents() const {
  std::vector<Extent> extents;
  for (const auto& [place, bytes] : places_) extents.push_back({place, std::ssize(bytes), bytes.data()});
  return extents;
}

void SmallWrites::clear() noexcept {
  where_.clear();
  places_.clear();
  bytes_ = 0;
}

}  // namespace weir::bridge
