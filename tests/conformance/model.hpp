// SPDX-License-Identifier: Apache-2.0
// A random model: dimensions, variables of every type, what each rank holds of them and how, and the puts in their
// order. Made from a seed, alike on every rank, so each rank knows what the file must hold in the end. Knows nothing of
// files.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/numbers.hpp"

namespace conformance {

struct Block {
  Shape start;
  Shape count;
};

inline std::int64_t volume(const Shape& count) {
  return std::accumulate(count.begin(), count.end(), std::int64_t{1}, std::multiplies<>());
}

// What one rank holds of a variable, and where in its memory.
struct Held {
  enum class Kind { boxes, subarray, map };
  Kind kind = Kind::boxes;
  std::vector<Block> blocks;
  std::vector<int> order;            // axes in memory, slowest first; empty: as in the file
  Shape memory_shape, memory_start;  // of a subarray
  std::vector<std::int64_t> places;  // of each element of the buffer: its element of the array, or WEIR_ABSENT
};

// How a variable of a netCDF-4 file is kept.
struct Packing {
  Shape chunk;  // along all dimensions; empty: by default
  bool shuffle = false, fletcher32 = false;
  int deflate_level = -1, zstd_level = -1;  // -1: without
};

struct ModelVariable {
  enum class Way { layout, box, whole };
  std::string name;
  weir_type type;
  bool record;
  std::vector<int> dims;
  Shape shape;  // without the record dimension
  std::optional<long double> own_fill;
  Way way;
  std::vector<Held> held;  // of each rank
  Packing packing = {};

  long double fill() const { return own_fill ? *own_fill : default_fill(type); }
};

struct Step {
  int var;  // -1: a sync
  std::int64_t record;
  std::int64_t records;  // one call puts so many, one after the other
  weir_type memory;
  std::uint64_t version;  // of the values
};

struct ModelAttribute {
  int var;  // WEIR_GLOBAL: of the file
  std::string name;
  weir_type type;
  std::vector<std::byte> values;
};

struct Model {
  std::uint64_t seed = 0;
  int mode = 0;
  weir_fill_mode fill = WEIR_FILL;
  Shape alignment{0, 0, 0};
  std::vector<std::pair<std::string, std::int64_t>> dims;
  std::vector<ModelVariable> variables;
  std::vector<ModelAttribute> attributes;
  std::vector<Step> steps;
  std::int64_t least_records = 0;  // the file has so many, whatever the steps put

  // Of the finished file. A box that is empty on all ranks puts no record: nobody has said which.
  std::int64_t records() const {
    std::int64_t most = least_records;
    for (const Step& step : steps) {
      if (step.var < 0) continue;
      const ModelVariable& variable = variables[static_cast<std::size_t>(step.var)];
      const bool said =
          variable.way != ModelVariable::Way::box ||
          std::any_of(variable.held.begin(), variable.held.end(), [](const Held& h) { return !h.blocks.empty(); });
      if (variable.record && said) most = std::max(most, step.record + step.records);
    }
    return most;
  }
  long double value(const Step& step, std::int64_t record, std::int64_t element) const {
    const std::uint64_t key = scramble(seed * 1000003 + step.version * 8191 + static_cast<std::uint64_t>(step.var));
    return common_value(key + static_cast<std::uint64_t>(record * 1000000007 + element), step.memory,
                        variables[static_cast<std::size_t>(step.var)].type);
  }
};

// Elements of a variable's record in the finished file; none where nobody put one.
using Expected = std::vector<std::optional<long double>>;

class ModelMaker {
 public:
  ModelMaker(std::uint64_t seed, int ranks) : random_(seed), ranks_(ranks) { model_.seed = seed; }

  // The same variables dealt to other ranks in another way, by layouts only: a model that reads.
  static Model deal_again(const Model& model, std::uint64_t seed, int ranks) {
    ModelMaker maker(seed, ranks);
    maker.model_ = model;
    for (ModelVariable& variable : maker.model_.variables) {
      do {
        variable.held.clear();
        maker.deal(variable);
      } while (variable.way != ModelVariable::Way::layout && !variable.shape.empty());
    }
    return std::move(maker.model_);
  }

