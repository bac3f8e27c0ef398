// SPDX-License-Identifier: Apache-2.0
// Models that send fields to streams, by the C interface alone, as tests/harness/streams/ draws them: stream_cases
// JOBS.json. Each job runs on some of the ranks, so that one launch runs many, some of them at a time. What a call
// refuses is printed, a line of JSON each.
#include <mpi.h>
#include <weir/weir.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using Json = nlohmann::json;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t nothing = -1;  // an element of a buffer that is no element of the array

const std::map<std::string, weir_type> types{{"byte", WEIR_BYTE},    {"short", WEIR_SHORT},   {"int", WEIR_INT},
                                             {"int64", WEIR_INT64},  {"ubyte", WEIR_UBYTE},   {"ushort", WEIR_USHORT},
                                             {"uint", WEIR_UINT},    {"uint64", WEIR_UINT64}, {"float", WEIR_FLOAT},
                                             {"double", WEIR_DOUBLE}};

// Calls use(value) with a value of the type.
template <class Use>
void with_type(weir_type type, const Use& use) {
  switch (type) {
    case WEIR_BYTE:
      return use(std::int8_t{});
    case WEIR_SHORT:
      return use(std::int16_t{});
    case WEIR_INT:
      return use(std::int32_t{});
    case WEIR_INT64:
      return use(std::int64_t{});
    case WEIR_UBYTE:
      return use(std::uint8_t{});
    case WEIR_USHORT:
      return use(std::uint16_t{});
    case WEIR_UINT:
      return use(std::uint32_t{});
    case WEIR_UINT64:
      return use(std::uint64_t{});
    case WEIR_FLOAT:
      return use(float{});
    default:
      return use(double{});
  }
}

// SplitMix64's last step.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// What a field has: numbers that reference.py computes too.
struct Source {
  weir_type type;
  std::uint64_t seed;
  std::uint64_t missing;    // of 1024 samples
  bool nan;                 // half of the missing ones are NaN
  double fill;              // the others
  double amplitude;         // of reals
  std::int64_t low, span;   // of whole numbers
  std::vector<double> all;  // of a fixed field

  template <class Value>
  Value value(std::uint64_t sample, std::int64_t element) const {
    if (!all.empty()) return static_cast<Value>(all[static_cast<std::size_t>(element)]);
    const std::uint64_t h = mix(mix(seed * 0x9e3779b97f4a7c15U + sample) + static_cast<std::uint64_t>(element));
    if ((h & 1023) < missing) return (h >> 10 & 1) != 0 && nan ? static_cast<Value>(NAN) : static_cast<Value>(fill);
    if constexpr (std::is_floating_point_v<Value>)
      return static_cast<Value>((static_cast<double>(h >> 11) * 0x1p-53 * 2 - 1) * amplitude);
    else
      return static_cast<Value>(low + static_cast<std::int64_t>((h >> 11) % static_cast<std::uint64_t>(span)));
  }
  // A buffer whose positions are these elements.
  std::vector<std::byte> values(std::uint64_t sample, const Numbers& elements) const {
    std::vector<std::byte> bytes;
    with_type(type, [&]<class Value>(Value junk) {
      if constexpr (std::is_floating_point_v<Value>) junk = static_cast<Value>(7.5e30);
      std::vector<Value> made;
      for (const std::int64_t element : elements)
        made.push_back(element == nothing ? junk : value<Value>(sample, element));
      bytes.resize(made.size() * sizeof(Value));
      if (!made.empty()) std::memcpy(bytes.data(), made.data(), bytes.size());
    });
    return bytes;
  }
};

std::int64_t product(const Numbers& numbers) {
  std::int64_t all = 1;
  for (const std::int64_t number : numbers) all *= number;
  return all;
}

// Calls visit(index) for all indices of a box, the last dimension fastest.
template <class Visit>
void for_each_index(const Numbers& lengths, const Visit& visit) {
  Numbers index(lengths.size());
  for (std::int64_t i = 0; i < product(lengths); ++i) {
    visit(index);
    for (std::size_t d = lengths.size(); d-- > 0 && ++index[d] == lengths[d];) index[d] = 0;
  }
}

std::int64_t flat(const Numbers& shape, const Numbers& index) {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) element = element * shape[d] + index[d];
  return element;
}

