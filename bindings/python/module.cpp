// SPDX-License-Identifier: Apache-2.0
// weir._simulate: the simulator for Python. Requests and answers are JSON text (simulate/study.hpp); weir.simulation
// has the functions that people call.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "base/error.hpp"
#include "simulate/profile.hpp"
#include "simulate/study.hpp"
#include "simulate/workload.hpp"

namespace nb = nanobind;

NB_MODULE(_simulate, module) {
  nb::exception<weir::Error>(module, "Error", PyExc_ValueError);
  module.def(
      "study",
      [](const std::string& request) {
        const nb::gil_scoped_release release;
        return weir::simulate::study(request);
      },
      nb::arg("request"), "Answers a request (JSON, as src/simulate/study.hpp says) with results (JSON).");
  module.def(
      "check_profile",
      [](const std::string& text, const std::string& origin) {
        return weir::simulate::parse_profile(text, origin).name;
      },
      nb::arg("text"), nb::arg("origin"),
      "The name of the machine whose profile the text is; raises Error where it is none.");
  module.def("workload_names", &weir::simulate::workload_names);
  module.attr("profile_version") = weir::simulate::profile_version;
}
