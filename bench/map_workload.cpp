// SPDX-License-Identifier: Apache-2.0
// The workload `map`: replays a real decomposition (an E3SM map file, a classic netCDF file that netCDF-C reads) with
// the variables of a real history file (its header as CDL text): the I/O kernel of Kordenbrock & Oldfield 2006,
// section 4. The rules:
//   - a variable takes the decomposition whose sizes are its dimensions without the record dimension; of several, fixed
//     variables take the first and record variables the last; with none, rank 0 alone puts it;
//   - where the map was made smaller than the header by one common factor, the header's dimensions are divided by it;
//   - the map's ranks are dealt round-robin to ours; runs that nobody computes are absent.
#include <netcdf.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "cdl.hpp"
#include "check.hpp"
#include "workload.hpp"

namespace weir::bench {
namespace {

// A map file, open for reading.
class MapFile {
 public:
  explicit MapFile(const std::string& path) : path_(path) {
    check_netcdf(nc_open(path.c_str(), NC_NOWRITE, &id_), formatted("opening the map {}", path));
  }
  ~MapFile() { nc_close(id_); }
  MapFile(const MapFile&) = delete;
  MapFile& operator=(const MapFile&) = delete;

  [[nodiscard]] std::int64_t dimension(const std::string& name) const {
    int dim = 0;
    std::size_t length = 0;
    check_netcdf(nc_inq_dimid(id_, name.c_str(), &dim), formatted("{}: dimension {}", path_, name));
    check_netcdf(nc_inq_dimlen(id_, dim, &length), formatted("{}: dimension {}", path_, name));
    return static_cast<std::int64_t>(length);
  }

  [[nodiscard]] Extents variable(const std::string& name, std::int64_t length) const {
    int var = 0;
    Extents values(length);
    check_netcdf(nc_inq_varid(id_, name.c_str(), &var), formatted("{}: variable {}", path_, name));
    if (length == 0) return values;
    std::vector<long long> read(length);
    check_netcdf(nc_get_var_longlong(id_, var, read.data()), formatted("{}: variable {}", path_, name));
    std::copy(read.begin(), read.end(), values.begin());
    return values;
  }

