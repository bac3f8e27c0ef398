// ranks: 1 4 7 12
// SPDX-License-Identifier: Apache-2.0
// A file that some ranks wrote is read by others, by layouts and by boxes, at any count of ranks and in any memory type
// that holds the values. Random models, for some seconds; WEIR_TEST_SEED=N replays one.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "conformance/model_file.hpp"

namespace {

using conformance::draw;
using conformance::Expected;
using conformance::Held;
using conformance::Model;
using conformance::ModelVariable;
using conformance::must;
using conformance::Random;

constexpr auto time_for_models = std::chrono::seconds(8);

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

  std::string read(const std::string& path) {
    MPI_Comm model_comm = MPI_COMM_NULL;
    if (weir_init(comm_, "strategy: remap\n", &model_comm, &weir_) != WEIR_OK) return weir_init_error();
    std::string failure;
    try {
      must(weir_open(weir_, path.c_str(), WEIR_NOWRITE, &file_), weir_);
      check_definitions();
      for (const auto& [place, elements] : expected_) {
        check_layout(place.first, place.second, elements);
        check_boxes(place.first, place.second, elements);
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
      layouts_.push_back(conformance::define_layout(weir_, variable, held(variable)));
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
    const auto type = static_cast<weir_type>(draw(random_, 1, conformance::type_count));
    if (variable.type == WEIR_CHAR || type == WEIR_CHAR) return variable.type;
    for (const auto& element : elements) {
      const long double value = element ? *element : variable.fill();
      if (value < conformance::lowest_of(type) || value > conformance::highest_of(type)) return variable.type;
      if (!conformance::is_real(type) && value != static_cast<long double>(static_cast<std::int64_t>(value)))
        return variable.type;
    }
    return type;
  }

  void check_layout(int var, std::int64_t record, const Expected& elements) {
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(var)];
    const weir_type type = type_for(variable, elements);
    const std::vector<std::int64_t>& places = held(variable).places;
    const std::size_t size = conformance::size_of(type);
    std::vector<std::byte> buffer(places.size() * size, std::byte{0xA5});
    must(weir_get(file_, var, record, layouts_[static_cast<std::size_t>(var)], type, buffer.data()), weir_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::vector<std::byte> wanted(size, std::byte{0xA5});  // absent and halo elements stay
      if (places[i] != WEIR_ABSENT && !store(variable, type, elements, places[i], wanted.data())) continue;
      if (!std::equal(wanted.begin(), wanted.end(), buffer.begin() + static_cast<std::ptrdiff_t>(i * size)))
        throw variable.name + " record " + std::to_string(record) + ": element " + std::to_string(i) + " of the buffer";
    }
  }

  // A random box of one record.
  void check_boxes(int var, std::int64_t record, const Expected& elements) {
    const ModelVariable& variable = model_.variables[static_cast<std::size_t>(var)];
    const std::size_t skip = variable.record ? 1 : 0, ndims = variable.shape.size();
    conformance::Shape start(ndims + skip, record), count(ndims + skip, 1);
    for (std::size_t d = 0; d < ndims; ++d) {
      start[d + skip] = draw(random_, 0, variable.shape[d] - 1);
      count[d + skip] = draw(random_, 1, variable.shape[d] - start[d + skip]);
    }
    const weir_type type = type_for(variable, elements);
    const std::size_t size = conformance::size_of(type);
    std::vector<std::byte> buffer(static_cast<std::size_t>(conformance::volume(count)) * size), wanted(size);
    must(weir_get_vara(file_, var, start.data(), count.data(), type, buffer.data()), weir_);
    for (std::int64_t i = 0; i < conformance::volume(count); ++i) {
      std::int64_t element = 0, left = i, stride = 1;
      for (std::size_t d = ndims; d-- > 0; stride *= variable.shape[d]) {
        element += (start[d + skip] + left % count[d + skip]) * stride;
        left /= count[d + skip];
      }
      if (!store(variable, type, elements, element, wanted.data())) continue;
      if (!std::equal(wanted.begin(), wanted.end(), buffer.begin() + i * static_cast<std::int64_t>(size)))
        throw variable.name + " record " + std::to_string(record) + ": element " + std::to_string(element) +
            " by its box";
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

class RestartTest : public testing::Test {
 protected:
  RestartTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = std::filesystem::temp_directory_path().string() + "/restart.nc";
  }
  ~RestartTest() override {
    if (rank_ == 0) std::remove(path_.c_str());
  }

  std::uint64_t from_rank_0(std::uint64_t value) const {
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  }

  // The first `writers` ranks write, the last `readers` ranks read.
  std::string try_model(std::uint64_t seed) {
    Random random(seed);
    const auto writers = static_cast<int>(draw(random, 1, ranks_)), readers = static_cast<int>(draw(random, 1, ranks_));
    const Model written = conformance::make_model(seed, writers);
    const Model read = conformance::ModelMaker::deal_again(written, seed + 1, readers);
    const auto expected = conformance::expect(written);
    std::string failure;
    with_ranks(rank_ < writers, [&](MPI_Comm comm) {
      failure = conformance::ModelRun(written, comm).write("strategy: remap\ndurability: cache\n", path_);
    });
    with_ranks(rank_ >= ranks_ - readers, [&](MPI_Comm comm) {
      if (failure.empty()) failure = ModelReader(read, expected, written.records(), comm).read(path_);
    });
    return failure.empty()
               ? ""
               : failure + " (" + std::to_string(writers) + " ranks wrote, " + std::to_string(readers) + " read)";
  }

  template <class Work>
  void with_ranks(bool take_part, Work work) const {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, take_part ? 0 : MPI_UNDEFINED, rank_, &comm);
    if (comm != MPI_COMM_NULL) {
      work(comm);
      MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank_ = 0, ranks_ = 1;
  std::string path_;
};

TEST_F(RestartTest, OtherRanksReadWhatSomeWrote) {
  if (const char* given = std::getenv("WEIR_TEST_SEED")) {
    const std::uint64_t seed = std::strtoull(given, nullptr, 10);
    EXPECT_EQ(try_model(seed), "");
    return;
  }
  const std::uint64_t first = from_rank_0(std::random_device()());
  const auto end = std::chrono::steady_clock::now() + time_for_models;
  for (std::uint64_t models = 0; models < 3 || from_rank_0(std::chrono::steady_clock::now() < end ? 1 : 0) == 1;
       ++models) {
    const std::string failure = try_model(first + models);
    EXPECT_EQ(failure, "") << "WEIR_TEST_SEED=" << first + models;
    int well = failure.empty() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!well) return;
  }
}

}  // namespace
