// SPDX-License-Identifier: Apache-2.0
#include "simulate/profile.hpp"

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "simulate/profile_number.hpp"

namespace weir::simulate {

namespace {

// A node of the file with its name: "storage.rate". Everything wrong is told with the name and the line.
class ProfileNode {
 public:
  ProfileNode(YAML::Node node, std::string name, const std::string& origin)
      : node_(std::move(node)), name_(std::move(name)), origin_(origin) {}

  [[noreturn]] void reject(const std::string& sentence) const {
    const int line = node_.IsDefined() ? node_.Mark().line + 1 : 0;
    throw Error(WEIR_ECONFIG, "{}{} ({}{})", name_.empty() ? "" : name_ + ": ", sentence, origin_,
                line > 0 ? formatted(", line {}", line) : "");
  }

  bool there() const { return node_.IsDefined() && !node_.IsNull(); }
  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }
  std::size_t size() const { return node_.size(); }
  ProfileNode operator[](std::size_t i) const { return {node_[i], formatted("{}[{}]", name_, i), origin_}; }

  // A key, which may be missing.
  ProfileNode operator[](const std::string& key) const {
    return {node_.IsMap() ? node_[key] : YAML::Node(YAML::NodeType::Undefined), name_.empty() ? key : name_ + "." + key,
            origin_};
  }

  // A map with none but these keys.
  void expect_map(const std::vector<std::string_view>& keys) const {
    if (!there()) reject("is missing: docs/machines.md tells what belongs there");
    if (!is_map()) reject(formatted("is not a map; give the keys {}", join_words(keys)));
    for (const auto& entry : node_) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      const auto nearest = nearest_word(key, keys);
      reject(formatted(
          "unknown key \"{}\"{}", key,
          nearest ? formatted(": did you mean \"{}\"?", *nearest) : formatted(": the keys are {}", join_words(keys))));
    }
  }

  std::string text() const {
    if (!there()) reject("is missing: docs/machines.md tells what belongs there");
    if (!node_.IsScalar()) reject("expected a single value, found a list or map");
    return node_.Scalar();
  }

  template <class Read>
  auto read(Read&& reader) const {
    const std::string word = text();
    try {
      return reader(word);
    } catch (const Error& error) {
      reject(error.what());
    }
  }

 private:
  YAML::Node node_;
  std::string name_;
  const std::string& origin_;
};

double number(const ProfileNode& part, const Range& range) {
  return part.read([&](const std::string& text) { return parse_number(text, range); });
}

std::int64_t whole(const ProfileNode& part, double least, double most) {
  const double value = number(part, {Unit::share, least, most});
  if (value != static_cast<double>(static_cast<std::int64_t>(value))) part.reject("is not a whole number");
  return static_cast<std::int64_t>(value);
}

std::int64_t size_of(const ProfileNode& part) {
  return static_cast<std::int64_t>(number(part, sizes));
}

bool flag(const ProfileNode& part) {
  const std::string text = part.text();
  if (text != "true" && text != "false") part.reject(formatted("\"{}\" is neither true nor false", text));
  return text == "true";
}

Estimate estimate_in(const ProfileNode& part, const Range& range) {
  Estimate found;
  found.value = number(part["value"], range);
  const ProfileNode low = part["low"], high = part["high"], source = part["source"];
  found.low = low.there() ? number(low, range) : found.value;
  found.high = high.there() ? number(high, range) : found.value;
  if (found.low > found.value || found.high < found.value) part.reject("value is not between low and high");
  if (source.there()) found.source = source.read([](const std::string& text) { return parse_source(text); });
  return found;
}

Estimate estimate(const ProfileNode& part, const Range& range) {
  if (part.is_map()) {
    part.expect_map({"value", "low", "high", "source", "note"});
    return estimate_in(part, range);
  }
  const double value = number(part, range);
  return {value, value, value, Source::assumed};
}

Estimate estimate_or(const ProfileNode& part, const Range& range, double otherwise) {
  if (!part.there()) return {otherwise, otherwise, otherwise, Source::assumed};
  return estimate(part, range);
}

