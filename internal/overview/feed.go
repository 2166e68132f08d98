package overview

type feed struct{}

func (f *feed) init(*Overview) {}
func (f *feed) close()         {}
