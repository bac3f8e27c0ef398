// SPDX-License-Identifier: Apache-2.0
// The file that the key `report` names: one for a job. Every instance adds its report when it ends, and every bridge
// what it has done. docs/observing.md says what is in it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace weir {

// A file tells of so many instances. Of later ones it says only that there are some ("more_instances").
constexpr std::size_t most_instances_told = 100;

// Adds an instance's report to what the file holds; "" is nothing. One report is the whole file, several are its list
// "instances". Pure.
std::string with_instance(const std::string& file, const std::string& report);

// Adds what a bridge tells, an object of lists, as the member "bridge". Lists that are there already grow by what they
// do not have. Pure.
std::string with_bridge(const std::string& file, const std::string& told);

// Replaces the file by what `add` makes of it. Readers see it before or after, and processes of the job come one after
// another, where the file system has locks. What an earlier job left counts as "", and so does what is no JSON. A
// device or pipe gets what `add` makes of "". Local; waits for other processes up to 60 s.
// Errors: WEIR_EIO.
void add_to_report(const std::string& path, const std::function<std::string(const std::string& file)>& add);

}  // namespace weir
