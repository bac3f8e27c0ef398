// SPDX-License-Identifier: Apache-2.0
#include "instance/server_loop.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instance/instance.hpp"

namespace weir {

namespace {

BroadcastCall receive(Instance& weir, const Comm& all) {
  const Span span(weir.trace().main(), Step::wait, {});
  return CallBroadcast::receive(all, {weir.config().timeout_seconds, &weir.pipeline().rank().liveness_check});
}

// A scalar is an array of one element.
Layout nothing_of(const Shape& shape) {
  return Layout::boxes(shape.empty() ? Shape{1} : shape, {}, {}, {});
}

// weir_put_vara of a rank that has nothing.
void put_nothing(File& file, int var, Type type) {
  const auto& variables = file.schema().variables();
  const bool known = var >= 0 && var < static_cast<int>(variables.size());
  const Shape none(known ? variables[static_cast<std::size_t>(var)].dims.size() : 0, 0);
  file.puts().put_box(var, none, none, type, nullptr);
}

// An agreement of the model's ranks that concerns no file.
void replay_agreement(Instance& weir, const BroadcastCall& received) {
  const std::string call = received.text();
  const auto point = static_cast<AgreementPoint>(received.words[0]);
  const auto signature = static_cast<std::uint64_t>(received.words[1]);
  weir.pipeline().agreement().agree_at({point, signature, call, nullptr, true}, {});
}

void replay_call(Instance& weir, const BroadcastCall& received) {
  FileTable& files = weir.files();
  const auto word = [&](std::size_t i) { return received.words[i]; };
  const auto number = [&](std::size_t i) { return static_cast<int>(received.words[i]); };
  const auto file = [&]() -> File& {
    File* const found = files.find(number(0));
    require(found != nullptr, WEIR_EINTERNAL, "a server received a call for a file that is not open");
    return *found;
  };
  const auto marker = [&](std::size_t i) { return word(i) < 0 ? std::nullopt : std::optional(word(i) == 1); };
  const auto type = [&](std::size_t i) { return static_cast<Type>(received.words[i]); };
  switch (received.kind) {
    case CallKind::create:
      return static_cast<void>(files.create(received.text(), number(0), FileTable::Whose::programs, marker(1)));
    case CallKind::open:
      return static_cast<void>(files.open(
          received.text(), number(0), received.words.size() > 2 ? std::optional(word(2)) : std::nullopt, marker(1)));
    case CallKind::define:
      return file().definitions().adopt(received);
    case CallKind::enddef:
      return file().definitions().enddef();
    case CallKind::redef:
      return files.redef(file());
    case CallKind::put:
      return file().puts().put(number(1), word(2), number(3), type(4), nullptr);
    case CallKind::put_box:
      return put_nothing(file(), number(1), type(2));
    case CallKind::put_whole:
      return file().puts().put_whole(number(1), word(2), type(3), nullptr);
    case CallKind::plan:
      return static_cast<void>(file().puts().plan_json(number(1), number(2)));
    case CallKind::get:
      return file().gets().get(number(1), word(2), number(3), type(4), nullptr);
    case CallKind::get_box:
      return file().gets().get_nothing(number(1), type(2));
    case CallKind::prefetch: {
      const std::vector<int> vars(received.words.begin() + 3, received.words.end());
      return file().gets().prefetch(vars, word(1), number(2));
    }
    case CallKind::sync:
      return files.sync(file());
    case CallKind::sync_all: {
      std::vector<const File*> committed;
      for (const std::int64_t serial : received.words) committed.push_back(files.find(static_cast<int>(serial)));
      return files.sync_all(committed);
    }
    case CallKind::close:
      return files.close(file());
    case CallKind::add_layout:
      return static_cast<void>(weir.define_layout(received.words, [&] { return nothing_of(received.words); }));
    case CallKind::free_layout:
      return weir.free_layout(number(0));
    case CallKind::agree:
      return replay_agreement(weir, received);
    case CallKind::report:
      return static_cast<void>(weir.report());
    case CallKind::finish:
      return weir.finish();
    case CallKind::give_up:
      return;  // not reached: CallBroadcast::receive() throws
  }
}

}  // namespace

void run_server(Instance& weir, const Comm& all) {
  for (CallKind kind = CallKind::create; kind != CallKind::finish;) {
    try {
      const BroadcastCall received = receive(weir, all);
      kind = received.kind;
      replay_call(weir, received);
    } catch (const Error& error) {
      if (error.code() == WEIR_ETIMEOUT || error.code() == WEIR_EMPI) {
        weir.abandon();
        throw;
      }
    }
  }
}

}  // namespace weir