  Model make() {
    const bool large_types = happens(random_, 60);
    if (happens(random_, 50)) model_.mode = large_types || happens(random_, 40) ? WEIR_CDF5 : WEIR_CDF2;
    if (happens(random_, 15)) model_.fill = WEIR_NOFILL;
    if (happens(random_, 30))
      model_.alignment = {draw(random_, 0, 3) * 100, 4 * draw(random_, 0, 200), 4 * draw(random_, 0, 200)};
    make_dimensions();
    const auto count = draw(random_, 1, 9);
    for (std::int64_t v = 0; v < count; ++v) make_variable(static_cast<int>(v), large_types ? type_count : WEIR_DOUBLE);
    for (int var = WEIR_GLOBAL; var < static_cast<int>(count); ++var) make_attributes(var, large_types);
    make_steps();
    return std::move(model_);
  }

 private:
  void make_dimensions() {
    most_elements_ = happens(random_, 12) ? 60000 : 3000;
    if (happens(random_, 75)) model_.dims.emplace_back("time", WEIR_UNLIMITED);
    const auto count = draw(random_, 1, 5);
    for (std::int64_t d = 0; d < count; ++d)
      model_.dims.emplace_back("d" + std::to_string(d), draw(random_, 1, most_elements_ > 3000 ? 40 : 12));
    std::swap(model_.dims.front(),
              model_.dims[static_cast<std::size_t>(draw(random_, 0, std::ssize(model_.dims) - 1))]);
  }

  void make_variable(int number, int types) {
    ModelVariable variable;
    variable.name = "v" + std::to_string(number);
    variable.type = static_cast<weir_type>(draw(random_, 1, types));
    const auto time = std::find_if(model_.dims.begin(), model_.dims.end(), [](const auto& d) { return d.second == 0; });
    variable.record = time != model_.dims.end() && happens(random_, 60);
    if (variable.record) variable.dims.push_back(static_cast<int>(time - model_.dims.begin()));
    for (auto left = draw(random_, 0, variable.record ? 4 : 5); left > 0; --left) {
      const auto dim = draw(random_, 0, std::ssize(model_.dims) - 1);
      const std::int64_t length = model_.dims[static_cast<std::size_t>(dim)].second;
      if (length == 0 || volume(variable.shape) * length > most_elements_) continue;
      variable.dims.push_back(static_cast<int>(dim));
      variable.shape.push_back(length);
    }
    if (happens(random_, 30)) variable.own_fill = common_value(random_(), variable.type, variable.type);
    deal(variable);
    model_.variables.push_back(std::move(variable));
  }

  void make_attributes(int var, bool large_types) {
    for (auto left = draw(random_, 0, 3); left > 0; --left) {
      const auto type = static_cast<weir_type>(draw(random_, 1, large_types ? type_count : WEIR_DOUBLE));
      const auto count = static_cast<std::size_t>(draw(random_, 0, 7));
      std::vector<std::byte> values(count * size_of(type));
      for (std::size_t i = 0; i < count; ++i)
        store(type, common_value(random_(), type, type), &values[i * size_of(type)]);
      model_.attributes.push_back({var, "a" + std::to_string(left), type, std::move(values)});
    }
    if (var < 0) return;
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(var)];
    if (!variable.own_fill) return;
    std::vector<std::byte> value(size_of(variable.type));
    store(variable.type, *variable.own_fill, value.data());
    model_.attributes.push_back({var, "_FillValue", variable.type, std::move(value)});
  }

