// SPDX-License-Identifier: Apache-2.0
#include "simulate/controls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "schedule/local_control.hpp"
#include "schedule/remote_control.hpp"

namespace weir::simulate {

namespace {

using Tell = std::function<void(int)>;
using Words = std::vector<std::int64_t>;

ScheduleParameters parameters_of(const Job& job) {
  return schedule_parameters(job.in.config, job.in.script.tile_buffers);
}

// Every rank of the host knows at once what is in the list; those are told who may have waited for what it decides.
class KnownEvents final : public ControlEvents {
 public:
  KnownEvents(int ranks, const Tell& tell) : ranks_(ranks), tell_(tell) {}
  void follow_with(HostedSchedule& schedule) { schedule_ = &schedule; }

  void append(const ControlEvent& event) override {
    events_.push_back(event);
    if (!schedule_->follow()) return;
    for (int rank = 0; rank < ranks_; ++rank) tell_(rank);
  }
  bool read(ControlEvent& event) override {
    if (events_.empty()) return false;
    event = events_.front();
    events_.pop_front();
    return true;
  }
  void clear() override { events_.clear(); }
  void rewind() override {}

 private:
  int ranks_;
  Tell tell_;
  HostedSchedule* schedule_ = nullptr;
  std::deque<ControlEvent> events_;
};

// When one who has waited with Patience (base/clock.hpp) since then sees what comes now: he looks, and sleeps again.
double seen(double since, double time) {
  double look = since;
  SleepTimes sleeps;
  while (look < time && !sleeps.are_longest()) look += 1e-6 * sleeps.next();
  const double longest = 1e-6 * sleeps.next();
  return look < time ? look + std::ceil((time - look) / longest) * longest : look;
}

// The control rank and the way to it: it takes messages one after another, each for a time of the profile.
class ControlServer final : public ControlAnswers {
 public:
  ControlServer(Job& job, const Tell& tell) : job_(job), tell_(tell), core_(parameters_of(job), *this) {}

  // Of the ranks in their order.
  std::unique_ptr<weir::Control> make_control() {
    return std::make_unique<Linked>(*this, static_cast<int>(links_.size()));
  }
  void say(std::span<const std::int64_t> words, int rank) override {
    const double sent = server_.add(job_.now(), job_.in.profile.control.value), come = sent + latency();
    const double asked = links_[static_cast<std::size_t>(rank)]->asked;
    post(rank, true, said_.share(words), words[0] == assigned_word ? seen(asked, come) : come);
  }

 private:
  struct Told {
    Words words;
    SharedSlots slots;  // once they are needed
  };
  using SharedWords = std::shared_ptr<Told>;
  // What is said to many is kept once, though a few things be said by turns: units in flight, and what is released.
  class Sayings {
   public:
    const SharedWords& share(std::span<const std::int64_t> words) {
      for (const SharedWords& each : last_)
        if (each && std::ranges::equal(each->words, words)) return each;
      SharedWords& oldest = last_[std::exchange(next_, (next_ + 1) % last_.size())];
      return oldest = std::make_shared<Told>(Words(words.begin(), words.end()), nullptr);
    }

   private:
    std::array<SharedWords, 4> last_;
    std::size_t next_ = 0;
  };
  struct Mail final : Action {
    void happen() override { server->take(*this); }
    void fetch(int step) const noexcept override {
      if (answer) server->fetch(rank, step);
    }
    ControlServer* server = nullptr;
    int rank = 0;  // who says it, or hears it
    bool answer = false;
    SharedWords words;
    Mail* next = nullptr;  // that has come to the same rank, or that no rank uses
  };
  struct Link : ControlLink {
    Link(ControlServer& at, int own) : server(at), rank(own) { server.links_.push_back(this); }
    void say(std::span<const std::int64_t> words) override { server.ask(rank, words); }
    std::span<const std::int64_t> hear() override {
      Mail* const mail = first;
      if (!mail) return {};
      first = mail->next;
      heard = std::move(mail->words);
      server.spare(*mail);
      return heard->words;
    }
    void take_slots(std::span<const std::int64_t> words, SharedSlots& slots) override {
      if (!heard->slots) ControlLink::take_slots(words, heard->slots);
      slots = heard->slots;
    }
    void add(Mail& mail) {
      mail.next = nullptr;
      (first ? last->next : first) = &mail;
      last = &mail;
    }
    ControlServer& server;
    int rank;
    double asked = 0;                        // when, the last time
    Mail *first = nullptr, *last = nullptr;  // that have come
    SharedWords heard;
  };

