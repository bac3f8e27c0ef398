// SPDX-License-Identifier: Apache-2.0
// weir-smpi REQUEST: a model that writes a workload through Weir, run by SimGrid's smpirun: all ranks are actors of one
// process (smpi/privatization:off; Weir keeps nothing outside its instances). It writes a file twice. The first time
// plans are made, which weir-simulate leaves out; the second time is measured. Rank 0 prints a line of JSON.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.hpp"
#include "instance/instance.hpp"
#include "smpi/files.hpp"
#include "smpi/request.hpp"

namespace weir::simgrid {

namespace {

using Json = nlohmann::ordered_json;

// The next index of a box in file order, without its last dimension; false after the last one.
bool next_row(std::vector<std::int64_t>& index, const Box& box) {
  for (std::size_t d = index.size() - 1; d-- > 0;) {
    if (++index[d] < box.hi[d]) return true;
    index[d] = box.lo[d];
  }
  return false;
}

// The values of one put: each element says where in the file it belongs.
std::vector<std::uint32_t> values_of(const Layout& layout, std::int64_t first_byte) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(layout.buffer_length()));
  const std::vector<std::int64_t> stride = strides(layout.space());
  for (std::size_t p = 0; p < layout.pieces().size(); ++p) {
    const Box box = layout.pieces()[p];
    const IndexView in_memory = layout.memory_strides(p);
    std::vector<std::int64_t> index(box.lo.begin(), box.lo.end());
    do {
      std::int64_t at = layout.base(p), byte = first_byte + 4 * offset(index, stride);
      for (std::size_t d = 0; d < index.size(); ++d) at += (index[d] - box.lo[d]) * in_memory[d];
      for (std::int64_t i = box.lo.back(); i < box.hi.back(); ++i, at += in_memory.back(), byte += 4)
        values[static_cast<std::size_t>(at)] = bits_at(byte);
    } while (next_row(index, box));
  }
  return values;
}

class Model {
 public:
  Model(Instance& instance, const simulate::Workload& work) : instance_(instance), work_(work) {
    int rank = 0;
    MPI_Comm_rank(instance.model(), &rank);
    for (const simulate::Decomposition& part : work.decompositions) {
      layouts_.push_back(part.layout(rank));
      numbers_.push_back(instance.define_layout(part.shape, [&] { return layouts_.back(); }));
    }
  }

  void write_file(const std::string& path) {
    File& file = instance_.files().create(path, WEIR_CLOBBER | WEIR_CDF5);
    file.definitions().define([&](Schema& schema) { define(schema); });
    file.definitions().enddef();
    for (std::int64_t record = 0; record < work_.records; ++record) {
      if (record == 0) put_all(file, false, 0);
      put_all(file, true, record);
    }
    instance_.files().close(file);
  }

 private:
  void define(Schema& schema) const {
    const int record = schema.add_dimension("time", 0);
    std::vector<std::vector<int>> dims;
    for (std::size_t d = 0; d < work_.decompositions.size(); ++d) {
      dims.emplace_back();
      for (const std::int64_t length : work_.decompositions[d].shape)
        dims[d].push_back(schema.add_dimension(formatted("d{}_{}", d, dims[d].size()), length));
    }
    for (const simulate::Variable& variable : work_.variables) {
      require(variable.element_bytes == 4, WEIR_EARGUMENT, "the model here has elements of four bytes only");
      std::vector<int> own = dims[static_cast<std::size_t>(variable.decomposition)];
      if (variable.record) own.insert(own.begin(), record);
      schema.add_variable(variable.name, WEIR_FLOAT, own);
    }
  }

  void put_all(File& file, bool record, std::int64_t number) const {
    for (std::size_t v = 0; v < work_.variables.size(); ++v)
      if (work_.variables[v].record == record) put(file, v, number);
  }

  void put(File& file, std::size_t v, std::int64_t record) const {
    const auto part = static_cast<std::size_t>(work_.variables[v].decomposition);
    const Geometry& geometry = file.open_file().output->geometry();
    const auto values = values_of(layouts_[part], geometry.first_byte(static_cast<int>(v), record));
    file.puts().put(static_cast<int>(v), record, numbers_[part], WEIR_FLOAT, values.data());
  }

  Instance& instance_;
  const simulate::Workload& work_;
  std::vector<Layout> layouts_;
  std::vector<int> numbers_;
};

double largest(double mine, MPI_Comm comm) {
  double most = mine;
  check_mpi(MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return most;
}

// What the rank that was longest in a step spent there.
Json steps_between(const Tally& before, const Tally& after, MPI_Comm comm) {
  Json json = Json::object();
  for (const auto& [name, seconds] : step_times) json[name] = largest(after.*seconds - before.*seconds, comm);
  return json;
}

void measure(Instance& instance, const Request& request) {
  MPI_Comm comm = instance.model();
  Model model(instance, request.work);
  const double begin = MPI_Wtime();
  model.write_file("first.nc");
  const double planned = largest(MPI_Wtime() - begin, comm);
  const Tally before = instance.tally();
  const Traffic sent_before = instance.pipeline().traffic();
  MPI_Barrier(comm);
  const Written first = written();
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  model.write_file("second.nc");
  const double seconds = largest(MPI_Wtime(), comm) - start;
  const Json steps = steps_between(before, instance.tally(), comm);
  const Traffic sent = instance.pipeline().traffic();
  std::int64_t messages[] = {sent.messages - sent_before.messages, sent.message_bytes - sent_before.message_bytes};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, messages, 2, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
  if (instance.comm().rank() != 0) return;
  const Json answer{{"seconds", seconds},
                    {"first_seconds", planned},
                    {"steps", steps},
                    {"messages", messages[0]},
                    {"message_bytes", messages[1]},
                    {"cycles", instance.tally().cycles - before.cycles},
                    {"bytes", request.work.bytes()},
                    {"bytes_written", written().bytes - first.bytes},
                    {"bytes_written_first", first.bytes},
                    {"wrong_elements", written().wrong}};
  std::printf("%s\n", answer.dump().c_str());
}

void run(const std::string& path) {
  const Request request = read_request(path);
  Instance instance(MPI_COMM_WORLD, request.config_text.c_str());
  if (instance.reserved()) return instance.serve();
  measure(instance, request);
  instance.finish();
}

}  // namespace

}  // namespace weir::simgrid

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    weir::require(argc == 2, WEIR_EARGUMENT, "weir-smpi wants one argument, the path of a request");
    weir::simgrid::run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir-smpi, rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
