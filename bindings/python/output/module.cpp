// SPDX-License-Identifier: Apache-2.0
// weir._output: files that the ranks of a Python program write and read. What programs call is weir.output, which is
// written on this; python/weir/_output.pyi has the types.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "data.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

namespace io = weir::io;
using io::Indices;
using weir::python::File;
using weir::python::Instance;
using weir::python::outside;
using Order = std::optional<std::vector<int>>;

// A method of weir.hpp as Python calls it: of a file that is open or a Weir that runs, without the GIL.
template <class Result, class... Given>
auto of_file(Result (io::File::*method)(Given...)) {
  return [method](const File& file, Given... given) {
    return outside([&, &open = file.open()] { return (open.*method)(given...); });
  };
}
template <class Result, class... Given>
auto of_file(Result (io::File::*method)(Given...) const) {
  return [method](const File& file, Given... given) {
    return outside([&, &open = file.open()] { return (open.*method)(given...); });
  };
}
template <class Result, class... Given>
auto of_instance(Result (io::Weir::*method)(Given...)) {
  return [method](const Instance& instance, Given... given) {
    return outside([&, &weir = instance.running()] { return (weir.*method)(given...); });
  };
}

// weir.h's errors become weir.Error, with the code and the sentence.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const weir::io::Error& error) {
    const nb::object type = nb::module_::import_("weir.errors").attr("Error");
    const nb::object value = type(static_cast<int>(error.code()), error.what());
    PyErr_SetObject(type.ptr(), value.ptr());
  }
}

nb::class_<Instance> add_instance(nb::module_& module) {
  nb::class_<io::Layout>(module, "Layout");
  nb::class_<io::Field>(module, "Field");
  nb::class_<Instance> instance(module, "Instance");
  instance.def(nb::init<std::uintptr_t, const std::optional<std::string>&>(), "comm_address"_a, "config"_a.none())
      .def_prop_ro("reserved", &Instance::reserved)
      .def_prop_ro("ended", &Instance::ended)
      .def("give_comm", &Instance::give_comm, "comm_address"_a)
      .def("finalize", of_instance(&io::Weir::finalize))
      .def("report", of_instance(&io::Weir::report))
      .def(
          "def_layout",
          [](const Instance& instance, const Indices& shape, const Indices& start, const Indices& count,
             const Order& order) {
            return outside([&, &weir = instance.running()] {
              return weir.def_layout(shape, start, count, order.value_or(std::vector<int>()));
            });
          },
          "shape"_a, "start"_a, "count"_a, "order"_a.none())
      .def(
          "def_layout_subarray",
          [](const Instance& instance, const Indices& shape, const std::pair<Indices, Indices>& box, const Order& order,
             const std::pair<Indices, Indices>& memory) {
            return outside([&, &weir = instance.running()] {
              return weir.def_layout_subarray(shape, {box.first, box.second}, order.value_or(std::vector<int>()),
                                              memory.first, memory.second);
            });
          },
          "shape"_a, "box"_a, "order"_a.none(), "memory"_a)
      .def("def_layout_map", &weir::python::def_layout_map, "shape"_a, "offsets"_a)
      .def("free_layout", of_instance(&io::Weir::free_layout), "layout"_a);
  return instance;
}

void add_streams(nb::class_<Instance>& instance) {
  instance
      .def(
          "def_field",
          [](const Instance& of, const std::string& name, int type, const std::vector<std::string>& dims,
             const std::optional<io::Layout>& layout) {
            return outside([&, &weir = of.running()] {
              const auto element = static_cast<weir_type>(type);
              return layout ? weir.def_field(name, element, dims, *layout) : weir.def_field(name, element);
            });
          },
          "name"_a, "type"_a, "dims"_a, "layout"_a.none())
      .def("put_field_att", &weir::python::put_field_att, "field"_a.none(), "name"_a, "type"_a, "values"_a)
      .def(
          "put_field_att_texts",
          [](const Instance& of, const io::Field* field, const std::string& name,
             const std::vector<std::string>& texts) {
            of.running().put_field_att(field ? *field : io::Field(), name, texts);
          },
          "field"_a.none(), "name"_a, "texts"_a)
      .def("set_field", &weir::python::set_field, "field"_a, "type"_a, "values"_a.none())
      .def("start_streams", of_instance(&io::Weir::start_streams), "units"_a, "start"_a, "calendar"_a)
      .def("send", &weir::python::send, "field"_a, "time"_a, "type"_a, "values"_a.none())
      .def(
          "field_wanted",
          [](const Instance& of, const io::Field& field, double time) {
            return of.running().field_wanted(field, time);
          },
          "field"_a, "time"_a);
}

void def_var_chunking(io::File& file, int var, const Indices& chunks) {
  if (const std::size_t ndims = file.inq_var(var).dims.size(); chunks.size() != ndims)
    throw io::Error(WEIR_EARGUMENT, "chunksizes has " + std::to_string(chunks.size()) + " numbers for " +
                                        std::to_string(ndims) + " dimensions: give one for each");
  file.def_var_chunking(var, chunks);
}