// A layout of this rank: its number, and the element of the array that each position of a buffer has.
struct Held {
  int layout = -1;
  Numbers elements;
};

// One model on a communicator.
class Run {
 public:
  Run(const Json& job, int number, MPI_Comm world) : job_(job), number_(number), world_(world) {}

  void go() {
    const int code = weir_init(world_, job_.at("config").get<std::string>().c_str(), &model_, &weir_);
    if (code != WEIR_OK) return tell("weir_init", code, weir_init_error());
    if (weir_ == nullptr) return;  // a rank that the strategy has reserved
    MPI_Comm_rank(model_, &rank_);
    for (const Json& layout : job_.at("layouts")) define_layout(layout);
    for (const Json& field : job_.at("fields")) define_field(field);
    for (const Json& attribute : job_.at("attributes")) put_attribute(WEIR_GLOBAL, attribute);
    if (well_) start();
    if (well_) send_all();
    if (well_ && job_.at("end") == "abandon") return;
    const int ended = weir_finalize(&weir_);
    if (ended != WEIR_OK) tell("weir_finalize", ended, weir_init_error());
    MPI_Comm_free(&model_);
  }

 private:
  void tell(const char* call, int code, const std::string& sentence) {
    well_ = false;
    const Json said{{"job", number_}, {"rank", rank_}, {"call", call}, {"code", code}, {"sentence", sentence}};
    const std::string line = said.dump() + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }
  void check(const char* call, int code) {
    if (code != WEIR_OK) tell(call, code, weir_error(weir_));
  }

  void define_layout(const Json& given) {
    const Numbers shape = given.at("shape");
    const Json& mine = given.at("of").at(static_cast<std::size_t>(rank_));
    const auto dims = static_cast<int>(shape.size());
    Held held;
    if (given.at("kind") == "map") {
      held.elements = mine.get<Numbers>();
      Numbers offsets = held.elements;
      for (std::int64_t& offset : offsets)
        if (offset == nothing) offset = WEIR_ABSENT;
      check("weir_def_layout_map",
            weir_def_layout_map(weir_, dims, shape.data(), static_cast<std::int64_t>(offsets.size()), offsets.data(),
                                &held.layout));
    } else {
      const std::vector<int> order = given.at("order");
      const bool is_subarray = given.at("kind") == "subarray";
      Numbers starts, counts;
      const Numbers around = is_subarray ? mine.at("memory").get<Numbers>() : Numbers();
      const Numbers in = is_subarray ? mine.at("in").get<Numbers>() : Numbers();
      if (is_subarray) held.elements.assign(static_cast<std::size_t>(product(around)), nothing);
      for (const Json& box : mine.at("boxes")) {
        const Numbers start = box.at(0), count = box.at(1);
        starts.insert(starts.end(), start.begin(), start.end());
        counts.insert(counts.end(), count.begin(), count.end());
        Numbers lengths;
        for (const int axis : order) lengths.push_back(count[static_cast<std::size_t>(axis)]);
        for_each_index(lengths, [&](const Numbers& index) {
          Numbers of_array(shape.size()), of_memory = index;
          for (std::size_t d = 0; d < shape.size(); ++d) {
            const auto axis = static_cast<std::size_t>(order[d]);
            of_array[axis] = start[axis] + index[d];
            if (is_subarray) of_memory[d] += in[d];
          }
          if (is_subarray)
            held.elements[static_cast<std::size_t>(flat(around, of_memory))] = flat(shape, of_array);
          else
            held.elements.push_back(flat(shape, of_array));
        });
      }
      check("weir_def_layout",
            is_subarray ? weir_def_layout_subarray(weir_, dims, shape.data(), starts.data(), counts.data(),
                                                   order.data(), around.data(), in.data(), &held.layout)
                        : weir_def_layout(weir_, dims, shape.data(), static_cast<int>(mine.at("boxes").size()),
                                          starts.data(), counts.data(), order.data(), &held.layout));
    }
    layouts_.push_back(std::move(held));
  }

