// SPDX-License-Identifier: Apache-2.0
// A model's file: written through Weir's C interface, and read by PnetCDF alone to see whether it holds what the model
// expects. Both answer with a sentence, empty where all is well.
#pragma once

#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

#include "conformance/model.hpp"

namespace conformance {

// Throws what Weir answers where it refuses.
inline void must(int code, const weir_t* weir) {
  if (code != WEIR_OK) throw std::string(weir_strerror(code)) + ": " + weir_error(weir);
}

// The layout of what one rank holds. Collective.
inline int define_layout(weir_t* weir, const ModelVariable& variable, const Held& held) {
  const auto ndims = static_cast<int>(variable.shape.size());
  const int* order = held.order.empty() ? nullptr : held.order.data();
  int layout = -1;
  if (held.kind == Held::Kind::map) {
    must(weir_def_layout_map(weir, ndims, variable.shape.data(), std::ssize(held.places), held.places.data(), &layout),
         weir);
  } else if (held.kind == Held::Kind::subarray) {
    const Block& block = held.blocks[0];
    must(weir_def_layout_subarray(weir, ndims, variable.shape.data(), block.start.data(), block.count.data(), order,
                                  held.memory_shape.data(), held.memory_start.data(), &layout),
         weir);
  } else {
    Shape starts, counts;
    for (const Block& block : held.blocks) {
      starts.insert(starts.end(), block.start.begin(), block.start.end());
      counts.insert(counts.end(), block.count.begin(), block.count.end());
    }
    must(weir_def_layout(weir, ndims, variable.shape.data(), static_cast<int>(held.blocks.size()), starts.data(),
                         counts.data(), order, &layout),
         weir);
  }
  std::int64_t length = -1;
  must(weir_inq_layout(weir, layout, &length), weir);
  if (length != std::ssize(held.places)) throw variable.name + ": the layout's buffer is of another length";
  return layout;
}

// Runs one model under one configuration. Collective over `world`; the sentence is of this rank.
class ModelRun {
 public:
  ModelRun(const Model& model, MPI_Comm world) : model_(model), world_(world) { MPI_Comm_rank(world, &rank_); }

  // Before each call this rank idles for a random time: now and then long, mostly not at all.
  void dawdle(std::uint64_t seed, int most_microseconds) {
    random_.seed(seed + static_cast<std::uint64_t>(rank_) * 7919);
    most_microseconds_ = most_microseconds;
  }

  // A rank that Weir reserves serves in weir_init, and has written nothing.
  std::string write(const std::string& config, const std::string& path) {
    return run(config, path, {false, 0, model_.steps.size()});
  }
  // A run that takes only some of the steps: of a new file, or of one that is there, which may go back to fewer
  // records.
  struct Part {
    bool opens;
    std::size_t first, last;
    std::optional<std::int64_t> records = {};
  };
  std::string run(const std::string& config, const std::string& path, const Part& part) {
    MPI_Comm model_comm = MPI_COMM_NULL;
    if (weir_init(world_, config.c_str(), &model_comm, &weir_) != WEIR_OK) return weir_init_error();
    if (model_comm == MPI_COMM_NULL) return weir_ ? "a reserved rank got an instance" : "";
    std::string failure;
    try {
      part.opens ? open(path, part.records) : define(path);
      for (std::size_t s = part.first; s < part.last; ++s) take(model_.steps[s]);
      must(weir_close(file_));
    } catch (const std::string& sentence) {
      failure = sentence;
    }
    if (weir_finalize(&weir_) != WEIR_OK && failure.empty()) failure = weir_init_error();
    MPI_Comm_free(&model_comm);
    return failure;
  }

  // The same in pieces, in a Weir that runs already, so that several files are under way at once. Throw the sentence.
  void begin(weir_t* weir, const std::string& path) {
    weir_ = weir;
    define(path);
  }
  // False once all is put.
  bool step() {
    if (taken_ == model_.steps.size()) return false;
    take(model_.steps[taken_++]);
    return true;
  }
  void close() { must(weir_close(file_)); }

 private:
  void must(int code) const { conformance::must(code, weir_); }