void add_definitions(nb::class_<File>& file) {
  file.def("def_dim", of_file(&io::File::def_dim), "name"_a, "length"_a)
      .def("def_dim_unlimited", of_file(&io::File::def_dim_unlimited), "name"_a, "length"_a)
      .def("extend_dim", of_file(&io::File::extend_dim), "dim"_a, "length"_a)
      .def(
          "def_var",
          [](const File& to, const std::string& name, int type, const std::vector<int>& dims) {
            return to.open().def_var(name, static_cast<weir_type>(type), dims);
          },
          "name"_a, "type"_a, "dims"_a)
      .def("put_att", &weir::python::put_att, "var"_a, "name"_a, "type"_a, "values"_a)
      .def(
          "put_att_texts",
          [](const File& to, int var, const std::string& name, const std::vector<std::string>& texts) {
            to.open().put_att(var, name, texts);
          },
          "var"_a, "name"_a, "texts"_a)
      .def(
          "def_var_chunking",
          [](const File& to, int var, const Indices& chunks) { def_var_chunking(to.open(), var, chunks); }, "var"_a,
          "chunks"_a)
      .def("def_var_deflate", of_file(&io::File::def_var_deflate), "var"_a, "shuffle"_a, "deflate"_a, "level"_a)
      .def("def_var_zstd", of_file(&io::File::def_var_zstd), "var"_a, "level"_a)
      .def("def_var_fletcher32", of_file(&io::File::def_var_fletcher32), "var"_a, "fletcher32"_a)
      .def("def_var_quantize", of_file(&io::File::def_var_quantize), "var"_a, "mode"_a, "digits"_a)
      .def(
          "set_fill", [](const File& to, int mode) { to.open().set_fill(static_cast<weir_fill_mode>(mode)); }, "mode"_a)
      .def("enddef", of_file(&io::File::enddef))
      .def("redef", of_file(&io::File::redef))
      .def("sync", of_file(&io::File::sync))
      .def("close", of_file(&io::File::close));
}

void add_data(nb::class_<File>& file) {
  file.def("put_vara", &weir::python::put_vara, "var"_a, "start"_a, "count"_a, "type"_a, "values"_a)
      .def("put", &weir::python::put, "var"_a, "record"_a, "layout"_a, "type"_a, "values"_a)
      .def("put_var", &weir::python::put_var, "var"_a, "record"_a, "type"_a, "values"_a)
      .def("fail", &weir::python::fail, "code"_a, "sentence"_a)
      .def("fail_box", &weir::python::fail_box, "var"_a, "code"_a, "sentence"_a)
      .def("get_vara", &weir::python::get_vara, "var"_a, "start"_a, "count"_a, "type"_a, "values"_a)
      .def("get_vara_all", &weir::python::get_vara_all, "var"_a, "start"_a, "count"_a, "type"_a, "values"_a)
      .def("get", &weir::python::get, "var"_a, "record"_a, "layout"_a, "type"_a, "values"_a)
      .def("prefetch", of_file(&io::File::prefetch), "vars"_a, "record"_a, "layout"_a);
}

// What C++ has as a structure, Python has as a tuple.
void add_inquiry(nb::class_<File>& file) {
  file.def("inq",
           [](const File& of) {
             const io::File::Summary all = of.open().inq();
             return std::tuple(all.ndims, all.nvars, all.natts, all.record_dim);
           })
      .def("inq_nrecords", of_file(&io::File::inq_nrecords))
      .def(
          "inq_dim",
          [](const File& of, int dim) {
            const io::File::Dimension dimension = of.open().inq_dim(dim);
            return std::pair(dimension.name, dimension.length);
          },
          "dim"_a)
      .def(
          "inq_var",
          [](const File& of, int var) {
            const io::File::Variable variable = of.open().inq_var(var);
            return std::tuple(variable.name, static_cast<int>(variable.type), variable.dims, variable.natts);
          },
          "var"_a)
      .def("inq_attname", of_file(&io::File::inq_attname), "var"_a, "number"_a)
      .def(
          "inq_att",
          [](const File& of, int var, const std::string& name) {
            const io::File::Attribute attribute = of.open().inq_att(var, name);
            return std::pair(static_cast<int>(attribute.type), attribute.count);
          },
          "var"_a, "name"_a)
      .def("get_att", &weir::python::get_att, "var"_a, "name"_a, "values"_a)
      .def("get_att_texts", of_file(&io::File::get_att_texts), "var"_a, "name"_a)
      .def("inq_unlimdims", of_file(&io::File::inq_unlimdims))
      .def("inq_left_out", of_file(&io::File::inq_left_out))
      .def("inq_format", of_file(&io::File::inq_format));
}

// Of the MPI that Weir was built with.
std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

NB_MODULE(_output, module) {
  nb::register_exception_translator(translate);
  nb::class_<Instance> instance = add_instance(module);
  add_streams(instance);
  nb::class_<File> file(module, "File");
  file.def(nb::init<std::shared_ptr<Instance>, const std::string&, int, bool, std::optional<std::int64_t>>(),
           "instance"_a, "path"_a, "mode"_a, "is_new"_a, "records"_a.none());
  add_definitions(file);
  add_data(file);
  add_inquiry(file);
  module.def("mpi_library", &mpi_library);
  module.attr("comm_bytes") = sizeof(MPI_Comm);
  module.attr("version") = WEIR_VERSION;
}
