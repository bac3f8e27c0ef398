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
#include "definitions.hpp"
#include "inquiry.hpp"

namespace nb = nanobind;

namespace {

using weir::python::File;
using weir::python::Instance;
namespace data = weir::python::data;
namespace definitions = weir::python::definitions;
namespace inquiry = weir::python::inquiry;

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

void add_instance(nb::module_& module) {
  nb::class_<Instance>(module, "Instance")
      .def(nb::init<std::uintptr_t, const std::optional<std::string>&>(), nb::arg("comm_address"),
           nb::arg("config").none())
      .def_prop_ro("reserved", &Instance::reserved)
      .def_prop_ro("ended", &Instance::ended)
      .def("give_comm", &Instance::give_comm, nb::arg("comm_address"))
      .def("finalize", &Instance::finalize)
      .def("report", &Instance::report)
      .def("def_layout", &Instance::def_layout, nb::arg("shape"), nb::arg("start").none(), nb::arg("count").none(),
           nb::arg("order").none())
      .def("def_layout_subarray", &Instance::def_layout_subarray, nb::arg("shape"), nb::arg("box"),
           nb::arg("order").none(), nb::arg("memory"))
      .def("def_layout_map", &Instance::def_layout_map, nb::arg("shape"), nb::arg("offsets"))
      .def("layout_length", &Instance::layout_length, nb::arg("layout"))
      .def("free_layout", &Instance::free_layout, nb::arg("layout"));
}

void add_file(nb::module_& module) {
  nb::class_<File>(module, "File")
      .def(nb::init<std::shared_ptr<Instance>, const std::string&, int, bool>(), nb::arg("instance"), nb::arg("path"),
           nb::arg("mode"), nb::arg("is_new"))
      .def("def_dim", &definitions::def_dim, nb::arg("name"), nb::arg("length"))
      .def("def_dim_unlimited", &definitions::def_dim_unlimited, nb::arg("name"), nb::arg("length"))
      .def("extend_dim", &definitions::extend_dim, nb::arg("dim"), nb::arg("length"))
      .def("def_var", &definitions::def_var, nb::arg("name"), nb::arg("type"), nb::arg("dims"))
      .def("put_att", &definitions::put_att, nb::arg("var"), nb::arg("name"), nb::arg("type"), nb::arg("values"))
      .def("put_att_texts", &definitions::put_att_texts, nb::arg("var"), nb::arg("name"), nb::arg("texts"))
      .def("def_var_chunking", &definitions::def_var_chunking, nb::arg("var"), nb::arg("chunks"))
      .def("def_var_deflate", &definitions::def_var_deflate, nb::arg("var"), nb::arg("shuffle"), nb::arg("deflate"),
           nb::arg("level"))
      .def("def_var_zstd", &definitions::def_var_zstd, nb::arg("var"), nb::arg("level"))
      .def("def_var_fletcher32", &definitions::def_var_fletcher32, nb::arg("var"), nb::arg("fletcher32"))
      .def("def_var_quantize", &definitions::def_var_quantize, nb::arg("var"), nb::arg("mode"), nb::arg("digits"))
      .def("set_fill", &definitions::set_fill, nb::arg("mode"))
      .def("enddef", &definitions::enddef)
      .def("redef", &definitions::redef)
      .def("sync", &data::sync)
      .def("close", &File::close)
      .def("put_vara", &data::put_vara, nb::arg("var"), nb::arg("start"), nb::arg("count"), nb::arg("type"),
           nb::arg("values"))
      .def("put", &data::put, nb::arg("var"), nb::arg("record"), nb::arg("layout"), nb::arg("type"), nb::arg("values"))
      .def("put_var", &data::put_var, nb::arg("var"), nb::arg("record"), nb::arg("type"), nb::arg("values"))
      .def("fail", &data::fail, nb::arg("code"), nb::arg("sentence"))
      .def("fail_box", &data::fail_box, nb::arg("var"), nb::arg("code"), nb::arg("sentence"))
      .def("get_vara", &data::get_vara, nb::arg("var"), nb::arg("start"), nb::arg("count"), nb::arg("type"),
           nb::arg("values"))
      .def("get_vara_all", &data::get_vara_all, nb::arg("var"), nb::arg("start"), nb::arg("count"), nb::arg("type"),
           nb::arg("values"))
      .def("get", &data::get, nb::arg("var"), nb::arg("record"), nb::arg("layout"), nb::arg("type"), nb::arg("values"))
      .def("prefetch", &data::prefetch, nb::arg("vars"), nb::arg("record"), nb::arg("layout"))
      .def("inq", &inquiry::inq)
      .def("records", &inquiry::records)
      .def("dim", &inquiry::dim, nb::arg("number"))
      .def("var", &inquiry::var, nb::arg("number"))
      .def("attname", &inquiry::attname, nb::arg("var"), nb::arg("number"))
      .def("att", &inquiry::att, nb::arg("var"), nb::arg("name"))
      .def("get_att", &inquiry::get_att, nb::arg("var"), nb::arg("name"), nb::arg("values"))
      .def("get_att_texts", &inquiry::get_att_texts, nb::arg("var"), nb::arg("name"))
      .def("unlimdims", &inquiry::unlimdims)
      .def("left_out", &inquiry::left_out)
      .def("format", &inquiry::format);
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
  add_instance(module);
  add_file(module);
  module.def("mpi_library", &mpi_library);
  module.attr("comm_bytes") = sizeof(MPI_Comm);
  module.attr("version") = WEIR_VERSION;
}
