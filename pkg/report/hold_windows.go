package report

import "os"

// hold marks a file as in use for as long as it is open, and says whether nobody else did. On Windows nobody can remove a
// file that is open, so that there is nothing to do.
func hold(*os.File) bool { return true }

// busy does the same, and says whether somebody else did: here nobody can tell.
func busy(*os.File) bool { return false }
