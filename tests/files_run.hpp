// SPDX-License-Identifier: Apache-2.0
// A test program holds the tests of several files. `--files=NAME:SECONDS,NAME:SECONDS` (":SECONDS" may be left out)
// runs those of tests/FOLDER/NAME_test.cpp or NAME_mpi_test.cpp only, and ends the program, with the name of the test,
// where one of them takes longer than its file's limit. Each file has a TMPDIR of its own.
#pragma once

// For main(), after InitGoogleTest has taken its own arguments away. False: an argument is unknown, or a file has no
// tests, which stderr says. Local.
bool choose_files(int argc, char** argv);

// The test that runs has failed here: it ends within so many seconds, or its program does, and says why. Local.
void end_within(unsigned seconds);