  [[nodiscard]] Extents attribute(const std::string& name) const {
    std::size_t length = 0;
    check_netcdf(nc_inq_attlen(id_, NC_GLOBAL, name.c_str(), &length), formatted("{}: attribute {}", path_, name));
    std::vector<long long> read(length);
    check_netcdf(nc_get_att_longlong(id_, NC_GLOBAL, name.c_str(), read.data()),
                 formatted("{}: attribute {}", path_, name));
    return {read.begin(), read.end()};
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int id_ = -1;
};

void check_run(const MapFile& map, const std::string& decomposition, Run run, std::int64_t elements) {
  if (run.offset >= 0 && run.length > 0 && run.offset + run.length <= elements) return;
  throw BenchError(formatted("{}: {} has a run of {} elements at offset {} outside its {} elements; repair the map",
                             map.path(), decomposition, run.length, run.offset, elements));
}

Decomposition read_decomposition(const MapFile& map, int number, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const std::string name = std::string("D").append(std::to_string(number));
  const std::int64_t map_ranks = map.dimension("decomp_nprocs");
  const std::int64_t total = map.dimension(name + ".total_nreqs");
  const Extents nreqs = map.variable(name + ".nreqs", map_ranks);
  const Extents fill_starts = map.variable(name + ".fill_starts", map_ranks);
  const Extents offsets = map.variable(name + ".offsets", total);
  const Extents lengths = map.variable(name + ".lengths", total);

  Decomposition part;
  part.is_map = true;
  part.shape = map.attribute(name + ".dims");
  const std::int64_t elements = product(part.shape);
  part.held.assign(elements, false);
  std::int64_t covered = 0;
  std::int64_t first = 0;
  for (std::int64_t owner = 0; owner < map_ranks; first += nreqs[owner++]) {
    for (std::int64_t i = first; i < std::min(total, first + std::min(nreqs[owner], fill_starts[owner])); ++i) {
      const Run run{offsets[i], lengths[i]};
      check_run(map, name, run, elements);
      if (owner % ranks == rank) part.runs.push_back(run);
      std::fill_n(part.held.begin() + run.offset, run.length, true);
      covered += run.length;
    }
  }
  if (covered == elements) part.held.clear();
  return part;
}

// What the header's lengths become when the map is `factor` times smaller: a length that the map knows stays.
Extents shrink(const Extents& lengths, std::int64_t factor, const std::set<std::int64_t>& known) {
  Extents shrunk = lengths;
  for (std::int64_t& length : shrunk) {
    if (!known.contains(length) && known.contains(length / factor)) length /= factor;
  }
  return shrunk;
}

Extents lengths_of(const Header& header) {
  Extents lengths;
  for (const Dimension& dimension : header.dimensions) lengths.push_back(dimension.length);
  return lengths;
}

// The dimensions of the header's variables without the record dimension, each combination once.
std::set<std::vector<int>> combinations(const Header& header) {
  std::set<std::vector<int>> dims;
  for (const Variable& variable : header.variables) {
    dims.insert({variable.dims.begin() + (variable.record ? 1 : 0), variable.dims.end()});
  }
  return dims;
}

std::set<std::int64_t> known_lengths(const std::vector<Decomposition>& parts) {
  std::set<std::int64_t> known;
  for (const Decomposition& part : parts) known.insert(part.shape.begin(), part.shape.end());
  return known;
}

// The smallest common factor under which most combinations of dimensions find a decomposition.
std::int64_t common_factor(const Header& header, const std::vector<Decomposition>& parts) {
  const Extents lengths = lengths_of(header);
  const std::set<std::int64_t> known = known_lengths(parts);
  const auto dims = combinations(header);
  std::set<Extents> shapes;
  for (const Decomposition& part : parts) shapes.insert(part.shape);
  std::int64_t best = 1;
  std::int64_t best_matches = -1;
  for (std::int64_t factor = 1; factor <= *std::max_element(lengths.begin(), lengths.end()); ++factor) {
    const Extents shrunk = shrink(lengths, factor, known);
    const auto matches = std::count_if(dims.begin(), dims.end(), [&](const std::vector<int>& combination) {
      Extents shape;
      for (const int dim : combination) shape.push_back(shrunk[dim]);
      return shapes.contains(shape);
    });
    if (matches > best_matches) {
      best = factor;
      best_matches = matches;
    }
  }
  return best;
}

int choose_decomposition(const Workload& work, const Variable& variable) {
  const Extents shape = work.shape(variable);
  int chosen = Variable::rank_zero_alone;
  for (std::size_t i = 0; i < work.decompositions.size(); ++i) {
    if (work.decompositions[i].shape != shape) continue;
    chosen = static_cast<int>(i);
    if (!variable.record) break;
  }
  return chosen;
}

Header read_header(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    throw BenchError(formatted("the header {} cannot be read; give the output of `ncdump -h` as --header", path));
  Header header = parse_cdl(text.str(), path);
  if (header.dimensions.empty())
    throw BenchError(formatted("{}: the header has no dimensions; nothing could be decomposed", path));
  return header;
}

// Every n-th variable, so that a fraction `scale` of each kind remains.
std::vector<Variable> sample(std::vector<Variable> variables, double scale) {
  std::vector<Variable> kept;
  double credit = 1.0 - scale;
  for (Variable& variable : variables) {
    credit += scale;
    if (credit < 1.0) continue;
    credit -= 1.0;
    kept.push_back(std::move(variable));
  }
  return kept;
}

}  // namespace

Workload make_map(const WorkloadRequest& request, MPI_Comm comm) {
  if (request.map_path.empty() || request.header_path.empty()) {
    throw BenchError("workload \"map\" replays files of the user; name them with --map FILE and --header FILE");
  }
  if (request.scale > 1.0) throw BenchError("workload \"map\" has the map's size; take a --scale of at most 1");
  Header header = read_header(request.header_path);
  const MapFile map(request.map_path);

  Workload work;
  work.records = request.records;
  const std::int64_t count = map.dimension("num_decomp");
  for (int number = 1; number <= count; ++number) work.decompositions.push_back(read_decomposition(map, number, comm));

  const std::int64_t factor = common_factor(header, work.decompositions);
  const Extents lengths = shrink(lengths_of(header), factor, known_lengths(work.decompositions));
  for (std::size_t i = 0; i < lengths.size(); ++i) header.dimensions[i].length = lengths[i];
  work.dimensions = std::move(header.dimensions);
  work.attributes = std::move(header.attributes);
  work.variables = sample(std::move(header.variables), request.scale);
  for (Variable& variable : work.variables) variable.decomposition = choose_decomposition(work, variable);
  return work;
}

}  // namespace weir::bench