  void define(const std::string& path) {
    must(weir_create(weir_, path.c_str(), model_.mode, &file_));
    for (const auto& [name, length] : model_.dims) must(weir_def_dim(file_, name.c_str(), length, nullptr));
    for (const ModelVariable& v : model_.variables)
      must(weir_def_var(file_, v.name.c_str(), v.type, static_cast<int>(v.dims.size()), v.dims.data(), nullptr));
    for (int v = 0; v < static_cast<int>(model_.variables.size()); ++v) define_packing(v);
    for (const ModelAttribute& a : model_.attributes)
      must(weir_put_att(file_, a.var, a.name.c_str(), a.type,
                        static_cast<std::int64_t>(a.values.size() / size_of(a.type)), a.values.data()));
    must(weir_set_fill(file_, model_.fill));
    must(weir_set_alignment(file_, model_.alignment[0], model_.alignment[1], model_.alignment[2]));
    must(weir_enddef(file_));
    define_layouts();
  }

  void open(const std::string& path, std::optional<std::int64_t> records) {
    must(records ? weir_open_at(weir_, path.c_str(), WEIR_WRITE, *records, &file_)
                 : weir_open(weir_, path.c_str(), WEIR_WRITE, &file_));
    define_layouts();
  }

  void define_layouts() {
    for (const ModelVariable& v : model_.variables)
      layouts_.push_back(v.way == ModelVariable::Way::layout ? define_layout(weir_, v, mine(v)) : -1);
  }

  void define_packing(int var) {
    const Packing& packing = model_.variables[static_cast<std::size_t>(var)].packing;
    if (!packing.chunk.empty()) must(weir_def_var_chunking(file_, var, WEIR_CHUNKED, packing.chunk.data()));
    if (packing.shuffle || packing.deflate_level >= 0)
      must(weir_def_var_deflate(file_, var, packing.shuffle, packing.deflate_level >= 0, packing.deflate_level));
    if (packing.zstd_level >= 0) must(weir_def_var_zstd(file_, var, packing.zstd_level));
    if (packing.fletcher32) must(weir_def_var_fletcher32(file_, var, 1));
  }

  const Held& mine(const ModelVariable& variable) const { return variable.held[static_cast<std::size_t>(rank_)]; }

  void idle() {
    if (most_microseconds_ == 0 || random_() % 4 != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % static_cast<std::uint64_t>(most_microseconds_)));
  }

  void take(const Step& step) {
    idle();
    if (step.var < 0) return must(weir_sync(file_));
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(step.var)];
    std::vector<std::byte> buffer = values(step);
    const auto layout = layouts_[static_cast<std::size_t>(step.var)];
    switch (variable.way) {
      case ModelVariable::Way::layout:
        must(weir_put(file_, step.var, step.record, layout, step.memory, buffer.data()));
        break;
      case ModelVariable::Way::whole:
        for (std::int64_t r = 0; r < step.records; ++r)
          must(weir_put_var(file_, step.var, step.record, step.memory, buffer.data()));
        break;
      case ModelVariable::Way::box:
        put_box(step, variable, buffer);
    }
    std::fill(buffer.begin(), buffer.end(), std::byte{0xEE});  // it is the model's again
  }

  void put_box(const Step& step, const ModelVariable& variable, const std::vector<std::byte>& buffer) const {
    const Held& held = mine(variable);
    Shape start(variable.dims.size(), 0), count(variable.dims.size(), 0);
    if (!held.blocks.empty()) {
      const std::size_t skip = variable.record ? 1 : 0;
      std::copy(held.blocks[0].start.begin(), held.blocks[0].start.end(),
                start.begin() + static_cast<std::ptrdiff_t>(skip));
      std::copy(held.blocks[0].count.begin(), held.blocks[0].count.end(),
                count.begin() + static_cast<std::ptrdiff_t>(skip));
      if (variable.record) start[0] = step.record, count[0] = step.records;
    }
    must(weir_put_vara(file_, step.var, start.data(), count.data(), step.memory, buffer.data()));
  }

  // What is absent, or a halo, is a byte pattern that no reader may ever see. All ranks hold what weir_put_var takes.
  std::vector<std::byte> values(const Step& step) const {
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(step.var)];
    const bool whole = variable.way == ModelVariable::Way::whole;
    const std::vector<std::int64_t>& places = whole ? variable.held[0].places : mine(variable).places;
    const std::size_t size = size_of(step.memory);
    std::vector<std::byte> buffer(places.size() * size * static_cast<std::size_t>(step.records), std::byte{0xA5});
    for (std::int64_t r = 0; r < step.records; ++r)
      for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] != WEIR_ABSENT)
          store(step.memory, model_.value(step, step.record + r, places[i]),
                &buffer[(static_cast<std::size_t>(r) * places.size() + i) * size]);
    return buffer;
  }

  const Model& model_;
  MPI_Comm world_;
  int rank_ = 0;
  std::mt19937_64 random_;
  int most_microseconds_ = 0;
  weir_t* weir_ = nullptr;
  weir_file* file_ = nullptr;
  std::size_t taken_ = 0;
  std::vector<int> layouts_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Local. Where two files differ first.
