// SPDX-License-Identifier: Apache-2.0
#include "smpi/platform.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

namespace weir::simgrid {

namespace {

struct LinkSpeed {
  double bandwidth, latency;
};

void write_link(std::ostream& out, const std::string& name, const LinkSpeed& speed) {
  out << "  <link id=\"" << name << "\" bandwidth=\"" << speed.bandwidth << "Bps\" latency=\"" << speed.latency
      << "s\"/>\n";
}

void write_route(std::ostream& out, const std::string& from, const std::string& to,
                 const std::vector<std::string>& links) {
  out << "  <route src=\"" << from << "\" dst=\"" << to << "\" symmetrical=\"NO\">";
  for (const std::string& link : links) out << "<link_ctn id=\"" << link << "\"/>";
  out << "</route>\n";
}

std::string numbered(const char* what, int number) {
  return what + std::to_string(number);
}

void write_node(std::ostream& out, const simulate::Profile& profile, int node) {
  const double alone = profile.copy(1), all = profile.copy.largest();
  const auto cores = std::max<long>(1, std::lround(all / alone));
  out << "  <host id=\"" << numbered("node", node) << "\" speed=\"" << all / static_cast<double>(cores) << "f\" core=\""
      << cores << "\"/>\n";
  const double between = profile.between.bandwidth(1), half = profile.between.latency.value / 2;
  write_link(out, numbered("out", node), {between, half});
  write_link(out, numbered("in", node), {between, half});
  write_link(out, numbered("within", node),
             {std::min(profile.within.bandwidth.largest(), all / 2), profile.within.latency.value});
}

}  // namespace

void write_platform(std::ostream& out, const simulate::Profile& profile, int nodes) {
  out.precision(12);
  out << "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      << "<platform version=\"4.1\">\n <zone id=\"machine\" routing=\"Full\">\n";
  const double total = profile.network_total.value;
  for (int node = 0; node < nodes; ++node) write_node(out, profile, node);
  if (total > 0) write_link(out, "network", {total, 0});
  for (int from = 0; from < nodes; ++from)
    for (int to = 0; to < nodes; ++to) {
      if (from == to) {
        write_route(out, numbered("node", from), numbered("node", to), {numbered("within", from)});
        continue;
      }
      std::vector<std::string> links{numbered("out", from), numbered("in", to)};
      if (total > 0) links.insert(links.begin() + 1, "network");
      write_route(out, numbered("node", from), numbered("node", to), links);
    }
  out << " </zone>\n</platform>\n";
}

void write_hosts(std::ostream& out, int ranks, int ranks_per_node) {
  for (int rank = 0; rank < ranks; ++rank) out << "node" << rank / ranks_per_node << "\n";
}

}  // namespace weir::simgrid
