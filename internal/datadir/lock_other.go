//go:build !unix

package datadir

import "os"

// lock does nothing where flock does not exist; the databases' own locks remain.
func lock(*os.File) error { return nil }
