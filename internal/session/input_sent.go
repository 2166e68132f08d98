package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
)

// The name of an input that has a key ends with the key's hash and, where it is known,
// the beginning of the digest. The transcript has the name, too.
const (
	keyMark      = "-key"
	digestMark   = "-is"
	keyDigits    = 24
	digestDigits = 16
)

func keyPart(key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return keyMark + hex.EncodeToString(sum[:keyDigits/2])
}

func digestPart(digest string) string {
	if digest == "" {
		return ""
	}
	return digestMark + digest[:min(len(digest), digestDigits)]
}

// keyed returns what the key and the digest of an input have made of its name, each ""
// where there is none.
func keyed(name string) (key, digest string) {
	name = strings.TrimSuffix(name, inputSuffix)
	i := strings.LastIndex(name, keyMark)
	end := i + len(keyMark) + keyDigits
	if i < 0 || end > len(name) {
		return "", ""
	}
	return name[i:end], name[end:]
}

// InputSent reports whether an input with that key was sent into a turn of the session,
// so that a sender who does not know can find out. It is in the transcript, or it waits
// for a turn that has no end yet. One whose sender died before it knew that the turn no
// longer listens was not sent. One of another digest is IDEMPOTENCY_CONFLICT.
func (s *Signals) InputSent(ctx context.Context, id, key, digest string) (bool, error) {
	const failed = "the inputs could not be read"
	if key == "" {
		return false, nil
	}
	has := func(name string) bool {
		of, _ := keyed(name)
		return of == keyPart(key)
	}
	names, err := s.inputNames(id)
	if err != nil {
		return false, storage(failed, err)
	}
	var name string
	var waits Input
	if i := slices.IndexFunc(names, has); i >= 0 {
		name = names[i]
		if waits, err = s.peekInput(dirInputs + "/" + id + "/" + name); err != nil {
			return false, storage(failed, err)
		}
	}
	entries, err := s.store.Entries(ctx, id) // the file goes only once the transcript has it
	if err != nil {
		return false, err
	}
	if i := slices.IndexFunc(entries, func(e Entry) bool { return has(e.Input) }); i >= 0 {
		name = entries[i].Input
	} else if _, ended := EndOf(entries, waits.Turn); waits.Turn == "" || ended {
		return false, nil
	}
	if _, was := keyed(name); was != "" && digest != "" && was != digestPart(digest) {
		return true, fault.New(fault.IdempotencyConflict, "Idempotency-Key %q was used for another message into a turn of this session", key)
	}
	return true, nil
}

// peekInput reads an input that waits, or was just taken. It is empty where it is gone.
func (s *Signals) peekInput(name string) (in Input, err error) {
	for _, file := range []string{name, name + takenSuffix} {
		data, _, err := durable.ReadFile(s.store.stateDir.Root(), file, maxInputBytes)
		if err == nil {
			err = json.Unmarshal(data, &in)
			return in, err
		}
		if !missing(err) {
			return in, err
		}
	}
	return in, nil
}
