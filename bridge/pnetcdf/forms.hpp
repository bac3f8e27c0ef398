// SPDX-License-Identifier: Apache-2.0
// The forms of data calls (var, var1, vara, vars, varm, varn) as macros, for the files that define the functions of all
// forms and types. pnetcdf.h declares each of them, so a wrong argument does not compile.
#pragma once

#define WEIR_EACH_FORM(X) X(var) X(var1) X(vara) X(vars) X(varm) X(varn)

// Each form's arguments between the variable and the buffer, as they are declared, passed on, and put in an Access.
#define DECLARE_var
#define DECLARE_var1 , const MPI_Offset* start
#define DECLARE_vara , const MPI_Offset *start, const MPI_Offset *count
#define DECLARE_vars DECLARE_vara, const MPI_Offset* stride
#define DECLARE_varm DECLARE_vars, const MPI_Offset* imap
#define DECLARE_varn , int num, MPI_Offset *const *starts, MPI_Offset *const *counts
#define PASS_var
#define PASS_var1 , start
#define PASS_vara , start, count
#define PASS_vars , start, count, stride
#define PASS_varm , start, count, stride, imap
#define PASS_varn , num, starts, counts
#define ACCESS_var .form = Access::Form::whole, .var = varid
#define ACCESS_var1 .form = Access::Form::one, .var = varid, .start = start
#define ACCESS_vara .form = Access::Form::box, .var = varid, .start = start, .count = count
#define ACCESS_vars ACCESS_vara, .stride = stride
#define ACCESS_varm ACCESS_vars, .imap = imap
#define ACCESS_varn .form = Access::Form::list, .var = varid, .number = num, .starts = starts, .counts = counts

#define OF_TYPE(ctype) , ctype* op
#define OF_BUFFER , op
#define OF_DATATYPE(ctype) , ctype *op, MPI_Offset bufcount, MPI_Datatype buftype
#define OF_DATATYPE_BUFFER , op, bufcount, buftype
