// SPDX-License-Identifier: Apache-2.0
#include "simulate/storage.hpp"

#include <algorithm>

namespace weir::simulate {

namespace {

constexpr std::int64_t least_step = 4LL << 20;
constexpr std::int64_t most_steps = 16;

std::int64_t stripes_of(std::int64_t first, std::int64_t span, std::int64_t size) {
  return span > 0 ? (first + span - 1) / size - first / size + 1 : 0;
}

}  // namespace

Storage::Storage(Engine& engine, const Profile& profile, Network& network, Memory& memory)
    : engine_(engine), profile_(profile), network_(network), memory_(memory) {
  servers_.resize(static_cast<std::size_t>(profile.storage.stripes.servers));
  read_.resize(static_cast<std::size_t>(network.nodes()));
  const auto& points = profile.storage.rate.points();
  const auto most = std::max_element(points.begin(), points.end(), [](const Curve::Point& a, const Curve::Point& b) {
    return a.rate.value < b.rate.value;
  });
  most_together_ = most->at;
  set({});
}

void Storage::set(const Striping& striping) {
  const Stripes& stripes = profile_.storage.stripes;
  if (servers_.empty()) return;
  stripe_bytes_ = striping.size > 0 ? striping.size : stripes.size;
  stripe_count_ = std::min(striping.count > 0 ? striping.count : stripes.count, stripes.servers);
}

// The i-th of so many steps.
template <class Whole>
Storage::WriteStep Storage::step_of(const Whole& whole, std::int64_t i, std::int64_t steps) {
  const auto cut = [&](std::int64_t all, std::int64_t k) { return all / steps * k + all % steps * k / steps; };
  return {whole.first_byte + cut(whole.span, i), cut(whole.span, i + 1) - cut(whole.span, i),
          cut(whole.bytes, i + 1) - cut(whole.bytes, i),
          static_cast<double>(whole.requests) / static_cast<double>(steps)};
}

Storage::FileKey Storage::place_of(const Writing& writing) const noexcept {
  if (profile_.storage.shared) return {0, writing.domain};
  return {writing.node, writing.file};
}

void Storage::write(const Writing& writing) {
  bytes_ += writing.bytes;
  const FileKey place = place_of(writing);
  Domain& domain = domains_[place];
  if (domain.writers++ == 0) ++open_[place.first];
  const std::int64_t steps = std::clamp<std::int64_t>(writing.bytes / least_step, 1, most_steps);
  for (std::int64_t i = 0; i < steps; ++i) engine_.until(step(writing, step_of(writing, i, steps)));
  if (--domain.writers > 0) return;
  domains_.erase(place);
  --open_[place.first];
}

// When this step is done.
double Storage::step(const Writing& writing, const WriteStep& part) {
  const double now = engine_.now();
  const auto bytes = static_cast<double>(part.bytes);
  const FileKey place = place_of(writing);
  Domain& domain = domains_.at(place);
  const auto writers = static_cast<double>(domain.writers);
  const double rate = profile_.storage.rate(writers) * profile_.storage.together(open_[place.first]);
  const double pieces = part.requests * profile_.storage.piece(writers);
  double done = now + bytes * writers / rate + pieces;
  if (!profile_.storage.shared) {
    done = std::max(done, domain.whole.add(now, bytes / rate + pieces / writers));
    return std::max(done, memory_.copy(writing.node, now, part.bytes));
  }
  if (profile_.storage.total.value > 0) done = std::max(done, total_.add(now, bytes / profile_.storage.total.value));
  if (stripe_bytes_ > 0) done = std::max(done, served(part, true));
  return std::max(done, network_.leave(writing.node, now, part.bytes));
}

void Storage::read(const Reading& reading) {
  bytes_read_ += reading.bytes;
  requests_to_read_ += reading.requests;
  ++readers_;
  const std::int64_t steps = std::clamp<std::int64_t>(reading.bytes / least_step, 1, most_steps);
  for (std::int64_t i = 0; i < steps; ++i) engine_.until(read_step(reading, step_of(reading, i, steps)));
  --readers_;
}

double Storage::read_step(const Reading& reading, const WriteStep& part) {
  const double now = engine_.now();
  const auto bytes = static_cast<double>(part.bytes);
  const double alike = std::min<double>(readers_, most_together_);
  const double there_and_back = 2 * profile_.between.latency.value + profile_.between.overhead.value;
  const auto place = profile_.storage.shared ? 0 : static_cast<std::size_t>(reading.node);
  double done = now + bytes * alike / profile_.storage.rate(alike) + part.requests * profile_.storage.piece(alike);
  done = std::max(done, read_[place].add(now, bytes / profile_.storage.rate.largest()));
  if (!profile_.storage.shared) return done;
  done += part.requests * there_and_back;
  if (profile_.storage.total.value > 0) done = std::max(done, total_.add(now, bytes / profile_.storage.total.value));
  if (stripe_bytes_ > 0) done = std::max(done, served(part, false));
  return std::max(done, network_.enter(reading.node, now, part.bytes));
}

// The servers of the stripes that the part touches, each with an equal share.
double Storage::served(const WriteStep& part, bool writes) {
  const Stripes& stripes = profile_.storage.stripes;
  const std::int64_t touched = std::max<std::int64_t>(1, stripes_of(part.first_byte, part.span, stripe_bytes_));
  const std::int64_t servers = std::min(touched, stripe_count_);
  const auto count = static_cast<double>(touched);
  const bool scattered = part.bytes < part.span;
  // Whole stripes have one writer; of scattered pieces each stripe has many, and so have the ends.
  const double ends = static_cast<double>((part.first_byte % stripe_bytes_ != 0 ? 1 : 0) +
                                          ((part.first_byte + part.span) % stripe_bytes_ != 0 ? 1 : 0));
  const double locks = !writes ? 0.0 : scattered ? std::min(part.requests, count) : std::min(ends, count);
  const double requests = std::max(part.requests, scattered ? 1.0 : count);
  const double seconds = static_cast<double>(part.bytes) / stripes.server_bandwidth.value +
                         requests * stripes.request.value + locks * stripes.lock.value;
  double done = engine_.now();
  for (std::int64_t s = 0; s < servers; ++s) {
    const auto server = static_cast<std::size_t>((part.first_byte / stripe_bytes_ + s) % stripe_count_);
    done = std::max(done, servers_[server].add(engine_.now(), seconds / static_cast<double>(servers)));
  }
  return done;
}

double Storage::busiest_server() const noexcept {
  double most = 0;
  for (const Backlog& server : servers_) most = std::max(most, server.busy_seconds());
  return most;
}

}  // namespace weir::simulate
