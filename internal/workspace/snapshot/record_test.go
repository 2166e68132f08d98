package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

// A publication is on record, with the hash of its manifest, before the snapshot has its
// name. Without a record nothing is published.
func TestPublicationsAreOnRecord(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{"a.md": "one", "b.md": "two"}), options(t)
	target.By = Author{Agent: "ESTIMATOR", Session: "s1", Turn: "t1"}
	var log []Record
	o.Record = func(_ context.Context, r Record, _ error) error {
		if _, err := os.Stat(filepath.Join(target.Root, filepath.FromSlash(r.Path))); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there before the record: %v", r.Path, err)
		}
		log = append(log, r)
		return nil
	}
	s := publish(t, target, o, "")
	manifest, err := os.ReadFile(s.Manifest)
	must(t, err)
	sum := sha256.Sum256(manifest)
	want := []Record{{Project: target.Root, Path: "_Estimates/" + s.Name, SHA256: hex.EncodeToString(sum[:]), Files: 2, Bytes: 6, By: target.By}}
	if diff := cmp.Diff(want, log); diff != "" || s.SHA256 != want[0].SHA256 {
		t.Errorf("on record (-want +got), published with %s:\n%s", s.SHA256, diff)
	}

	o.Record = func(context.Context, Record, error) error { return errors.New("full") }
	before := names(t, filepath.Join(target.Root, "_Estimates"))
	if _, err := Publish(t.Context(), target, o, Copy(t.Context(), target, o, "")); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("without a record: %v", err)
	}
	if diff := cmp.Diff(before, names(t, filepath.Join(target.Root, "_Estimates"))); diff != "" {
		t.Errorf("it left (-before +after):\n%s", diff)
	}
}