  void put_attribute(int field, const Json& attribute) {
    const std::string name = attribute.at("name");
    if (attribute.contains("text"))
      return check("weir_put_field_att_text", weir_put_field_att_text(weir_, field, name.c_str(),
                                                                      attribute.at("text").get<std::string>().c_str()));
    const weir_type type = types.at(attribute.at("type"));
    const std::vector<double> given = attribute.at("values");
    with_type(type, [&]<class Value>(Value) {
      std::vector<Value> values;
      for (const double value : given) values.push_back(static_cast<Value>(value));
      check("weir_put_field_att", weir_put_field_att(weir_, field, name.c_str(), type,
                                                     static_cast<std::int64_t>(values.size()), values.data()));
    });
  }

  void define_field(const Json& given) {
    const std::vector<std::string> names = given.at("dims");
    std::vector<const char*> dims;
    for (const std::string& name : names) dims.push_back(name.c_str());
    const int layout = given.at("layout");
    int field = -1;
    check("weir_def_field",
          weir_def_field(weir_, given.at("name").get<std::string>().c_str(), types.at(given.at("type")),
                         static_cast<int>(dims.size()), dims.data(), layout < 0 ? -1 : held(layout).layout, &field));
    for (const Json& attribute : given.at("attributes")) put_attribute(field, attribute);
    sources_.push_back({types.at(given.at("memory")), given.at("seed"), given.at("missing"), given.at("nan"),
                        given.at("fill"), given.at("amplitude"), given.at("low"), given.at("span"),
                        given.at("values")});
    fields_.push_back(field);
    parts_.push_back(layout);
    if (sources_.back().all.empty()) return;
    const auto values = sources_.back().values(0, elements(fields_.size() - 1));
    check("weir_set_field", weir_set_field(weir_, field, sources_.back().type, values.data()));
  }

  const Held& held(int layout) const { return layouts_.at(static_cast<std::size_t>(layout)); }
  Numbers elements(std::size_t field) const { return parts_[field] < 0 ? Numbers{0} : held(parts_[field]).elements; }

  void start() {
    check("weir_start_streams", weir_start_streams(weir_, job_.at("units").get<std::string>().c_str(),
                                                   job_.at("calendar").get<std::string>().c_str(), job_.at("start")));
  }

  // A send is [time, field, number of the sample, whether a stream wants it, whether all is committed behind it].
  void send_all() {
    for (const Json& send : job_.at("sends")) {
      std::this_thread::sleep_for(std::chrono::duration<double>(job_.value("pause", 0.0)));
      const double time = send.at(0);
      const std::size_t field = send.at(1);
      int wanted = -1;
      check("weir_field_wanted", weir_field_wanted(weir_, fields_[field], time, &wanted));
      if (well_ && wanted != send.at(3).get<int>())
        tell("weir_field_wanted", wanted, "at " + std::to_string(time) + " of field " + std::to_string(field));
      const Source& source = sources_[field];
      const auto values = source.values(send.at(2), elements(field));
      if (well_) check("weir_send", weir_send(weir_, fields_[field], time, source.type, values.data()));
      if (well_ && send.at(4).get<bool>()) check("weir_sync_all", weir_sync_all(weir_));
      if (!well_) return;
    }
  }

  const Json& job_;
  int number_;
  MPI_Comm world_;
  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
  int rank_ = -1;
  bool well_ = true;
  std::vector<Held> layouts_;
  std::vector<int> fields_;  // Weir's numbers
  std::vector<int> parts_;   // of layouts_; -1: a scalar
  std::vector<Source> sources_;
};

// Jobs of one case are in turn, and have their first rank in common, which begins the next one.
void run_all(const Json& jobs) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    const Json& job = jobs[number];
    const int first = job.at("first"), count = job.at("ranks");
    if (rank < first || rank >= first + count) continue;
    int range[1][3] = {{first, first + count - 1, 1}};
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
    MPI_Group_free(&group);
    Run(job, static_cast<int>(number), comm).go();
    MPI_Barrier(comm);
    if (job.at("end") != "abandon") MPI_Comm_free(&comm);
  }
  MPI_Group_free(&world);
}

}  // namespace

int main(int argc, char** argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  if (argc == 2) {
    std::ifstream file(argv[1]);
    run_all(Json::parse(file));
  }
  MPI_Finalize();
  return argc == 2 ? 0 : 2;
}
