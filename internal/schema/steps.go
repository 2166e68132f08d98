package schema

import (
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxSteps is how many parts of a schema are held against parts of one value. One that
// refers to itself twice at each of forty levels would take a trillion.
const maxSteps = 1_000_000

var errSteps = fmt.Errorf("to check it against its schema takes more than %d steps", maxSteps)

// steps counts those of one schema's checks, which come one after the other.
type steps struct {
	mu   sync.Mutex
	left int
}

// count makes a compiler tell of each part of a schema that is checked.
func (s *steps) count(c *jsonschema.Compiler) {
	c.AssertVocabs()
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "mem:///steps", Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) { return s, nil },
	})
}

// Validate implements [jsonschema.SchemaExt]. The package has no other way to stop a
// check than a panic; validate takes it.
func (s *steps) Validate(*jsonschema.ValidatorContext, any) {
	if s.left--; s.left < 0 {
		panic(errSteps)
	}
}

// validate fails with errSteps where a check takes too long.
func (s *steps) validate(schema *jsonschema.Schema, v any) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = maxSteps
	defer func() {
		if e := recover(); e != nil {
			if stopped, ok := e.(error); !ok || !errors.Is(stopped, errSteps) {
				panic(e)
			}
			err = errSteps
		}
	}()
	return schema.Validate(v)
}
