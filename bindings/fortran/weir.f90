! SPDX-License-Identifier: Apache-2.0
!> Weir: output for Earth-system models. The Fortran interface; the C interface, include/weir/weir.h, says what each
!> call does, and every function there has its procedure of the same name here.
!>
!> 1. Dimensions are listed fastest first, as Fortran arrays have them, and everything counts from 1: starts, records,
!>    elements of an offset map, axes in `order`, the identifiers of dimensions, variables and layouts.
!> 2. Arguments come in C's order, the optional ones last; counts that an array knows itself are left out. Index
!>    arguments are integer(int32) or integer(int64), all of one call alike.
!> 3. Data are scalars or arrays of any rank, of integer(int8 .. int64), real(real32, real64) or character; kind and
!>    size are known from the array, so there is no type argument, and a buffer of the wrong size is an error that says
!>    both sizes. A section with gaps is packed by the compiler: it costs one more copy. GNU 12 does not pack components
!>    of arrays of derived type (cells%height), nor describe allocatable arrays rightly that got their memory by the
!>    assignment of RESHAPE or SPREAD: the former, and the latter where they look like the former, are refused with an
!>    error that says so. Parentheses around the argument help, or an array made by ALLOCATE.
!> 4. Errors. `stat` gets WEIR_OK or a code, `errmsg` the sentence that says what was wrong, where, and what to do (it
!>    is left alone where all is well). Both are optional, and nothing here ever stops the program. A file that has
!>    failed answers every later call with its first error: it is enough, and it is necessary, to give `stat` to the
!>    last call of a group, for instance to weir_sync and weir_close. A call that comes at the wrong time (a put before
!>    weir_enddef, an attribute after it, a put into a file to read) fails the file as any other refusal does.
!>    `errmsg` is a character variable; it is declared type(*), as is every optional text here, because GNU 12 fails to
!>    compile a caller that passes an optional character of his own on to an interoperable procedure.
!> 5. Sentences that Weir's core writes name variables, files and ranks; where they show an index, it counts from 0.
!>
!> Needs MPI's module mpi_f08 and a compiler with Fortran 2018's C descriptors (GNU 12 or newer, Intel ifx, Cray, NAG).
module weir
  use weir_types
  use weir_files
  use weir_layouts
  use weir_data
  use weir_inquiry
  use weir_streams
  implicit none
  public
end module weir
