// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>
#include <weir/weir.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "checks.hpp"
#include "formats/netcdf4/module.hpp"

namespace weir::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> bridges{"libweir_pnetcdf", "libweir_netcdf", "libweir_pio"};

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string library_path() {
  Dl_info found{};
  static_cast<void>(::dladdr(reinterpret_cast<const void*>(&weir_init_error), &found));
  return found.dli_fname ? found.dli_fname : "";
}

// Whether a library whose file's name begins so is in this process.
bool is_loaded(std::string_view beginning) {
  struct Looking {
    std::string name;
    bool found = false;
  } looking{std::string(beginning) + "."};
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* into) {
        auto& wanted = *static_cast<Looking*>(into);
        if (file_name(object->dlpi_name).starts_with(wanted.name)) wanted.found = true;
        return 0;
      },
      &looking);
  return looking.found;
}

void check_configuration(Findings& findings) {
  const char* const given = std::getenv("WEIR_CONFIG");
  try {
    const Config config = load_config(nullptr);
    findings.push_back(
        {"configuration", given ? formatted("WEIR_CONFIG={} can be read", given) : "WEIR_CONFIG is not set", ""});
    for (const std::string& note : config.notes) findings.push_back({"configuration", note, ""});
  } catch (const Error& error) {
    findings.push_back({"configuration", error.what(), "mend the configuration: weir_init refuses it", true});
  }
}

void check_netcdf4(Findings& findings) {
  try {
    load_netcdf4("", Netcdf4Use::make);
    findings.push_back({"netCDF-4", "can be written and read", ""});
  } catch (const Error& error) {
    findings.push_back({"netCDF-4", error.what(), ""});
  }
}

void check_bridges(Findings& findings) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const std::string preload = preloaded ? preloaded : "";
  std::string built;
  for (const std::string_view bridge : bridges) {
    std::error_code ignored;
    const fs::path library = fs::path(library_path()).parent_path() / (std::string(bridge) + ".so");
    if (fs::exists(library, ignored)) built += (built.empty() ? "" : ", ") + library.filename().string();
    if (preload.find(bridge) == std::string::npos) continue;
    if (is_loaded(bridge))
      findings.push_back({"bridges", formatted("{} is loaded before the program's libraries", bridge), ""});
    else
      findings.push_back({"bridges", formatted("LD_PRELOAD names {}, which is not loaded", bridge),
                          "give LD_PRELOAD the whole path, of a folder that all hosts see", true});
  }
  if (built.empty()) built = "none";
  findings.push_back({"bridges", formatted("{} next to libweir.so", built), ""});
}

}  // namespace

void check_weir(Findings& findings) {
  findings.push_back({"Weir", formatted("{}, {}", WEIR_VERSION, library_path()), ""});
  check_configuration(findings);
  check_netcdf4(findings);
  check_bridges(findings);
}

}  // namespace weir::doctor
