// SPDX-License-Identifier: Apache-2.0
// weir._simulate: the simulator for Python. Requests and answers are JSON text (simulate/study.hpp); weir.simulation
// has the functions that people call.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "base/host.hpp"
#include "simulate/profile.hpp"
#include "simulate/rank_placement.hpp"
#include "simulate/study.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/modes.hpp"

namespace nb = nanobind;

namespace {

// A machine's numbers, in bytes, seconds and bytes a second, as the simulator takes them from its profile.
void add_machine(nb::module_& module) {
  using weir::simulate::Profile;
  nb::class_<Profile>(module, "Profile")
      .def_ro("name", &Profile::name)
      .def("ranks_of_node", &weir::simulate::ranks_of_node, nb::arg("ranks"), nb::arg("asked"))
      .def("write_rate", [](const Profile& profile, double writers) { return profile.storage.rate(writers); })
      .def("together", [](const Profile& profile, double domains) { return profile.storage.together(domains); })
      .def("card_rate", [](const Profile& profile, double messages) { return profile.between.bandwidth(messages); })
      .def("copy_rate", [](const Profile& profile, double ranks) { return profile.copy(ranks); })
      .def_prop_ro("largest_write_rate", [](const Profile& profile) { return profile.storage.rate.largest(); })
      .def_prop_ro("total_write_rate", [](const Profile& profile) { return profile.storage.total.value; })
      .def_prop_ro("latency", [](const Profile& profile) { return profile.between.latency.value; })
      .def_prop_ro("spread", [](const Profile& profile) { return profile.compute_spread.value; })
      .def_prop_ro("shared", [](const Profile& profile) { return profile.storage.shared; });
  module.def("parse_profile", &weir::simulate::parse_profile, nb::arg("text"), nb::arg("origin"));
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
