// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "workloads/parts.hpp"

namespace weir::workloads {

namespace {

struct CmaqDomain {
  std::int64_t columns, rows, layers;
  int species;
  bool reads;
};

CmaqDomain cmaq_domain(const Request& request) {
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

}  // namespace

// Processes 4 x 4, 4 x 8, 8 x 8, ... (columns x rows), as in the paper: never more columns of them than rows.
void make_cmaq(Description& work, const Request& request) {
  const CmaqDomain domain = cmaq_domain(request);
  const std::vector<int> grid = balanced_factors(request.ranks, 2);
  work.reads = domain.reads;
  work.dimensions = {
      {"TSTEP", 0},    {"LAY", domain.layers}, {"ROW", domain.rows}, {"COL", domain.columns}, {"VAR", domain.species},
      {"DATE-TIME", 2}};
  work.decompositions = {columns({domain.layers, domain.rows, domain.columns}, grid[0], grid[1])};
  work.variables.push_back({"TFLAG", WEIR_INT, {0, 4, 5}, true, Variable::rank_zero_alone});
  add_numbered(work, "SPECIES", domain.species, {"", WEIR_FLOAT, {0, 1, 2, 3}, true, 0});
}

}  // namespace weir::workloads