  // A rank's control and its link, in one place.
  struct Linked final : private Link, public RemoteControl {
    Linked(ControlServer& at, int own)
        : Link(at, own), RemoteControl(static_cast<Link&>(*this), at.job_.in.machine(), own) {}
  };

  double latency() const noexcept { return job_.in.profile.between.latency.value; }

  void ask(int rank, std::span<const std::int64_t> words) {
    if (words[0] == offer_word) links_[static_cast<std::size_t>(rank)]->asked = job_.now();
    const double come = seen(server_.free(), job_.now() + latency());
    // What begins the run is told before it.
    const double begun = words[0] == start_word ? 0 : server_.add(come, job_.in.profile.control.value);
    post(rank, false, asked_.share(words), begun);
  }

  void post(int rank, bool answer, SharedWords words, double time) {
    if (!spare_) {
      mails_.emplace_back().server = this;
      spare(mails_.back());
    }
    Mail& mail = *std::exchange(spare_, spare_->next);
    mail.rank = rank;
    mail.answer = answer;
    mail.words = std::move(words);
    job_.engine.at(time, mail);
  }

  void fetch(int rank, int step) const noexcept {
    const auto* const link = reinterpret_cast<const char*>(links_[static_cast<std::size_t>(rank)]);
    for (std::size_t at = 0; step == 0 && at < sizeof(Linked); at += 64) __builtin_prefetch(link + at);
    job_.engine.fetch(rank, step);
  }

  void spare(Mail& mail) noexcept { mail.next = std::exchange(spare_, &mail); }

  void take(Mail& mail) {
    if (mail.answer) {
      links_[static_cast<std::size_t>(mail.rank)]->add(mail);
      tell_(mail.rank);
      return;
    }
    const SharedWords words = std::move(mail.words);
    const int rank = mail.rank;
    spare(mail);
    if (words->words[0] == offer_word) flush_before(rank, words->words);
    core_.hear(rank, words->words);
  }

  // An agent's order to flush is a release of the units before, which no rank has to send. Once for each unit.
  void flush_before(int rank, std::span<const std::int64_t> offer) {
    const std::int64_t unit = offer[2];
    const std::vector<bool>& flushes = job_.in.script.flushes;
    if (flushes.empty() || unit <= flushed_) return;
    flushed_ = unit;
    if (flushes[static_cast<std::size_t>(unit) - 1])
      core_.hear(rank, std::array<std::int64_t, 3>{release_word, offer[1], unit - 1});
  }

  Job& job_;
  Tell tell_;
  ControlRank core_;
  Backlog server_;
  std::int64_t flushed_ = 0;  // the last unit whose order was heard
  std::vector<Link*> links_;
  std::deque<Mail> mails_;
  Mail* spare_ = nullptr;
  Sayings asked_, said_;  // of each direction
};

}  // namespace

std::int64_t Controls::messages() const noexcept {
  std::int64_t sum = 0;
  for (const auto& control : controls_) sum += control->messages();
  return sum;
}

Controls make_controls(Job& job, int window, const Tell& tell) {
  std::vector<std::unique_ptr<weir::Control>> controls;
  switch (control_way(job.in.config, job.in.machine(), job.in.placement.shared_memory)) {
    case ControlWay::fixed:
      for (int rank = 0; rank < job.ranks(); ++rank) controls.push_back(make_fixed_control());
      return {std::move(controls), nullptr};
    case ControlWay::hosted: {
      auto events = std::make_unique<KnownEvents>(job.ranks(), tell);
      KnownEvents& list = *events;
      auto schedule = std::make_shared<HostedSchedule>(std::move(events), job.in.machine(), parameters_of(job));
      list.follow_with(*schedule);
      for (int rank = 0; rank < job.ranks(); ++rank) controls.push_back(make_hosted_control(rank, schedule));
      return {std::move(controls), nullptr};
    }
    case ControlWay::implied: {
      const int all = std::max(window, static_cast<int>(job.in.script.cycles.size())) + 1;
      const auto schedule = std::make_shared<ImpliedSchedule>(job.in.machine(), parameters_of(job), window, all);
      for (int rank = 0; rank < job.ranks(); ++rank) controls.push_back(make_implied_control(schedule));
      return {std::move(controls), nullptr};
    }
    case ControlWay::remote:
      break;
  }
  const auto server = std::make_shared<ControlServer>(job, tell);
  for (int rank = 0; rank < job.ranks(); ++rank) controls.push_back(server->make_control());
  return {std::move(controls), server};
}

}  // namespace weir::simulate
