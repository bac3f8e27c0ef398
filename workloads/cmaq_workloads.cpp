// SPDX-License-Identifier: Apache-2.0
// The workloads of CMAQ, as IOAPI writes them: every variable is (TSTEP, LAY, ROW, COL) of float32, beside TFLAG with
// the date and time of each variable's step, which one rank knows. Columns and rows are decomposed, layers and species
// are not.
//   cmaq-ca, cmaq-eus, cmaq-conus  Wong et al. 2015, section 4: three steps of reading, computing and writing, on
//              89 x 134, 279 x 299 and 459 x 299 (columns x rows) with 35 layers and 146 species.
//   cmaq-app   the same, the application: 423 x 594 x 14 x 142, a day of hourly output.
//   cmaq-2km   Kordenbrock & Oldfield 2006, section 4: 24 hourly steps. The paper says that the writes are small and
//   names
//              the data set, 2km_ppm_aero3, but no sizes: 66 x 66 x 6 with 68 species are this program's choice, which
//              gives writes of 6.5 KB a rank and variable on 16 ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "check.hpp"
#include "grid.hpp"
#include "workload.hpp"

namespace weir::bench {
namespace {

struct CmaqDomain {
  std::int64_t columns, rows, layers;
  int species;
  bool reads;
};

CmaqDomain cmaq_domain(const WorkloadRequest& request) {
  static const std::map<std::string, CmaqDomain> domains = {{"cmaq-ca", {89, 134, 35, 146, true}},
                                                            {"cmaq-eus", {279, 299, 35, 146, true}},
                                                            {"cmaq-conus", {459, 299, 35, 146, true}},
                                                            {"cmaq-app", {423, 594, 14, 142, false}},
                                                            {"cmaq-2km", {66, 66, 6, 68, false}}};
  CmaqDomain domain = domains.at(request.name);
  domain.columns = scaled(domain.columns, std::sqrt(request.scale));
  domain.rows = scaled(domain.rows, std::sqrt(request.scale));
  return domain;
}

// Processes 4 x 4, 4 x 8, 8 x 8, ... (columns x rows), as in the paper: never more columns of them than rows.
Decomposition columns_and_rows(const CmaqDomain& domain, MPI_Comm comm) {
  const RankPosition place = place_in(comm);
  std::array<int, 2> processes{};  // rows, columns: MPI puts the larger number first
  check_mpi(MPI_Dims_create(place.ranks, 2, processes.data()), "MPI_Dims_create");
  const Share rows = share(domain.rows, processes[0], place.rank / processes[1]);
  const Share columns = share(domain.columns, processes[1], place.rank % processes[1]);
  Decomposition part;
  part.shape = {domain.layers, domain.rows, domain.columns};
  part.order = {0, 1, 2};
  part.start = {0, rows.start, columns.start};
  part.count = {domain.layers, rows.count, columns.count};
  if (part.length() == 0) part.start = part.count = {0, 0, 0};
  return part;
}

}  // namespace

Workload make_cmaq(const WorkloadRequest& request, MPI_Comm comm) {
  const CmaqDomain domain = cmaq_domain(request);
  Workload work;
  work.records = request.records;
  work.reads = domain.reads;
  work.dimensions = {
      {"TSTEP", 0},    {"LAY", domain.layers}, {"ROW", domain.rows}, {"COL", domain.columns}, {"VAR", domain.species},
      {"DATE-TIME", 2}};
  work.decompositions = {columns_and_rows(domain, comm)};
  work.variables.push_back({"TFLAG", WEIR_INT, {0, 4, 5}, true, Variable::rank_zero_alone, {}});
  for (int i = 0; i < domain.species; ++i) {
    work.variables.push_back({numbered("SPECIES", i, domain.species), WEIR_FLOAT, {0, 1, 2, 3}, true, 0, {}});
  }
  return work;
}

}  // namespace weir::bench
