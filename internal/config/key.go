package config

import "strings"

// projectMay says what a project's belay.yaml may do with a setting.
type projectMay int

const (
	// never is the rule: the file comes with the project, like code.
	never projectMay = iota
	// suggestion lets the project give a default that every other layer overrides.
	suggestion
	// tighten lets the project make a limit stricter; the stricter of its value
	// and everybody else's holds.
	tighten
)

// key is one row of the table: a setting bound to its field of one Config.
type key struct {
	name  string
	value value
	def   string
	doc   string
	// why is the reason to change it, for the reference page.
	why     string
	project projectMay
	// aliases are environment variables beside BELAY_<NAME>, in order of
	// preference.
	aliases []alias
	// flag is its name on command lines where that does not follow from its own.
	flag string

	origin string
}

// alias is a variable of another system that means the same setting. convert,
// when set, rewrites its value into the setting's own form.
type alias struct {
	name    string
	convert func(string) (string, error)
}

// env is the setting's own variable.
func (k *key) env() string { return envName(k.name) }

// envName is the variable of a setting.
func envName(key string) string {
	return "BELAY_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// flagName is the name of the setting's own flag, on the commands that have one.
func (k *key) flagName() string {
	if k.flag != "" {
		return k.flag
	}
	return strings.NewReplacer(".", "-", "_", "-").Replace(k.name)
}

// value is the typed half of a key. Implementations are pointers bound to a
// field.
type value interface {
	// set parses text; relative paths in it start at base.
	set(text, base string) error
	// kind names the YAML scalars that set accepts.
	kind() kind
	// String is the value in normal form, which set reads back.
	String() string
	// schema describes the value in a config file.
	schema() map[string]any
}

// tightener is a value that has a stricter direction.
type tightener interface {
	// tighten takes over what is stricter in other, which has the same type.
	// It reports whether anything was taken over.
	tighten(other value) bool
}

// kind is a set of YAML scalar types.
type kind int

const (
	scalarString kind = 1 << iota
	scalarInt
	scalarFloat
	scalarBool
	sequence
	mapping
)

func (k kind) String() string {
	switch {
	case k&mapping != 0:
		return "a mapping"
	case k&sequence != 0:
		return "a list"
	case k&scalarBool != 0:
		return "true or false"
	case k&scalarInt != 0 && k&scalarString != 0:
		return `a number or a string such as "10MiB" or "90s"`
	case k&scalarFloat != 0:
		return "a number"
	case k&scalarInt != 0:
		return "a whole number"
	}
	return "a string"
}
