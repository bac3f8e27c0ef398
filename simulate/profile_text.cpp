// SPDX-License-Identifier: Apache-2.0
#include "simulate/profile_text.hpp"

#include <yaml-cpp/yaml.h>

#include "base/text.hpp"
#include "simulate/profile_number.hpp"

namespace weir::simulate {

namespace {

using YAML::Emitter;

void put_estimate(Emitter& out, const Estimate& number, Unit unit) {
  out << YAML::Key << "value" << YAML::Value << show_number(number.value, unit);
  if (number.low < number.value) out << YAML::Key << "low" << YAML::Value << show_number(number.low, unit);
  if (number.high > number.value) out << YAML::Key << "high" << YAML::Value << show_number(number.high, unit);
  out << YAML::Key << "source" << YAML::Value << std::string(name(number.source));
}

// Left out where it is 0, which is what a missing one counts as.
void put(Emitter& out, const char* key, const Estimate& number, Unit unit) {
  if (number.value == 0 && number.high == 0) return;
  out << YAML::Key << key << YAML::Value << YAML::Flow << YAML::BeginMap;
  put_estimate(out, number, unit);
  out << YAML::EndMap;
}

void put(Emitter& out, const char* key, const Curve& curve, Unit unit) {
  if (curve.empty()) return;
  out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
  for (const Curve::Point& point : curve.points()) {
    out << YAML::Flow << YAML::BeginMap << YAML::Key << "at" << YAML::Value << static_cast<std::int64_t>(point.at);
    put_estimate(out, point.rate, unit);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
}

// A size that is exact: "64MiB", "1000B".
void put_size(Emitter& out, const char* key, std::int64_t bytes) {
  const std::string text = show_bytes(bytes);
  const bool bare = text.find_first_not_of("0123456789") == text.npos;
  out << YAML::Key << key << YAML::Value << (bare ? text + "B" : text);
}

void put(Emitter& out, const char* key, const Link& link) {
  out << YAML::Key << key << YAML::Value << YAML::BeginMap;
  // Required, so never left out.
  out << YAML::Key << "latency" << YAML::Value << YAML::Flow << YAML::BeginMap;
  put_estimate(out, link.latency, Unit::seconds);
  out << YAML::EndMap;
  put(out, "overhead", link.overhead, Unit::seconds);
  put(out, "bandwidth", link.bandwidth, Unit::bytes_a_second);
  out << YAML::EndMap;
}

void begin(Emitter& out, const char* key) {
  out << YAML::Key << key << YAML::Value << YAML::BeginMap;
}

void put_stripes(Emitter& out, const Stripes& stripes) {
  if (stripes.servers == 0) return;
  begin(out, "stripes");
  out << YAML::Key << "servers" << YAML::Value << stripes.servers;
  out << YAML::Key << "count" << YAML::Value << stripes.count;
  put_size(out, "size", stripes.size);
  out << YAML::Key << "told" << YAML::Value << stripes.told;
  put(out, "server_bandwidth", stripes.server_bandwidth, Unit::bytes_a_second);
  put(out, "request", stripes.request, Unit::seconds);
  put(out, "lock", stripes.lock, Unit::seconds);
  out << YAML::EndMap;
}

void put_storage(Emitter& out, const StorageSpeed& storage) {
  begin(out, "storage");
  out << YAML::Key << "shared" << YAML::Value << storage.shared;
  out << YAML::Key << "coherent" << YAML::Value << storage.coherent;
  put(out, "rate", storage.rate, Unit::bytes_a_second);
  put(out, "together", storage.together, Unit::share);
  put(out, "total", storage.total, Unit::bytes_a_second);
  if (storage.piece.largest() > 0) put(out, "piece", storage.piece, Unit::seconds);
  put(out, "processor", storage.processor, Unit::bytes_a_second);
  put_stripes(out, storage.stripes);
  put(out, "create", storage.create, Unit::seconds);
  put(out, "commit", storage.commit, Unit::seconds);
  out << YAML::EndMap;
}

void put_two_phase(Emitter& out, const TwoPhase& phases) {
  begin(out, "two_phase");
  out << YAML::Key << "aggregators" << YAML::Value;
  switch (phases.aggregators) {
    case TwoPhase::Aggregators::node:
      out << "node";
      break;
    case TwoPhase::Aggregators::stripe:
      out << "stripe";
      break;
    case TwoPhase::Aggregators::count:
      out << phases.count;
      break;
  }
  put_size(out, "buffer", phases.buffer);
  put(out, "rank", phases.rank, Unit::seconds);
  put(out, "piece", phases.piece, Unit::seconds);
  out << YAML::EndMap;
}

// 0 is one of these numbers too.
void put_always(Emitter& out, const char* key, const Estimate& number, Unit unit) {
  out << YAML::Key << key << YAML::Value << YAML::Flow << YAML::BeginMap;
  put_estimate(out, number, unit);
  out << YAML::EndMap;
}

void put_squeezing(Emitter& out, const char* key, const Squeezing& squeezing) {
  if (squeezing.rate.empty()) return;
  begin(out, key);
  put(out, "rate", squeezing.rate, Unit::bytes_a_second);
  put(out, "ratio", squeezing.ratio, Unit::share);
  out << YAML::EndMap;
}

void put_format(Emitter& out, const char* key, const FormatCost& cost, const char* piece) {
  begin(out, key);
  put_always(out, "create", cost.create, Unit::seconds);
  put(out, "create_variable", cost.create_variable, Unit::seconds);
  put_always(out, "commit", cost.commit, Unit::seconds);
  put(out, "commit_variable", cost.commit_variable, Unit::seconds);
  put(out, piece, cost.piece, Unit::seconds);
  out << YAML::EndMap;
}

void put_packing(Emitter& out, const PackingSpeed& packing) {
  const bool compresses = !packing.zlib.rate.empty() || !packing.zstd.rate.empty();
  if (packing.plain.value == 0 && !compresses && !packing.netcdf4_known && !packing.zarr_known) return;
  begin(out, "packing");
  put(out, "plain", packing.plain, Unit::bytes_a_second);
  put_squeezing(out, "zlib", packing.zlib);
  put_squeezing(out, "zstd", packing.zstd);
  if (packing.netcdf4_known) put_format(out, "netcdf4", packing.netcdf4, "chunk");
  if (packing.zarr_known) put_format(out, "zarr", packing.zarr, "file");
  out << YAML::EndMap;
}

void put_nodes(Emitter& out, const Profile& profile) {
  begin(out, "nodes");
  if (profile.nodes > 0) out << YAML::Key << "count" << YAML::Value << profile.nodes;
  out << YAML::Key << "cores" << YAML::Value << profile.cores;
  put_size(out, "memory", profile.memory);
  out << YAML::EndMap;
}

void put_network(Emitter& out, const Profile& profile) {
  begin(out, "network");
  put(out, "within", profile.within);
  if (!profile.between.bandwidth.empty()) put(out, "between", profile.between);
  put(out, "total", profile.network_total, Unit::bytes_a_second);
  put_size(out, "eager", profile.eager);
  out << YAML::EndMap;
}

}  // namespace

std::string profile_text(const Profile& profile) {
  Emitter out;
  out << YAML::BeginMap;
  out << YAML::Key << "weir_machine" << YAML::Value << profile_version;
  out << YAML::Key << "name" << YAML::Value << profile.name;
  if (!profile.about.empty()) out << YAML::Key << "about" << YAML::Value << profile.about;
  if (!profile.measured.empty()) out << YAML::Key << "measured" << YAML::Value << profile.measured;
  put_nodes(out, profile);
  begin(out, "copy");
  put(out, "bandwidth", profile.copy, Unit::bytes_a_second);
  out << YAML::EndMap;
  put_network(out, profile);
  put_storage(out, profile.storage);
  put_two_phase(out, profile.two_phase);
  put_packing(out, profile.packing);
  begin(out, "compute");
  out << YAML::Key << "spread" << YAML::Value << YAML::Flow << YAML::BeginMap;
  put_estimate(out, profile.compute_spread, Unit::share);
  out << YAML::EndMap << YAML::EndMap;
  if (profile.control.value > 0) {
    begin(out, "control");
    put(out, "message", profile.control, Unit::seconds);
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace weir::simulate
