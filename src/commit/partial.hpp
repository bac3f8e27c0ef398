// SPDX-License-Identifier: Apache-2.0
// The temporary file that is written next to the final name until its first commit. Local.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weir {

// "/data/.history.nc.weir" for "/data/history.nc": a symbolic link to what is being written under a name of its own, by
// which the next run finds it if this one is killed.
std::string partial_name(const std::string& path);

// "/data/.history.nc.0123abcd.weir": such a name.
std::string partial_name(const std::string& path, std::uint32_t token);

// Makes something under such a name, and the link to it, and returns the name. It is new each time, since a host that
// remembers a name for a while would open what had it before; it is not there yet, and no rank can have prepared it.
// `make` returns 0 or the errno that kept it from making it; throws Error(WEIR_EIO) where that is not EEXIST.
std::string make_partial(const std::string& path, const std::function<int(const std::string&)>& make);

// What the link of `path` leads to goes, a folder with all that is in it, and the link: nothing but what a run of Weir
// has made.
void remove_leftover(const std::string& path) noexcept;

}  // namespace weir
