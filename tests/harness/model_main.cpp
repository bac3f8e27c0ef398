// SPDX-License-Identifier: Apache-2.0
// A rank of a real job that runs the model. It says to the fault layer, if that is there, in which phase it is, and
// writes into the folder `notes`, by each rank R:
//   log.R    "begin K" before the commit that is line K of the script, "done K" when it has returned without error
//   error.R  the first error: code, line, phase, time, sentence
//   end.R    time, first and last code: the rank has come to its end
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "model.hpp"

namespace harness {
namespace {

using nlohmann::json;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::unique_ptr<Writer> make_writer(const Plan& plan) {
  const std::string library = plan.text("library");
  if (library == "weir") return make_weir_writer(plan);
  if (library == "pnetcdf") return make_pnetcdf_writer(plan);
#ifdef HARNESS_NETCDF4
  if (library == "netcdf4") return make_netcdf4_writer(plan);
#endif
  return nullptr;
}

class Files final : public Notes {
 public:
  explicit Files(const Plan& plan) : folder_(plan.text("notes")), linger_seconds_(plan["linger"].get<double>()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    phase_ = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "fault_phase"));
  }

  void enter(const char* phase) override {
    if (phase_) phase_(phase);
  }
  void begin_commit(int line) override { write("log", "begin " + std::to_string(line) + " " + std::to_string(now())); }
  void end_commit(int line) override { write("log", "done " + std::to_string(line) + " " + std::to_string(now())); }
  void first_error(int code, int line, const std::string& phase, const std::string& sentence) override {
    const json error{{"code", code}, {"line", line}, {"phase", phase}, {"time", now()}, {"sentence", sentence}};
    write("error", error.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  void end(int first, int last) override {
    write("end", json{{"time", now()}, {"code", first}, {"last", last}}.dump());
    linger();
  }

 private:
  void write(const std::string& kind, const std::string& text) const {
    const std::string path = folder_ + "/" + kind + "." + std::to_string(rank_), line = text + "\n";
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0 || ::write(file, line.data(), line.size()) < 0 || ::fsync(file) != 0) std::perror(path.c_str());
    ::close(file);
  }

  bool has_come_to_an_end(int rank) const {
    const std::string number = "." + std::to_string(rank);
    return ::access((folder_ + "/end" + number).c_str(), F_OK) == 0 ||
           ::access((folder_ + "/fired" + number).c_str(), F_OK) == 0;
  }

  // Whoever is still in a call may need this rank's MPI to go on: a rank that is through waits for the others, as
  // MPI_Finalize would, but not for those to whom something has happened, and not for ever.
  void linger() const {
    const double until = now() + linger_seconds_;
    for (int rank = 0; rank < ranks_ && now() < until; ++rank) {
      while (!has_come_to_an_end(rank) && now() < until) {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        usleep(2000);
      }
    }
  }

  std::string folder_;
  double linger_seconds_;
  int rank_ = 0, ranks_ = 1;
  void (*phase_)(const char*) = nullptr;
};

int run(const Plan& plan) {
  const std::unique_ptr<Writer> writer = make_writer(plan);
  if (!writer) return 2;
  Files notes(plan);
  return Model(plan, *writer, notes).run() == 0 ? 0 : 3;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: harness_model PLAN\n"), 2;
  const harness::Plan plan = harness::Plan::read(argv[1]);
  const std::string threads = plan.text("threads");
  const int level = threads == "multiple"     ? MPI_THREAD_MULTIPLE
                    : threads == "serialized" ? MPI_THREAD_SERIALIZED
                                              : MPI_THREAD_FUNNELED;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, level, &provided);
  // With a rank dead MPI_Finalize would wait for it.
  std::_Exit(harness::run(plan));
}