  // Cuts the array into blocks and deals them to the ranks; some stay with nobody.
  void deal(ModelVariable& variable) {
    variable.held.resize(static_cast<std::size_t>(ranks_));
    const auto way = draw(random_, 1, 10);
    variable.way = way <= 6   ? ModelVariable::Way::layout
                   : way <= 8 ? ModelVariable::Way::box
                              : ModelVariable::Way::whole;
    if (variable.shape.empty() && !variable.record) variable.way = ModelVariable::Way::whole;
    if (variable.way == ModelVariable::Way::whole) {
      Held& all = variable.held[0];
      all.blocks.push_back({Shape(variable.shape.size(), 0), variable.shape});
      return find_places(variable, all);
    }
    const bool one_each = variable.way == ModelVariable::Way::box || happens(random_, 50);
    const auto pieces = one_each ? draw(random_, 1, ranks_) : draw(random_, 1, 4 * ranks_);
    std::vector<Block> blocks;
    split({Shape(variable.shape.size(), 0), variable.shape}, pieces, blocks);
    std::shuffle(blocks.begin(), blocks.end(), random_);
    const int kept = happens(random_, 50) ? 100 : 80;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto rank = one_each ? static_cast<std::int64_t>(b) : draw(random_, 0, ranks_ - 1);
      if (happens(random_, kept)) variable.held[static_cast<std::size_t>(rank)].blocks.push_back(std::move(blocks[b]));
    }
    const auto kind = draw(random_, 0, 3);  // 3: each rank its own
    for (Held& held : variable.held)
      arrange(variable, held, static_cast<Held::Kind>(kind < 3 ? kind : draw(random_, 0, 2)));
  }

  void split(Block block, std::int64_t pieces, std::vector<Block>& out) {
    std::vector<std::size_t> divisible;
    for (std::size_t d = 0; d < block.count.size(); ++d)
      if (block.count[d] > 1) divisible.push_back(d);
    if (pieces <= 1 || divisible.empty()) return out.push_back(std::move(block));
    const std::size_t d = divisible[static_cast<std::size_t>(draw(random_, 0, std::ssize(divisible) - 1))];
    const std::int64_t cut = draw(random_, 1, block.count[d] - 1), first = draw(random_, 1, pieces - 1);
    Block rest = block;
    rest.start[d] += cut;
    rest.count[d] -= cut;
    block.count[d] = cut;
    split(std::move(block), first, out);
    split(std::move(rest), pieces - first, out);
  }

  void arrange(const ModelVariable& variable, Held& held, Held::Kind kind) {
    const std::size_t ndims = variable.shape.size();
    if (variable.way == ModelVariable::Way::box) return find_places(variable, held);
    held.kind = kind;
    if (ndims == 0 && kind == Held::Kind::subarray) held.kind = Held::Kind::boxes;  // a scalar has none
    if (held.kind == Held::Kind::subarray && held.blocks.size() != 1) held.kind = Held::Kind::boxes;
    if (ndims > 0 && happens(random_, 60)) {
      held.order.resize(ndims);
      std::iota(held.order.begin(), held.order.end(), 0);
      std::shuffle(held.order.begin(), held.order.end(), random_);
    }
    if (held.kind == Held::Kind::subarray) {
      for (std::size_t k = 0; k < ndims; ++k) {
        const std::size_t axis = held.order.empty() ? k : static_cast<std::size_t>(held.order[k]);
        held.memory_start.push_back(draw(random_, 0, 2));
        held.memory_shape.push_back(held.memory_start[k] + held.blocks[0].count[axis] + draw(random_, 0, 2));
      }
    }
    find_places(variable, held);
    if (held.kind == Held::Kind::map) make_map(held);
  }

  // Out of order, with absent elements between.
  void make_map(Held& held) {
    const auto shuffled = draw(random_, 0, 2);
    if (shuffled == 1) std::reverse(held.places.begin(), held.places.end());
    if (shuffled == 2) std::shuffle(held.places.begin(), held.places.end(), random_);
    for (auto absent = draw(random_, 0, 5); absent > 0; --absent)
      held.places.insert(held.places.begin() + draw(random_, 0, std::ssize(held.places)), WEIR_ABSENT);
  }

  void find_places(const ModelVariable& variable, Held& held) {
    const std::size_t ndims = variable.shape.size();
    if (held.kind == Held::Kind::subarray)
      held.places.assign(static_cast<std::size_t>(volume(held.memory_shape)), WEIR_ABSENT);
    for (const Block& block : held.blocks) {
      for (std::int64_t i = 0; i < volume(block.count); ++i) {
        // i counts the block's elements in the order of memory; the last axis of memory runs fastest.
        Shape index = block.start;
        std::int64_t left = i, at = 0, stride = 1;
        for (std::size_t k = ndims; k-- > 0;) {
          const std::size_t axis = held.order.empty() ? k : static_cast<std::size_t>(held.order[k]);
          const std::int64_t step = left % block.count[axis];
          left /= block.count[axis];
          index[axis] += step;
          if (held.kind != Held::Kind::subarray) continue;
          at += (held.memory_start[k] + step) * stride;
          stride *= held.memory_shape[k];
        }
        std::int64_t element = 0;
        for (std::size_t d = 0; d < ndims; ++d) element = element * variable.shape[d] + index[d];
        if (held.kind == Held::Kind::subarray)
          held.places[static_cast<std::size_t>(at)] = element;
        else
          held.places.push_back(element);
      }
    }
  }

  void make_steps() {
    const auto records = draw(random_, 1, 4);
    std::uint64_t version = 0;
    for (int v = 0; v < static_cast<int>(model_.variables.size()); ++v) {
      const ModelVariable& variable = model_.variables[static_cast<std::size_t>(v)];
      for (std::int64_t r = 0; r < (variable.record ? records : 1); ++r) {
        if (happens(random_, 15)) continue;  // never put
        const bool pair = variable.record && variable.way == ModelVariable::Way::box && happens(random_, 30);
        for (int times = happens(random_, 8) ? 2 : 1; times > 0; --times)
          model_.steps.push_back({v, r, pair ? 2 : 1, memory_for(variable.type), ++version});
      }
    }
    std::shuffle(model_.steps.begin(), model_.steps.end(), random_);
    for (auto syncs = draw(random_, 0, 2); syncs > 0; --syncs)
      model_.steps.insert(model_.steps.begin() + draw(random_, 0, std::ssize(model_.steps)),
                          Step{-1, 0, 0, WEIR_INT, 0});
  }

  weir_type memory_for(weir_type external) {
    if (external == WEIR_CHAR || happens(random_, 50)) return external;
    const auto type = static_cast<weir_type>(draw(random_, 1, type_count));
    return type == WEIR_CHAR ? external : type;
  }

  Random random_;
  int ranks_;
  std::int64_t most_elements_ = 3000;
  Model model_;
};