inline std::string difference_of_files(const std::string& path, const std::string& reference) {
  const std::string a = contents(path), b = contents(reference);
  if (b.empty()) return reference + " is empty or missing";
  if (a == b) return "";
  const auto at =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return path + " (" + std::to_string(a.size()) + " bytes) and " + reference + " (" + std::to_string(b.size()) +
         " bytes) differ from byte " + std::to_string(at.first - a.begin());
}

// Reads a file with PnetCDF on this rank alone.
class PnetcdfReader {
 public:
  explicit PnetcdfReader(const std::string& path) {
    result_ = ncmpi_open(MPI_COMM_SELF, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file_);
  }
  ~PnetcdfReader() {
    if (file_ >= 0) ncmpi_close(file_);
  }
  PnetcdfReader(const PnetcdfReader&) = delete;
  PnetcdfReader& operator=(const PnetcdfReader&) = delete;

  // The first difference from what the model expects.
  std::string compare(const Model& model) {
    if (result_ != NC_NOERR) return ncmpi_strerror(result_);
    MPI_Offset records = 0;
    int time = -1;
    ncmpi_inq_unlimdim(file_, &time);
    if (time >= 0) ncmpi_inq_dimlen(file_, time, &records);
    if (records != model.records())
      return "the file has " + std::to_string(records) + " records, not " + std::to_string(model.records());
    for (const ModelAttribute& attribute : model.attributes)
      if (std::string failure = compare_attribute(attribute); !failure.empty()) return failure;
    for (const auto& [place, elements] : expect(model))
      if (std::string failure = compare_record(model, place.first, place.second, elements); !failure.empty())
        return failure;
    return "";
  }

  // One record of a variable (record 0 of a fixed one), as it is in the file, in native order.
  std::vector<std::byte> read(const ModelVariable& variable, int var, std::int64_t record) {
    std::vector<MPI_Offset> start(variable.dims.size(), 0), count(variable.dims.size(), 1);
    for (std::size_t d = 0; d < variable.shape.size(); ++d) count[d + (variable.record ? 1 : 0)] = variable.shape[d];
    if (variable.record) start[0] = record;
    const std::int64_t elements = volume(variable.shape);
    std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * size_of(variable.type));
    result_ =
        ncmpi_get_vara_all(file_, var, start.data(), count.data(), bytes.data(), elements, mpi_type(variable.type));
    return bytes;
  }

 private:
  std::string compare_attribute(const ModelAttribute& attribute) {
    nc_type type = 0;
    MPI_Offset count = -1;
    result_ = ncmpi_inq_att(file_, attribute.var, attribute.name.c_str(), &type, &count);
    if (result_ != NC_NOERR) return attribute.name + ": " + ncmpi_strerror(result_);
    std::vector<std::byte> found(attribute.values.size());
    if (type != static_cast<nc_type>(attribute.type) ||
        static_cast<std::size_t>(count) * size_of(attribute.type) != attribute.values.size())
      return "attribute " + attribute.name + " is of another type or length";
    if (count > 0) result_ = ncmpi_get_att(file_, attribute.var, attribute.name.c_str(), found.data());
    return found == attribute.values ? "" : "attribute " + attribute.name + " has other values";
  }

  std::string compare_record(const Model& model, int var, std::int64_t record, const Expected& elements) {
    const ModelVariable& variable = model.variables[static_cast<std::size_t>(var)];
    const std::vector<std::byte> found = read(variable, var, record);
    const std::string where = variable.name + " record " + std::to_string(record);
    if (result_ != NC_NOERR) return where + ": " + ncmpi_strerror(result_);
    const std::size_t size = size_of(variable.type);
    std::vector<std::byte> wanted(size);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      if (!elements[e] && model.fill == WEIR_NOFILL) continue;
      store(variable.type, elements[e] ? *elements[e] : variable.fill(), wanted.data());
      if (std::equal(wanted.begin(), wanted.end(), found.begin() + static_cast<std::ptrdiff_t>(e * size))) continue;
      std::ostringstream text;
      text << where << " element " << e << ": " << load(variable.type, &found[e * size]) << " instead of "
           << load(variable.type, wanted.data()) << (elements[e] ? "" : " (fill)");
      return text.str();
    }
    return "";
  }

  int file_ = -1;
  int result_ = NC_NOERR;
};

}  // namespace conformance
