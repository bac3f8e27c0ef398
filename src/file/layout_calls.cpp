// SPDX-License-Identifier: Apache-2.0
#include "file/layout_calls.hpp"

#include <utility>

namespace weir {

int add_layout(const Context& context, IndexView shape, Layout layout, Status status) {
  const CallBroadcast::Call call(context.call_broadcast, CallKind::add_layout, shape, {});
  std::uint64_t signature = shape.size();
  for (std::int64_t length : shape) signature = mix(signature, static_cast<std::uint64_t>(length));
  std::int64_t flat = layout.flat() ? 1 : 0;
  const std::string what = formatted("weir_def_layout of an array {}", in_words(shape, context.layouts.counting()));
  context.pipeline.agreement().agree_at({AgreementPoint::make_layout, signature, what, nullptr, true},
                                        std::move(status), nullptr, &flat);
  return context.layouts.add(flat ? layout.flattened() : std::move(layout));
}

void free_layout(const Context& context, int layout) {
  const CallBroadcast::Call call(context.call_broadcast, CallKind::free_layout, {layout});
  Status status;
  try {
    context.layouts.at(layout);
  } catch (const Error& error) {
    status = {error.code(), error.what(), {Scope::this_call}};
  }
  const std::string what = formatted("weir_free_layout of layout {}", context.layouts.counting().number(layout));
  context.pipeline.agreement().agree_at(
      {AgreementPoint::free_layout, static_cast<std::uint64_t>(layout), what, nullptr, true}, status);
  context.pipeline.drain();
  context.pipeline.plans().forget(layout);
  context.pipeline.own_reading().forget(layout);
  context.layouts.remove(layout);
}

}  // namespace weir