inline Model make_model(std::uint64_t seed, int ranks) {
  return ModelMaker(seed, ranks).make();
}

// By variable and record (0 for a fixed one): what the steps leave in the file. The last put of an element stays; a put
// with holes gives these the fill value, and what was never put has it too.
inline std::map<std::pair<int, std::int64_t>, Expected> expect(const Model& model) {
  std::map<std::pair<int, std::int64_t>, Expected> file;
  for (int v = 0; v < static_cast<int>(model.variables.size()); ++v) {
    const ModelVariable& variable = model.variables[static_cast<std::size_t>(v)];
    for (std::int64_t r = 0; r < (variable.record ? model.records() : 1); ++r)
      file[{v, r}].resize(static_cast<std::size_t>(volume(variable.shape)));
  }
  for (const Step& step : model.steps) {
    if (step.var < 0) continue;
    const ModelVariable& variable = model.variables[static_cast<std::size_t>(step.var)];
    for (std::int64_t r = step.record; r < step.record + step.records; ++r) {
      if (!file.contains({step.var, variable.record ? r : 0})) continue;
      Expected& elements = file.at({step.var, variable.record ? r : 0});
      for (const Held& held : variable.held)
        for (std::int64_t element : held.places)
          if (element != WEIR_ABSENT) elements[static_cast<std::size_t>(element)] = model.value(step, r, element);
    }
  }
  return file;
}

}  // namespace conformance
