package pdf

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/tetratelabs/wazero/api"
)

// The library that runs PDFium leaves two things to the runtime that a host of
// hostile files wants to decide: the context of its calls and where the module's
// memory lies. Both are exported fields of types that are not, so that they are
// reached by reflection, and checked: a context that cannot be set fails the
// call, a memory that cannot be placed stays where the runtime has put it, under
// the same limit.

// arena is the memory of one module after the other. The runtime would grow a
// memory by copying it, and with the copies a limit of 128 MiB took half a
// gigabyte. Here the whole is reserved once; what the modules never touch is
// never backed by the system.
type arena struct {
	bytes  []byte
	memory api.Memory // the last one that lay here
	dirty  int        // how far modules have come
}

func newArena(limit int64) (*arena, error) {
	bytes, err := reserve(limit)
	if err != nil {
		return nil, fmt.Errorf("pdf: reserving %d bytes: %w", limit, err)
	}
	return &arena{bytes: bytes}, nil
}

// free gives the arena's memory back. The module in it must be closed.
func (a *arena) free() {
	if a != nil {
		release(a.bytes)
		a.bytes = nil
	}
}

// confine makes every call of the instance end with ctx and puts its memory into
// the arena.
func (e *Engine) confine(ctx context.Context, instance pdfium.Pdfium) error {
	withImplementation, ok := instance.(interface{ GetImplementation() any })
	if !ok {
		return errors.New("pdf: the engine's instance has no implementation")
	}
	fields := reflect.Indirect(reflect.ValueOf(withImplementation.GetImplementation()))
	field := fields.FieldByName("Context")
	if !field.IsValid() || !field.CanSet() || field.Type() != reflect.TypeFor[context.Context]() {
		return errors.New("pdf: the engine's calls cannot be bound to a context")
	}
	// A call that outlives its context is stopped by the runtime
	// (WithCloseOnContextDone).
	field.Set(reflect.ValueOf(ctx))
	if module, ok := fields.FieldByName("Module").Interface().(api.Module); ok {
		e.arena.adopt(module.Memory())
	}
	return nil
}

// adopt moves a memory into the arena. It must not be in use.
func (a *arena) adopt(memory api.Memory) {
	v := reflect.ValueOf(memory)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return
	}
	buffer, pages := v.Elem().FieldByName("Buffer"), v.Elem().FieldByName("Cap")
	if !buffer.CanSet() || buffer.Type() != reflect.TypeFor[[]byte]() ||
		!pages.CanSet() || pages.Kind() != reflect.Uint32 || buffer.Len() > len(a.bytes) {
		return
	}
	if a.memory != nil {
		a.dirty = max(a.dirty, int(a.memory.Size()))
	}
	n := copy(a.bytes, buffer.Bytes())
	clear(a.bytes[n:max(n, a.dirty)])
	buffer.SetBytes(a.bytes[:n])
	pages.SetUint(uint64(len(a.bytes) / wasmPage))
	memory.Grow(1) // tells the compiled code where its memory is now
	a.memory = memory
}

// memoryBytes caps the memory of the sandbox, the file included.
const memoryBytes = 128 << 20

// wasmPage is what WebAssembly counts memory in.
const wasmPage = 64 << 10

// exhausted is the error of a file that the sandbox failed on: PDFium gives up
// where it gets no more memory.
func exhausted() error {
	return &ExcessError{Reason: fmt.Sprintf("reading it takes more than %d MiB of memory", memoryBytes>>20)}
}

// trapped reports whether a call ended in the sandbox instead of with an answer
// of PDFium about the file.
func trapped(err error) bool {
	switch {
	case err == nil, errors.Is(err, pdfiumerrors.ErrFile), errors.Is(err, pdfiumerrors.ErrFormat),
		errors.Is(err, pdfiumerrors.ErrPage), errors.Is(err, pdfiumerrors.ErrUnknown),
		errors.Is(err, pdfiumerrors.ErrSuccess), errors.Is(err, pdfiumerrors.ErrUnexpected):
		return false
	}
	return true
}
