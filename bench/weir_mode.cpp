// SPDX-License-Identifier: Apache-2.0
// Weir's strategies as modes, through the C interface a model uses. One instance serves all repeats, as in a model that
// writes again and again. Settings are configuration keys; "hints.KEY" reaches into the map of hints.
#include <weir/weir.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/config.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "merge_parts.hpp"
#include "mode.hpp"
#include "weir_plans.hpp"

namespace weir::bench {

std::string configuration_of(const ModeSpec& spec, const Settings& hints, const std::string& configuration) {
  YAML::Node root = YAML::Load(configuration);
  for (const auto& [key, value] : hints) root["hints"][key] = value;
  for (const auto& [key, value] : spec.settings) {
    if (key.starts_with("hints.")) {
      root["hints"][key.substr(6)] = value;
    } else {
      root[key] = value;
    }
  }
  root["strategy"] = spec.name;
  return YAML::Dump(root) + "\n";
}

namespace {

// A running Weir, and the communicator it gave to the model: both empty on a rank that it had reserved.
class Handles {
 public:
  Handles(const std::string& configuration, MPI_Comm start) {
    if (weir_init(start, configuration.c_str(), &model_, &weir_) != WEIR_OK) throw AgreedError(weir_init_error());
  }

  ~Handles() {
    if (weir_) weir_finalize(&weir_);
    if (model_ != MPI_COMM_NULL) MPI_Comm_free(&model_);
  }

  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  [[nodiscard]] weir_t* weir() const { return weir_; }
  [[nodiscard]] MPI_Comm model() const { return model_; }

 private:
  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
};

// An instance of Weir with a layout for each decomposition of the workload.
class Instance {
 public:
  Instance(const ModeSpec& spec, const Scene& scene)
      : handles_(configuration_of(spec, scene.hints, scene.configuration), scene.start), weir_(handles_.weir()) {
    require_model(scene.comm);
    for (const Decomposition& part : scene.work.decompositions) layouts_.push_back(define_layout(part));
  }

  [[nodiscard]] weir_t* get() const { return weir_; }
  [[nodiscard]] int layout(int decomposition) const { return layouts_[decomposition]; }

  void check(int code, const std::string& what) const {
    if (code != WEIR_OK) throw AgreedError(what + ": " + weir_error(weir_));
  }

  nlohmann::ordered_json report() const {
    const char* text = nullptr;
    check(weir_report(weir_, &text), "weir_report");
    return nlohmann::ordered_json::parse(text);
  }

 private:
  // Weir leaves the model those ranks that the workload was made for.
  void require_model(MPI_Comm comm) const {
    int ranks = 0, given = 0;
    check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    check_mpi(MPI_Comm_size(handles_.model(), &given), "MPI_Comm_size");
    if (given != ranks) {
      throw AgreedError(formatted("Weir left the model {} ranks, not {}", given, ranks));
    }
  }

  int define_layout(const Decomposition& part) const {
    const int ndims = static_cast<int>(part.shape.size());
    int layout = 0;
    if (part.is_map) {
      std::vector<std::int64_t> offsets;
      for (const Run& run : part.runs) {
        for (std::int64_t i = 0; i < run.length; ++i) offsets.push_back(run.offset + i);
      }
      check(weir_def_layout_map(weir_, ndims, part.shape.data(), std::ssize(offsets), offsets.data(), &layout),
            "weir_def_layout_map");
    } else {
      const int boxes = part.length() > 0 ? 1 : 0;
      check(weir_def_layout(weir_, ndims, part.shape.data(), boxes, part.start.data(), part.count.data(),
                            part.order.data(), &layout),
            "weir_def_layout");
    }
    return layout;
  }

  Handles handles_;
  weir_t* weir_;
  std::vector<int> layouts_;
};

// A workload's file, open for writing in Weir.
class OutputFile {
 public:
  OutputFile(const Instance& instance, const Workload& work, const std::string& path) : instance_(instance) {
    instance.check(weir_create(instance.get(), path.c_str(), WEIR_CLOBBER | WEIR_CDF5, &file_), "weir_create");
    define(work);
    check(weir_enddef(file_), "weir_enddef");
  }

  ~OutputFile() {
    if (file_) weir_close(file_);
  }

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] weir_file* get() const { return file_; }
  [[nodiscard]] int variable(int v) const { return variables_[v]; }

  void put(const Scene& scene, Field field) const {
    const Variable& variable = scene.work.variables[field.variable];
    const std::byte* values = scene.data.at(field.variable, field.record);
    const int var = variables_[field.variable];
    const int code =
        scene.work.part(variable)
            ? weir_put(file_, var, field.record, instance_.layout(variable.decomposition), variable.type, values)
            : weir_put_var(file_, var, field.record, variable.type, values);
    check(code, formatted("putting {}", variable.name));
  }

