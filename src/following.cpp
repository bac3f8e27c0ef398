// SPDX-License-Identifier: Apache-2.0
#include "following.hpp"

#include <cstdint>
#include <vector>

#include "instance.hpp"

namespace weir {

namespace {

Told hear(Instance& weir, const Comm& all) {
  const Span span(weir.trace().main(), Step::wait, {});
  return Lead::hear(all, {weir.config().timeout_seconds, &weir.pipeline().rank().roll_call});
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

void follow(Instance& weir, const Told& told) {
  FileTable& files = weir.files();
  const auto word = [&](std::size_t i) { return told.words[i]; };
  const auto number = [&](std::size_t i) { return static_cast<int>(told.words[i]); };
  const auto file = [&]() -> File& {
    File* const found = files.find(number(0));
    require(found != nullptr, WEIR_EINTERNAL, "a server is told of a file that is not open");
    return *found;
  };
  const auto type = [&](std::size_t i) { return static_cast<Type>(told.words[i]); };
  switch (told.verb) {
    case Verb::create:
      return static_cast<void>(files.create(told.text(), number(0)));
    case Verb::open:
      return static_cast<void>(files.open(told.text(), number(0)));
    case Verb::define:
      return file().definitions().adopt(told);
    case Verb::enddef:
      return file().definitions().enddef();
    case Verb::redef:
      return files.redef(file());
    case Verb::put:
      return file().puts().put(number(1), word(2), number(3), type(4), nullptr);
    case Verb::put_box:
      return put_nothing(file(), number(1), type(2));
    case Verb::put_whole:
      return file().puts().put_whole(number(1), word(2), type(3), nullptr);
    case Verb::plan:
      return static_cast<void>(file().puts().plan_json(number(1), number(2)));
    case Verb::get:
      return file().gets().get(number(1), word(2), number(3), type(4), nullptr);
    case Verb::get_box:
      return file().gets().get_nothing(number(1), type(2));
    case Verb::prefetch: {
      const std::vector<int> vars(told.words.begin() + 3, told.words.end());
      return file().gets().prefetch(vars, word(1), number(2));
    }
    case Verb::sync:
      return files.sync(file());
    case Verb::sync_all:
      return files.sync_all();
    case Verb::close:
      return files.close(file());
    case Verb::add_layout:
      return static_cast<void>(weir.define_layout(told.words, [&] { return nothing_of(told.words); }));
    case Verb::free_layout:
      return weir.free_layout(number(0));
    case Verb::report:
      return static_cast<void>(weir.report());
    case Verb::finish:
      return weir.finish();
    case Verb::give_up:
      return;  // hear() throws
  }
}

}  // namespace

void serve_the_model(Instance& weir, const Comm& all) {
  for (Verb verb = Verb::create; verb != Verb::finish;) {
    try {
      const Told told = hear(weir, all);
      verb = told.verb;
      follow(weir, told);
    } catch (const Error& error) {
      if (error.code() == WEIR_ETIMEOUT || error.code() == WEIR_EMPI) {
        weir.abandon();
        throw;
      }
    }
  }
}

}  // namespace weir
