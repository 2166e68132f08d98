package confine

// systemNames are variables without which programs of this system do not run.
var systemNames = []string{"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "windir", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"}

// systemHomes are the names under which programs of this system look for what
// HOME and TMPDIR say.
func systemHomes(home, tmp string) []string {
	return []string{"USERPROFILE=" + home, "TEMP=" + tmp, "TMP=" + tmp}
}