  void check(int code, const std::string& what) const {
    if (code != WEIR_OK) throw AgreedError(what + ": " + weir_file_error(file_));
  }

  void close() {
    weir_file* file = file_;
    file_ = nullptr;
    if (weir_close(file) != WEIR_OK) throw AgreedError(formatted("weir_close: {}", weir_error(instance_.get())));
  }

 private:
  void define(const Workload& work) {
    std::vector<int> dimensions;
    for (const Dimension& dimension : work.dimensions) {
      dimensions.push_back(0);
      const std::int64_t length = dimension.length == 0 ? WEIR_UNLIMITED : dimension.length;
      check(weir_def_dim(file_, dimension.name.c_str(), length, &dimensions.back()),
            formatted("weir_def_dim {}", dimension.name));
    }
    for (const Variable& variable : work.variables) {
      std::vector<int> dims;
      for (const int dim : variable.dims) dims.push_back(dimensions[dim]);
      variables_.push_back(0);
      check(weir_def_var(file_, variable.name.c_str(), variable.type, static_cast<int>(dims.size()), dims.data(),
                         &variables_.back()),
            formatted("weir_def_var {}", variable.name));
      put_attributes(variables_.back(), variable.attributes);
    }
    put_attributes(WEIR_GLOBAL, work.attributes);
  }

  void put_attributes(int variable, const std::vector<Attribute>& attributes) {
    for (const Attribute& attribute : attributes) {
      check(weir_put_att(file_, variable, attribute.name.c_str(), attribute.type, attribute.count,
                         attribute.values.data()),
            formatted("weir_put_att {}", attribute.name));
    }
  }

  const Instance& instance_;
  weir_file* file_ = nullptr;
  std::vector<int> variables_;
};

class WeirMode final : public Mode {
 public:
  WeirMode(const ModeSpec& spec, const Scene& scene) : Mode(scene), spec_(spec) {
    if (std::getenv("WEIR_STRATEGY")) {
      throw BenchError("WEIR_STRATEGY is set and would overrule the modes; unset it");
    }
  }

  void prepare() override { instance_ = std::make_unique<Instance>(spec_, scene()); }

  void begin(const std::string& path) override { file_ = std::make_unique<OutputFile>(*instance_, work(), path); }

  void put_fixed() override {
    for (const int v : variables(false)) file_->put(scene(), {v, 0});
  }

  void put_record(std::int64_t record) override {
    for (const int v : variables(true)) file_->put(scene(), {v, record});
  }

  void end() override {
    file_->close();
    file_.reset();
  }

  std::optional<bool> verify(const std::string& path, std::string& why) override {
    if (std::filesystem::is_directory(path)) {
      why = "not read back: netCDF does not read Zarr folders";
      return std::nullopt;
    }
    if (!spec_.name.starts_with("file_per_")) return Mode::verify(path, why);
    const std::string merged = path + ".merged";
    if (!merge_parts(path, merged, scene().comm, why)) return std::nullopt;
    return Mode::verify(merged, why);
  }

  nlohmann::ordered_json report() override { return instance_->report(); }

 private:
  ModeSpec spec_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<OutputFile> file_;  // goes before the instance
};

}  // namespace

std::unique_ptr<Mode> make_weir_mode(const ModeSpec& spec, const Scene& scene) {
  return std::make_unique<WeirMode>(spec, scene);
}

int reserved_ranks(const ModeSpec& spec, const Settings& hints, const std::string& configuration) {
  try {
    return reserved_ranks(load_config(configuration_of(spec, hints, configuration).c_str()));
  } catch (const Error&) {
    return 0;
  }
}

void serve_reserved(const ModeSpec& spec, const Settings& hints, const std::string& configuration, MPI_Comm start) {
  try {
    const Handles served(configuration_of(spec, hints, configuration), start);
  } catch (const AgreedError&) {
    // The model's ranks got the same error, and tell it.
  }
}

nlohmann::ordered_json weir_plans(const ModeSpec& spec, const Scene& scene, const std::string& path) {
  const Instance instance(spec, scene);
  const OutputFile file(instance, scene.work, path);
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  std::set<std::pair<int, int>> seen;
  for (std::size_t v = 0; v < scene.work.variables.size(); ++v) {
    const Variable& variable = scene.work.variables[v];
    if (!scene.work.part(variable)) continue;
    if (!seen.insert({variable.decomposition, type_bytes(variable.type)}).second) continue;
    const char* text = nullptr;
    file.check(
        weir_plan(file.get(), file.variable(static_cast<int>(v)), instance.layout(variable.decomposition), &text),
        formatted("weir_plan {}", variable.name));
    plans.push_back({{"mode", spec.text},
                     {"variable", variable.name},
                     {"shape", scene.work.shape(variable)},
                     {"plan", nlohmann::ordered_json::parse(text)}});
  }
  return plans;
}

}  // namespace weir::bench
