// SPDX-License-Identifier: Apache-2.0
// A machine that is simulated: processes with threads, and a clock that goes on only when all of them wait. Which
// thread goes on next follows from a seed. The system's calls that the library makes come here (calls_*.cpp), so the
// library that is tried is the one that models link, object by object.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber.hpp"
#include "story.hpp"

namespace sim {

// Numbers that follow from a seed.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word() {
    std::uint64_t word = state_ += 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
  }
  double number() { return static_cast<double>(word() >> 11) * 0x1p-53; }  // below 1
  int below(int count) { return static_cast<int>(word() % static_cast<std::uint64_t>(count)); }
  int between(int first, int last) { return first + below(last - first + 1); }
  bool happens(double probability) { return number() < probability; }
  // From `least` to `most`, small ones more often.
  double scaled(double least, double most) { return least * std::exp(number() * std::log(most / least)); }
  template <class List>
  auto& one_of(List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }

 private:
  std::uint64_t state_;
};

// What a thread may wait for: a word of memory, or something else that has an address.
using Key = std::pair<std::uint64_t, std::uint64_t>;

struct Task {
  Task(Stacks& stacks, int of, std::function<void()> work) : process(of), fiber(stacks, std::move(work)) {}

  int process;
  bool main = false;  // the process ends with it
  Fiber fiber;
  Key waits_for{};
  std::uint32_t reasons = 0;  // why it can be woken
  bool woken = false;
  bool dead = false;
};

struct Process {
  int host = 0;
  double pace = 1;           // how slow it is
  double frozen_until = -1;  // stopped, or late
  bool alive = true;         // and not killed
  bool ended = false;        // by itself
  long points = 0;           // calls made so far
  double stored_until = -1;  // its last call of the storage
  int in_mpi = 0;            // its threads that are in a call of MPI
  Task* main = nullptr;
};

class Machine {
 public:
  Machine(std::uint64_t seed, std::vector<int> host_of_process);
  ~Machine();

  // The one that is running; null outside of it. Calls of the system are its business then.
  static Machine* running() noexcept { return running_; }
  // Work that is not simulated, in between.
  static Machine* leave() noexcept { return std::exchange(running_, nullptr); }
  static void enter(Machine* machine) noexcept { running_ = machine; }

  // Runs until all processes have ended or been killed, or until nobody can go on before `limit`, in seconds.
  void run(double limit);
  Task& start(int process, std::function<void()> work, bool main = false);

  double now() const noexcept { return now_; }
  Chance& chance() noexcept { return chance_; }
  Task& task() noexcept { return *task_; }
  int rank() const noexcept { return task_->process; }
  Process& process() noexcept { return processes_[static_cast<std::size_t>(task_->process)]; }
  std::vector<Process>& processes() noexcept { return processes_; }
  const std::vector<Process>& processes() const noexcept { return processes_; }

  // Of the running task. A call of it that takes so long, about; others run meanwhile.
  void pass(double seconds);
  // It does nothing for so long, and a little longer.
  void sleep(double seconds);
  // Waits until it is woken for one of the reasons (true), or until then.
  bool wait(Key key, double until, std::uint32_t reasons = ~0u);
  int wake(Key key, int most, std::uint32_t reasons = ~0u);
  // The end of a process at once, with all its threads. Of the running one it does not come back.
  void kill(int process);
  void end_process();

  // A call of the library, of which the process may die: told before it is made.
  void point(const char* call);
  std::function<void(const char*)> at_point;

  // Of a lock that a thread may take again: who has it, and how often.
  struct Owner {
    const Task* task = nullptr;
    int depth = 0;
  };
  Owner& owner(const void* lock) { return owners_[lock]; }

  // Whether somebody was woken by this a moment ago, who need not have come to it yet.
  bool just_woken(Key key) const;

  Story& story() noexcept { return story_; }

 private:
  struct QueueEntry {
    double time;
    Task* task;
  };
  struct Woken {
    double time;
    Key key;
    bool is_just_before(double now) const noexcept { return now - time < 1e-3; }
  };
  // It goes on then, after those that go on at that time already; and not when it was to before.
  void queue(Task& task, double time);
  void go_on_at(double time);
  void switch_to(Task& task);

  static Machine* running_;

  Chance chance_;
  double now_ = 0, limit_ = 0;
  Stacks& stacks_;
  std::vector<Process> processes_;
  std::vector<std::unique_ptr<Task>> tasks_;
  // There are a dozen tasks, and these change with every call: lists that are searched cost less than ordered ones.
  std::vector<QueueEntry> queue_;  // the next one last; of a task one at the most, and none of the one that runs
  std::vector<Task*> waiting_;     // in the order in which they came
  std::deque<Woken> woken_;        // in the last moment, and some before
  std::map<const void*, Owner> owners_;
  Task* task_ = nullptr;
  Story story_{now_, task_};
};

}  // namespace sim