Curve curve(const ProfileNode& part, const Range& range) {
  if (!part.is_list()) return Curve({{1, estimate(part, range)}});
  if (part.size() == 0) part.reject("has no points: give at least one, as {at: 1, value: 2GB/s}");
  std::vector<Curve::Point> points;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const ProfileNode point = part[i];
    point.expect_map({"at", "value", "low", "high", "source", "note"});
    const auto at = static_cast<double>(whole(point["at"], 1, 1e9));
    if (!points.empty() && at <= points.back().at) point.reject("points must ascend by \"at\"");
    points.push_back({at, estimate_in(point, range)});
  }
  return Curve(std::move(points));
}

Link link(const ProfileNode& part) {
  part.expect_map({"latency", "overhead", "bandwidth"});
  return {estimate(part["latency"], latencies), estimate_or(part["overhead"], latencies, 0),
          curve(part["bandwidth"], rates)};
}

Stripes stripes(const ProfileNode& part) {
  Stripes found;
  if (!part.there()) return found;
  part.expect_map({"servers", "count", "size", "told", "server_bandwidth", "request", "lock"});
  found.servers = whole(part["servers"], 1, 1e6);
  found.count = whole(part["count"], 1, 1e6);
  if (found.count > found.servers) part["count"].reject("a file cannot lie on more servers than there are");
  found.size = size_of(part["size"]);
  found.told = !part["told"].there() || flag(part["told"]);
  found.server_bandwidth = estimate(part["server_bandwidth"], rates);
  found.request = estimate_or(part["request"], latencies, 0);
  found.lock = estimate_or(part["lock"], latencies, 0);
  return found;
}

// Between points a curve has a logarithm; one number may be 0.
Curve pieces(const ProfileNode& part) {
  if (!part.there()) return Curve({Curve::Point{1, Estimate{}}});
  return curve(part, part.is_list() ? Range{Unit::seconds, 1e-12, 1} : latencies);
}

StorageSpeed storage(const ProfileNode& part) {
  part.expect_map(
      {"shared", "coherent", "rate", "together", "total", "piece", "processor", "stripes", "create", "commit"});
  StorageSpeed found;
  found.shared = flag(part["shared"]);
  found.coherent = flag(part["coherent"]);
  found.rate = curve(part["rate"], rates);
  found.together = part["together"].there() ? curve(part["together"], {Unit::share, 0.001, 1})
                                            : Curve({{1, {1, 1, 1, Source::assumed}}});
  found.total = estimate_or(part["total"], rates, 0);
  found.piece = pieces(part["piece"]);
  found.processor = estimate_or(part["processor"], rates, 0);
  found.stripes = stripes(part["stripes"]);
  found.create = estimate_or(part["create"], delays, 0);
  found.commit = estimate_or(part["commit"], delays, 0);
  return found;
}

TwoPhase two_phase(const ProfileNode& part) {
  TwoPhase found;
  if (!part.there()) return found;
  part.expect_map({"aggregators", "buffer", "rank", "piece"});
  if (const ProfileNode kind = part["aggregators"]; kind.there()) {
    const std::string text = kind.text();
    if (text == "stripe") {
      found.aggregators = TwoPhase::Aggregators::stripe;
    } else if (text != "node") {
      found.aggregators = TwoPhase::Aggregators::count;
      found.count = whole(kind, 1, 1e6);
    }
  }
  if (part["buffer"].there()) found.buffer = size_of(part["buffer"]);
  found.rank = estimate_or(part["rank"], latencies, 0);
  found.piece = estimate_or(part["piece"], latencies, 0);
  return found;
}

Squeezing squeezing(const ProfileNode& part) {
  Squeezing found;
  if (!part.there()) return found;
  part.expect_map({"rate", "ratio"});
  found.rate = curve(part["rate"], rates);
  found.ratio = curve(part["ratio"], ratios);
  return found;
}

