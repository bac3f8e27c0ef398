// SPDX-License-Identifier: Apache-2.0
// Reads a model's file through Weir's C interface and sees whether it holds what the model expects: by layouts, by
// boxes of all ranks that overlap as they like, and by a rank alone, in any memory type that holds the values.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/model_file.hpp"

namespace conformance {

// A way to read: what decides who reads which tile, how much at a time, and what goes by message.
inline std::string random_reading(Random& random, bool servers) {
  static const char* const strategies[] = {"collective", "rows",    "columns",       "remap",
                                           "serial",     "dynamic", "file_per_rank", "file_per_domain"};
  std::string text = std::string("strategy: ") + (servers ? "servers" : strategies[draw(random, 0, 7)]) + "\n";
  if (happens(random, 60)) text += "buffer_limit: 64KiB\n";
  if (happens(random, 50)) text += "bundle_size: " + std::to_string(draw(random, 1, 4000)) + "\n";
  if (happens(random, 30)) text += "debug.forward: messages\n";
  if (happens(random, 50)) text += "debug.ranks_per_host: " + std::to_string(draw(random, 1, 3)) + "\n";
  if (happens(random, 50)) text += "writers_per_host: " + std::to_string(draw(random, 1, 3)) + "\n";
  if (happens(random, 20)) text += "stripe_size: " + std::to_string(draw(random, 1, 5)) + "KiB\n";
  if (happens(random, 30)) text += "page_cache: past\n";
  return text;
}

// Reads a model's file on the ranks of a communicator. Answers with a sentence, empty where all is well.
class ModelReader {
 public:
  // model: what the readers hold; expected: what the file does.
  using File = std::map<std::pair<int, std::int64_t>, Expected>;
  ModelReader(const Model& model, const File& expected, std::int64_t records, MPI_Comm comm)
      : model_(model), expected_(expected), records_(records), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    random_.seed(model.seed + static_cast<std::uint64_t>(rank_));
  }

  std::string read(const std::string& path, const std::string& config) {
    MPI_Comm model_comm = MPI_COMM_NULL;
    if (weir_init(comm_, config.c_str(), &model_comm, &weir_) != WEIR_OK) return weir_init_error();
    if (!weir_) return "";  // this rank has served
    std::string failure;
    try {
      must(weir_open(weir_, path.c_str(), WEIR_NOWRITE, &file_), weir_);
      check_definitions();
      for (const auto& [place, elements] : expected_) {
        check_layout(place.first, place.second, elements);
        check_box(place.first, place.second, elements);
        check_shared_boxes(place.first, place.second);
        check_shared_layout(place.first, place.second, elements);
      }
      must(weir_close(file_), weir_);
    } catch (const std::string& sentence) {
      failure = sentence;
    }
    weir_finalize(&weir_);
    MPI_Comm_free(&model_comm);
    return failure;
  }

 private:
  void check_definitions() {
    std::int64_t records = -1;
    must(weir_inq_nrecords(file_, &records), weir_);
    if (records != records_) throw "the file has " + std::to_string(records) + " records";
    for (std::size_t v = 0; v < model_.variables.size(); ++v) {
      const ModelVariable& variable = model_.variables[v];
      layouts_.push_back(define_layout(weir_, variable, held(variable)));
      int number = -1, ndims = -1, dims[8];
      weir_type type{};
      must(weir_inq_varid(file_, variable.name.c_str(), &number), weir_);
      must(weir_inq_var(file_, number, nullptr, &type, &ndims, dims, nullptr), weir_);
      if (number != static_cast<int>(v) || type != variable.type ||
          std::vector<int>(dims, dims + ndims) != variable.dims)
        throw variable.name + " is defined otherwise in the file";
    }
    for (const auto& attribute : model_.attributes) {
      std::vector<std::byte> values(attribute.values.size() + 1);
      weir_type type{};
      std::int64_t count = -1;
      must(weir_inq_att(file_, attribute.var, attribute.name.c_str(), &type, &count), weir_);
      must(weir_get_att(file_, attribute.var, attribute.name.c_str(), values.data()), weir_);
      values.pop_back();
      if (type != attribute.type || values != attribute.values) throw attribute.name + " is another in the file";
    }
  }

  const Held& held(const ModelVariable& variable) const { return variable.held[static_cast<std::size_t>(rank_)]; }

  // A type that holds each of these values exactly.
  weir_type type_for(const ModelVariable& variable, const Expected& elements) {
    const auto type = static_cast<weir_type>(draw(random_, 1, type_count));
    if (variable.type == WEIR_CHAR || type == WEIR_CHAR) return variable.type;
    for (const auto& element : elements) {
      const long double value = element ? *element : variable.fill();
      if (value < lowest_of(type) || value > highest_of(type)) return variable.type;
      if (!is_real(type) && value != static_cast<long double>(static_cast<std::int64_t>(value))) return variable.type;
    }
    return type;
  }

