package turn

import "errors"

func limitFiles(uint64) error { return errors.ErrUnsupported }
