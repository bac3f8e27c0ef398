// SPDX-License-Identifier: Apache-2.0
// The model that is killed. It carries out its plan's script, says at each call in which phase it is (to the fault
// layer, if that is there), and writes into the folder `notes`, by each rank R:
//   log.R    "begin K" before the commit that is line K of the script, "done K" when it has returned without error
//   error.R  the first error: code, line, phase, time, sentence
//   end.R    time, first and last code: the rank has come to its end
// After an error it closes what is open and ends Weir (after_error: end), or makes all further calls, too (go_on).
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "writer.hpp"

namespace harness {
namespace {

using nlohmann::json;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Model {
 public:
  explicit Model(const Plan& plan) : plan_(plan), notes_(plan.text("notes")) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    phase_ = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "fault_phase"));
    const std::string library = plan.text("library");
    if (library == "weir") writer_ = make_weir_writer(plan);
    if (library == "pnetcdf") writer_ = make_pnetcdf_writer(plan);
#ifdef HARNESS_NETCDF4
    if (library == "netcdf4") writer_ = make_netcdf4_writer(plan);
#endif
  }

  int run() {
    if (!writer_) return 2;
    enter("init");
    if (told(writer_->init(), -1) && writer_->has_model()) {
      carry_out();
      enter("finalize");
      told(writer_->finalize(), -1);
    }
    enter("end");
    write("end", json{{"time", now()}, {"code", first_}, {"last", last_}}.dump());
    linger();
    return first_ == 0 ? 0 : 3;
  }

 private:
  void enter(const char* phase) {
    now_in_ = phase;
    if (phase_) phase_(phase);
  }

  // True where the call went well; the first error is noted.
  bool told(int code, int line) {
    last_ = code;
    if (code == 0 || first_ != 0) return code == 0;
    first_ = code;
    const json error{
        {"code", code}, {"line", line}, {"phase", now_in_}, {"time", now()}, {"sentence", writer_->sentence(code)}};
    write("error", error.dump(-1, ' ', false, json::error_handler_t::replace));
    return false;
  }

  void carry_out() {
    const json& script = plan_["script"];
    for (int line = 0; line < static_cast<int>(script.size()); ++line) {
      if (!step(script[static_cast<std::size_t>(line)], line) && plan_.text("after_error") == "end") break;
    }
    if (first_ == 0) return;
    const std::set<int> begun = begun_;
    for (const int file : begun) {
      if (!writer_->is_open(file)) continue;
      enter("close");
      told(writer_->close(file), -1);
    }
  }

  bool step(const json& words, int line) {
    const std::string call = words[0];
    const int number = words[1];
    if (call == "compute") return compute(number), true;
    if (call == "create" || call == "open") {
      if (failed_.contains(number)) return true;  // where it was to be continued there is less than the script thinks
      enter("define");
      generation_[number] = words[2];
      begun_.insert(number);
      const bool fresh = call == "create";
      return of_file(number, told(fresh ? writer_->create(number, words[2]) : writer_->open(number, words[2]), line));
    }
    if (!writer_->is_open(number)) return true;
    if (call == "put") {
      enter("put");
      return of_file(number, told(writer_->put({number, generation_[number], words[2], words[3]}), line));
    }
    enter(call == "sync" ? "commit" : "close");
    write("log", "begin " + std::to_string(line) + " " + std::to_string(now()));
    const bool good = of_file(number, told(call == "sync" ? writer_->sync(number) : writer_->close(number), line));
    if (good) write("log", "done " + std::to_string(line) + " " + std::to_string(now()));
    return good;
  }

  bool of_file(int file, bool good) {
    if (!good) failed_.insert(file);
    return good;
  }

  // It computes for so many microseconds: the fault layer's clock may strike meanwhile.
  void compute(int microseconds) {
    enter("compute");
    usleep(static_cast<useconds_t>(microseconds));
  }

  void write(const std::string& kind, const std::string& text) const {
    const std::string path = notes_ + "/" + kind + "." + std::to_string(rank_), line = text + "\n";
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0 || ::write(file, line.data(), line.size()) < 0 || ::fsync(file) != 0) std::perror(path.c_str());
    ::close(file);
  }

  bool has_come_to_an_end(int rank) const {
    const std::string number = "." + std::to_string(rank);
    return ::access((notes_ + "/end" + number).c_str(), F_OK) == 0 ||
           ::access((notes_ + "/fired" + number).c_str(), F_OK) == 0;
  }

  // Whoever is still in a call may need this rank's MPI to go on: a rank that is through waits for the others, as
  // MPI_Finalize would, but not for those to whom something has happened, and not for ever.
  void linger() const {
    const double until = now() + plan_["linger"].get<double>();
    for (int rank = 0; rank < ranks_ && now() < until; ++rank) {
      while (!has_come_to_an_end(rank) && now() < until) {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        usleep(2000);
      }
    }
  }

  const Plan& plan_;
  std::string notes_;
  int rank_ = 0, ranks_ = 1;
  void (*phase_)(const char*) = nullptr;
  std::unique_ptr<Writer> writer_;
  const char* now_in_ = "init";
  int first_ = 0, last_ = 0;
  std::map<int, int> generation_;
  std::set<int> begun_, failed_;
};

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: harness_model PLAN\n"), 2;
  const harness::Plan plan(argv[1]);
  const std::string threads = plan.text("threads");
  const int level = threads == "multiple"     ? MPI_THREAD_MULTIPLE
                    : threads == "serialized" ? MPI_THREAD_SERIALIZED
                                              : MPI_THREAD_FUNNELED;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, level, &provided);
  harness::Model model(plan);
  // With a rank dead MPI_Finalize would wait for it.
  std::_Exit(model.run());
}