  void check_layout(int var, std::int64_t record, const Expected& elements) {
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(var)];
    const weir_type type = type_for(variable, elements);
    const std::vector<std::int64_t>& places = held(variable).places;
    const std::size_t size = size_of(type);
    std::vector<std::byte> buffer(places.size() * size, std::byte{0xA5});
    const int layout = layouts_[static_cast<std::size_t>(var)];
    if ((model_.seed + static_cast<std::uint64_t>(var + record)) % 3 == 0)
      must(weir_prefetch(file_, 1, &var, record, layout), weir_);
    must(weir_get(file_, var, record, layout, type, buffer.data()), weir_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::vector<std::byte> wanted(size, std::byte{0xA5});  // absent and halo elements stay
      if (places[i] != WEIR_ABSENT && !store(variable, type, elements, places[i], wanted.data())) continue;
      if (!std::equal(wanted.begin(), wanted.end(), buffer.begin() + static_cast<std::ptrdiff_t>(i * size)))
        throw variable.name + " record " + std::to_string(record) + ": element " + std::to_string(i) + " of the buffer";
    }
  }

  struct RandomBox {
    Shape start, count;  // over the array, without records
  };
  RandomBox random_box(const ModelVariable& variable) {
    RandomBox box;
    for (const std::int64_t length : variable.shape) {
      box.start.push_back(draw(random_, 0, length - 1));
      box.count.push_back(draw(random_, 1, length - box.start.back()));
    }
    return box;
  }

  // A box of one record, by this rank alone.
  void check_box(int var, std::int64_t record, const Expected& elements) {
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(var)];
    const RandomBox box = random_box(variable);
    Shape start = box.start, count = box.count;
    if (variable.record) start.insert(start.begin(), record), count.insert(count.begin(), 1);
    const weir_type type = type_for(variable, elements);
    std::vector<std::byte> buffer(bytes_of(box, type));
    must(weir_get_vara(file_, var, start.data(), count.data(), type, buffer.data()), weir_);
    compare(variable, elements, box, type, buffer.data(), "a box");
  }

  // Boxes of all ranks, from this record on; some ranks want nothing.
  void check_shared_boxes(int var, std::int64_t record) {
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(var)];
    const RandomBox box = random_box(variable);
    const bool nothing = happens(random_, 20);
    Shape start = box.start, count = box.count;
    const std::int64_t records = variable.record ? 1 + record % 3 % (records_ - record) : 1;
    if (variable.record) start.insert(start.begin(), record), count.insert(count.begin(), records);
    // A scalar is wanted by all.
    if (nothing) std::fill(count.begin(), count.end(), 0);
    weir_type type = WEIR_DOUBLE;
    for (std::int64_t r = record; r < record + records; ++r)
      if (type != variable.type) type = type_for(variable, expected_.at({var, r}));
    if (records > 1) type = variable.type;
    const std::size_t each = bytes_of(box, type);
    std::vector<std::byte> buffer(each * static_cast<std::size_t>(records));
    must(weir_get_vara_all(file_, var, start.data(), count.data(), type, buffer.data()), weir_);
    for (std::int64_t r = 0; r < records && (!nothing || count.empty()); ++r)
      compare(variable, expected_.at({var, record + r}), box, type, buffer.data() + static_cast<std::size_t>(r) * each,
              "boxes of all ranks");
  }

  // Boxes that overlap those of other ranks, and each other, as a layout.
  void check_shared_layout(int var, std::int64_t record, const Expected& elements) {
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(var)];
    std::vector<RandomBox> boxes(static_cast<std::size_t>(draw(random_, 0, variable.shape.empty() ? 1 : 3)));
    Shape starts, counts;
    for (RandomBox& box : boxes) {
      box = random_box(variable);
      starts.insert(starts.end(), box.start.begin(), box.start.end());
      counts.insert(counts.end(), box.count.begin(), box.count.end());
    }
    int layout = -1;
    must(weir_def_layout(weir_, static_cast<int>(variable.shape.size()), variable.shape.data(),
                         static_cast<int>(boxes.size()), starts.data(), counts.data(), nullptr, &layout),
         weir_);
    const weir_type type = type_for(variable, elements);
    std::size_t at = 0;
    for (const RandomBox& box : boxes) at += bytes_of(box, type);
    std::vector<std::byte> buffer(at);
    must(weir_get(file_, var, record, layout, type, buffer.data()), weir_);
    at = 0;
    for (const RandomBox& box : boxes) {
      compare(variable, elements, box, type, buffer.data() + at, "boxes that overlap");
      at += bytes_of(box, type);
    }
    must(weir_free_layout(weir_, layout), weir_);
  }

  static std::size_t bytes_of(const RandomBox& box, weir_type type) {
    return static_cast<std::size_t>(volume(box.count)) * size_of(type);
  }

  void compare(const ModelVariable& variable, const Expected& elements, const RandomBox& box, weir_type type,
               const std::byte* found, const char* what) const {
    const std::size_t size = size_of(type);
    std::vector<std::byte> wanted(size);
    for (std::int64_t i = 0; i < volume(box.count); ++i, found += size) {
      std::int64_t element = 0, left = i, stride = 1;
      for (std::size_t d = variable.shape.size(); d-- > 0; stride *= variable.shape[d]) {
        element += (box.start[d] + left % box.count[d]) * stride;
        left /= box.count[d];
      }
      if (!store(variable, type, elements, element, wanted.data())) continue;
      if (!std::equal(wanted.begin(), wanted.end(), found))
        throw variable.name + ": element " + std::to_string(element) + " by " + what;
    }
  }

  // False where nobody knows what the file holds.
  bool store(const ModelVariable& variable, weir_type type, const Expected& elements, std::int64_t element,
             std::byte* target) const {
    const auto& value = elements[static_cast<std::size_t>(element)];
    if (!value && model_.fill == WEIR_NOFILL) return false;
    conformance::store(type, value ? *value : variable.fill(), target);
    return true;
  }

  const Model& model_;
  const File& expected_;
  std::int64_t records_;
  MPI_Comm comm_;
  Random random_;
  int rank_ = 0;
  weir_t* weir_ = nullptr;
  weir_file* file_ = nullptr;
  std::vector<int> layouts_;
};

}  // namespace conformance