FormatCost format_cost(const ProfileNode& part, const char* piece) {
  FormatCost found;
  if (!part.there()) return found;
  part.expect_map({"create", "create_variable", "commit", "commit_variable", piece});
  found.create = estimate(part["create"], delays);
  found.create_variable = estimate_or(part["create_variable"], delays, 0);
  found.commit = estimate(part["commit"], delays);
  found.commit_variable = estimate_or(part["commit_variable"], delays, 0);
  found.piece = estimate_or(part[piece], latencies, 0);
  return found;
}

PackingSpeed packing(const ProfileNode& part) {
  PackingSpeed found;
  if (!part.there()) return found;
  part.expect_map({"plain", "zlib", "zstd", "netcdf4", "zarr"});
  found.plain = estimate_or(part["plain"], rates, 0);
  found.zlib = squeezing(part["zlib"]);
  found.zstd = squeezing(part["zstd"]);
  found.netcdf4 = format_cost(part["netcdf4"], "chunk");
  found.zarr = format_cost(part["zarr"], "file");
  found.netcdf4_known = part["netcdf4"].there();
  found.zarr_known = part["zarr"].there();
  return found;
}

void check_version(const ProfileNode& root) {
  const ProfileNode version = root["weir_machine"];
  if (!version.there())
    root.reject(formatted("this is no profile of a machine: its first key is weir_machine: {}", profile_version));
  const std::int64_t found = whole(version, 1, 1e6);
  if (found < profile_version)
    version.reject(formatted(
        "the profile is of version {}, which is not read any more: measure the machine again with weir profile",
        found));
  if (found > profile_version)
    version.reject(formatted("the profile is of version {}, and this Weir reads version {}: take the Weir that made it",
                             found, profile_version));
}

Profile profile_of(const ProfileNode& root) {
  if (!root.is_map()) root.reject("this is no profile of a machine: it does not hold keys and values");
  check_version(root);
  root.expect_map({"weir_machine", "name", "about", "measured", "nodes", "copy", "network", "storage", "two_phase",
                   "packing", "compute", "control"});
  Profile profile;
  profile.name = root["name"].text();
  if (root["about"].there()) profile.about = root["about"].text();
  if (root["measured"].there()) profile.measured = root["measured"].text();
  const ProfileNode nodes = root["nodes"], network = root["network"];
  nodes.expect_map({"count", "cores", "memory", "source"});
  if (nodes["count"].there()) profile.nodes = whole(nodes["count"], 1, 1e7);
  profile.cores = static_cast<int>(whole(nodes["cores"], 1, 1e5));
  profile.memory = size_of(nodes["memory"]);
  root["copy"].expect_map({"bandwidth"});
  profile.copy = curve(root["copy"]["bandwidth"], rates);
  network.expect_map({"within", "between", "total", "eager"});
  profile.within = link(network["within"]);
  profile.between = network["between"].there() ? link(network["between"]) : profile.within;
  profile.network_total = estimate_or(network["total"], rates, 0);
  if (network["eager"].there()) profile.eager = size_of(network["eager"]);
  profile.storage = storage(root["storage"]);
  profile.two_phase = two_phase(root["two_phase"]);
  profile.packing = packing(root["packing"]);
  if (root["compute"].there()) {
    root["compute"].expect_map({"spread"});
    profile.compute_spread = estimate(root["compute"]["spread"], shares);
  }
  if (root["control"].there()) {
    root["control"].expect_map({"message"});
    profile.control = estimate(root["control"]["message"], latencies);
  }
  return profile;
}

}  // namespace

Profile parse_profile(const std::string& text, const std::string& origin) {
  try {
    return profile_of(ProfileNode(YAML::Load(text), "", origin));
  } catch (const YAML::Exception& error) {
    throw Error(WEIR_ECONFIG, "{} is not YAML: {} at line {}", origin, error.msg, error.mark.line + 1);
  }
}

Profile read_profile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  require(stream.good() || stream.eof(), WEIR_ECONFIG,
          "the profile \"{}\" cannot be read: give the path of a profile, as weir profile makes one of this machine",
          path);
  return parse_profile(text, path);
}

}  // namespace weir::simulate
