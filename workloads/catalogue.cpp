// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "workloads/parts.hpp"

namespace weir::workloads {

namespace {

struct Known {
  const char* name;
  void (*make)(Description&, const Request&);
  std::int64_t records = 1;  // where the user says nothing
};

constexpr std::array<Known, 12> catalogue = {{{"weak", make_weak},
                                              {"cam-t85", make_cam},
                                              {"cam-fvb", make_cam},
                                              {"cam-fvc", make_cam},
                                              {"cam-fvd", make_cam},
                                              {"cmaq-ca", make_cmaq, 3},
                                              {"cmaq-eus", make_cmaq, 3},
                                              {"cmaq-conus", make_cmaq, 3},
                                              {"cmaq-app", make_cmaq, 24},
                                              {"cmaq-2km", make_cmaq, 24},
                                              {"jacobi", make_jacobi, 10},
                                              {"licom", make_licom}}};

std::vector<int> prime_factors(int number) {
  std::vector<int> factors;
  for (int divisor = 2; divisor * divisor <= number; ++divisor)
    for (; number % divisor == 0; number /= divisor) factors.push_back(divisor);
  if (number > 1) factors.push_back(number);
  return factors;
}

}  // namespace

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found;
    for (const Known& known : catalogue) found.emplace_back(known.name);
    return found;
  }();
  return all;
}

void refuse(const std::string& name, const std::vector<std::string>& known) {
  throw Error(WEIR_EARGUMENT, "workload \"{}\" is not known; take one of {}", name,
              join_words(std::vector<std::string_view>(known.begin(), known.end())));
}

Description describe(const Request& request) {
  require(request.ranks > 0, WEIR_EARGUMENT, "a model has at least one rank: give --ranks");
  require(request.scale > 0 && request.scale < 1e6, WEIR_EARGUMENT, "a scale is above 0: 1 is the workload as it is");
  require(request.records >= 0, WEIR_EARGUMENT, "records are 1 or more");
  const auto known =
      std::find_if(catalogue.begin(), catalogue.end(), [&](const Known& each) { return request.name == each.name; });
  if (known == catalogue.end()) refuse(request.name, names());
  Description work;
  work.records = request.records > 0 ? request.records : known->records;
  known->make(work, request);
  return work;
}

// The largest prime first, each to the smallest factor so far: as OpenMPI deals them.
std::vector<int> balanced_factors(int ranks, int dimensions) {
  std::vector<int> factors(static_cast<std::size_t>(dimensions), 1);
  const std::vector<int> primes = prime_factors(ranks);
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime)
    *std::min_element(factors.begin(), factors.end()) *= *prime;
  std::sort(factors.rbegin(), factors.rend());
  return factors;
}

}  // namespace weir::workloads
