package turn

import "errors"

func limitFiles(uint64) error { return errors.ErrUnsupported }
func limitOpen(uint64) error  { return errors.ErrUnsupported }
func noLimits() error         { return errors.ErrUnsupported }
