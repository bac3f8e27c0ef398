// SPDX-License-Identifier: Apache-2.0
// weir._simulate: the simulator for Python. Requests and answers are JSON text (simulate/study.hpp); weir.simulation
// has the functions that people call.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "base/host.hpp"
#include "schedule/policy.hpp"
#include "simulate/policy_inputs.hpp"
#include "simulate/profile.hpp"
#include "simulate/study.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/modes.hpp"

namespace nb = nanobind;

namespace {

void add_machine(nb::module_& module) {
  using weir::simulate::Profile;
  nb::class_<Profile>(module, "Profile").def_ro("name", &Profile::name);
  module.def("parse_profile", &weir::simulate::parse_profile, nb::arg("text"), nb::arg("origin"));
}

// schedule/policy.hpp and simulate/policy_inputs.hpp, as the library has them.
void add_policy(nb::module_& module) {
  using weir::Policy;
  using weir::simulate::PolicyState;
  nb::class_<PolicyState>(module, "PolicyState")
      .def(nb::init<>())
      .def_rw("ranks", &PolicyState::ranks)
      .def_rw("ranks_per_node", &PolicyState::ranks_per_node)
      .def_rw("variable_bytes", &PolicyState::variable_bytes)
      .def_rw("compute_seconds", &PolicyState::compute_seconds)
      .def_rw("variables", &PolicyState::variables)
      .def_rw("place", &PolicyState::place)
      .def_rw("puts_left", &PolicyState::puts_left)
      .def_rw("cached", &PolicyState::cached)
      .def_rw("writers_in_use", &PolicyState::writers_in_use);
  module.def("policy_input_names", &weir::simulate::policy_input_names);
  module.def("policy_inputs", &weir::simulate::policy_inputs, nb::arg("profile"), nb::arg("state"));
  nb::class_<Policy>(module, "Policy")
      .def_static("parse", &Policy::parse, nb::arg("text"), nb::arg("origin"))
      .def("choose", [](const Policy& policy, const std::vector<double>& inputs) { return policy.choose(inputs); })
      .def("action", [](const Policy& policy, std::size_t number, int ranks) {
        const weir::PolicyAction action = policy.action(number, ranks);
        return nb::make_tuple(action.flush, action.writers, action.wait_rounds);
      });
  module.attr("policy_version") = weir::policy_version;
}

}  // namespace

NB_MODULE(_simulate, module) {
  nb::exception<weir::Error>(module, "Error", PyExc_ValueError);
  module.def(
      "study",
      [](const std::string& request) {
        const nb::gil_scoped_release release;
        return weir::simulate::study(request);
      },
      nb::arg("request"), "Answers a request (JSON, as simulate/study.hpp says) with results (JSON).");
  module.def(
      "check_profile",
      [](const std::string& text, const std::string& origin) {
        return weir::simulate::parse_profile(text, origin).name;
      },
      nb::arg("text"), nb::arg("origin"),
      "The name of the machine whose profile the text is; raises Error if it is not a profile.");
  module.def("machine_name", &weir::machine_name, "Of this machine, as the library knows it (docs/tuning.md).");
  add_machine(module);
  add_policy(module);
  module.def("workload_names", &weir::workloads::names);
  module.def(
      "split_modes",
      [](const std::string& list) {
        std::vector<std::string> modes;
        for (const auto& mode : weir::workloads::parse_modes(list)) modes.push_back(mode.text);
        return modes;
      },
      nb::arg("list"));
  module.attr("default_strategy") = std::string(weir::name(weir::Config{}.strategy));
  module.attr("profile_version") = weir::simulate::profile_version;
}
