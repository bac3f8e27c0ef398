# SPDX-License-Identifier: Apache-2.0
# libweir_pio.so: PIO's distributed arrays, through Weir. It needs no PIO to be built. And weir_pio.link, what the linker is told
# where PIO is a static library: each call that the bridge takes over goes to the bridge by another name (--wrap), and PIO's
# functions stay in the program (-u), where the bridge finds them (-rdynamic).
if(NOT TARGET weir_bridge_core)
  return()
endif()
set(pio_calls Init_Intracomm Init_Intracomm_from_F90 finalize free_iosystem Set_IOSystem_Error_Handling set_iosystem_error_handling
  Set_File_Error_Handling InitDecomp InitDecomp_ReadOnly InitDecomp_bc init_decomp freedecomp createfile openfile openfile2 open
  redef enddef sync closefile setframe advanceframe write_darray write_darray_multi read_darray
  def_dim def_var def_var_fill rename_dim rename_var rename_att del_att def_var_chunking def_var_deflate def_var_szip def_var_zstandard
  def_var_bzip2 def_var_filter def_var_quantize def_var_endian inq_dim inq_dimlen)
foreach(form put_var put_var1 put_vara put_vars put_vard get_var get_var1 get_vara get_vars get_vard)
  foreach(type "" _text _schar _uchar _short _ushort _int _uint _long _float _double _longlong _ulonglong)
    list(APPEND pio_calls ${form}${type})
  endforeach()
endforeach()
foreach(type "" _text _schar _uchar _short _ushort _int _uint _long _float _double _longlong _ulonglong)
  list(APPEND pio_calls put_att${type})
endforeach()
foreach(form var var1 vars)
  list(APPEND pio_calls put_${form}_tc get_${form}_tc)
endforeach()
list(TRANSFORM pio_calls PREPEND PIOc_)
list(TRANSFORM pio_calls REPLACE "(.+)" "-Wl,--defsym=__wrap_\\1=\\1" OUTPUT_VARIABLE pio_second_names)
list(TRANSFORM pio_calls REPLACE "(.+)" "-Wl,--wrap=\\1,-u,\\1" OUTPUT_VARIABLE pio_link)
list(JOIN pio_second_names "\n" pio_second_names)
list(JOIN pio_link "\n" pio_link)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/weir_pio.names CONTENT "@pio_second_names@\n" @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/lib/weir_pio.link CONTENT "@pio_link@\n-rdynamic\n" @ONLY)

file(GLOB bridge_pio_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/pio/*.cpp)
weir_bridge(weir_pio SOURCES ${bridge_pio_sources} EXPORTS PIOc_* __wrap_PIOc_*)
weir_unite(weir_pio)
target_link_options(weir_pio PRIVATE @${PROJECT_BINARY_DIR}/weir_pio.names)
set_target_properties(weir_pio PROPERTIES LINK_DEPENDS ${PROJECT_BINARY_DIR}/weir_pio.names)
