// SPDX-License-Identifier: Apache-2.0
#include "shared.hpp"

#include <algorithm>
#include <functional>

#include "mpi/agree.hpp"

namespace weir::cfio2 {

namespace {

constexpr std::size_t most_layouts = 256;

// A call's name, the path of its file included, is its point.
AgreementPoint call_point(const std::string& call) {
  constexpr auto first = static_cast<std::uint64_t>(AgreementPoint::named_calls);
  return static_cast<AgreementPoint>(std::max(mix(0, call) >> 1, first));
}

}  // namespace

void check(int code, const weir_t* weir) {
  if (code != WEIR_OK) throw Error(static_cast<Code>(code), weir_error(weir));
}

void Shared::note(Code code, const std::string& sentence) {
  if (code != WEIR_ETIMEOUT && code != WEIR_EMPI) return;
  broken_.merge({code, sentence});
  comm_.abandon();  // a rank that did not come cannot be waited for again, not even to free
}

Status Shared::agree_on(const std::string& call, const std::vector<std::string>& said, const Status& mine) {
  broken_.raise();
  std::vector<std::string> lines{call};  // the first difference is the call's, where that is another
  lines.insert(lines.end(), said.begin(), said.end());
  std::uint64_t signature = 0;
  for (const std::string& line : lines) signature = mix(signature, line);
  const std::function<std::vector<std::string>()> history = [&] { return lines; };
  Question question;
  Status common;
  try {
    common = agree(comm_, {call_point(call), signature, call, &history}, mine, deadline(), &question);
  } catch (const Error& error) {
    note(error.code(), error.what());
    throw;
  }
  if (!common.ok() && !question.together) broken_ = common;
  return common;
}

void Shared::share_largest(std::span<std::int64_t> values, const std::string& call) {
  try {
    allreduce_max(comm_, values, deadline(), call);
  } catch (const Error& error) {
    note(error.code(), error.what());
    throw;
  }
}

int Shared::known_layout(const OwnBox& box) const {
  for (const Known& known : known_)
    if (known.box == box) return known.layout;
  return -1;
}

int Shared::make_layout(const OwnBox& box) {
  if (known_.size() >= most_layouts) {
    for (const Known& known : known_) check(weir_free_layout(weir_, known.layout), weir_);
    known_.clear();
    ++generation_;
  }
  int layout = -1;
  check(weir_def_layout(weir_, static_cast<int>(box.shape.size()), box.shape.data(), box.empty() ? 0 : 1,
                        box.start.data(), box.count.data(), nullptr, &layout),
        weir_);
  known_.push_back({box, layout});
  return layout;
}

}  // namespace weir::cfio2
