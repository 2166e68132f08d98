package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"belay/bench/measure"
	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/gather"
	"belay/internal/authored"
)

// What a task shows: files in a folder, by one pattern.
const (
	itemCount   = 1_000
	itemBytes   = 200_000
	itemReaders = 4 // at one time, on both sides
)

// workflowItems measures a task's local attachments from the file's text to items,
// beside reading and hashing the same files.
func (b *bench) workflowItems(ctx context.Context) ([]measure.Figure, error) {
	dir := filepath.Join(b.dir, "items")
	if err := fillItems(dir); err != nil {
		return nil, err
	}
	entries, err := decodeEntries("- {type: file, paths: ['**/*.bin'], name: 'part of {{ .workflow.id }}', meta: {run: '{{ .workflow.exec_id }}'}}\n" +
		"- {type: file, paths: ['d0?/*.bin']}\n")
	if err != nil {
		return nil, err
	}
	downloads, err := b.downloads()
	if err != nil {
		return nil, err
	}
	defer func() { _ = downloads.Close() }() // nothing was fetched
	g := gather.New(gather.Options{Downloads: downloads})
	var all measure.Series
	for round := range b.o.Rounds + 1 {
		alone, err := elapsed(func() error { return hashAll(dir) })
		if err != nil {
			return nil, err
		}
		whole, err := elapsed(func() error { return gatherItems(ctx, g, dir, entries) })
		if err != nil {
			return nil, err
		}
		if round > 0 { // the first brings the files into the system's cache
			all.AddBoth(alone, whole)
		}
	}
	m := all.Figure("workflow", "1,000 local attachments (200 MB) expanded, merged, typed and hashed", "ms", measure.AtMostTimes(1.5))
	m.Note = "beside reading and hashing the files, four at a time too"
	return []measure.Figure{m}, os.RemoveAll(dir)
}

func fillItems(dir string) error {
	random := rand.NewChaCha8([32]byte{1})
	data := make([]byte, itemBytes)
	for i := range itemCount {
		path := filepath.Join(dir, fmt.Sprintf("d%02d", i%20), fmt.Sprintf("f%04d.bin", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		_, _ = random.Read(data) // never fails
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func decodeEntries(text string) ([]declared.Entry, error) {
	n, err := authored.Parse("bench.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	r := &authored.Report{}
	entries := declared.Decode(n, r, "attachments")
	return entries, r.Err("bench.yaml")
}

// hashAll reads and hashes each file.
func hashAll(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.bin"))
	if err != nil || len(names) != itemCount {
		return fmt.Errorf("%d files: %w", len(names), err)
	}
	var group errgroup.Group
	group.SetLimit(itemReaders)
	for _, name := range names {
		group.Go(func() error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			_, err = io.Copy(sha256.New(), f)
			return errors.Join(err, f.Close())
		})
	}
	return group.Wait()
}

// gatherItems does with entries what a task does before its turn begins.
func gatherItems(ctx context.Context, g *gather.Gatherer, dir string, entries []declared.Entry) error {
	list, folder, err := expanded(ctx, dir, entries, 2*itemCount)
	if err != nil {
		return err
	}
	defer folder.close()
	r, err := g.Gather(ctx, folder.Folder, list, hashes{})
	if err != nil {
		return err
	}
	if len(r.Items) != itemCount || r.Items[0].SHA256 == "" {
		return fmt.Errorf("%d items", len(r.Items))
	}
	return nil
}

// opened is a folder of attachments with its root.
type opened struct {
	*declared.Folder
	root *os.Root
}

func (o opened) close() { _ = o.root.Close() } // it was only read

// expanded evaluates entries in a folder and merges them with themselves, as task,
// agent and action. The caller closes the folder.
func expanded(ctx context.Context, dir string, entries []declared.Entry, most int) ([]*declared.Attachment, opened, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, opened{}, err
	}
	f := opened{declared.NewFolder(root, most), root}
	x := &declared.Expander{Folder: f.Folder, MaxItems: 2 * most}
	values := map[string]any{"workflow": map[string]any{"id": "wf", "exec_id": "run_1"}, "input": map[string]any{"dir": ""}}
	steps, err := x.Expand(ctx, entries, "task", values, func(string) bool { return true })
	if err != nil {
		f.close()
		return nil, f, err
	}
	list, err := x.Complete(ctx, steps, values)
	if err != nil {
		f.close()
		return nil, f, err
	}
	return f.Merge(list, list[:len(list)/2], list[len(list)/2:]), f, nil
}

// hashes is a store that keeps nothing: what it costs to store is another row's.
type hashes struct{}

var _ attachment.BlobStore = hashes{}

// Put implements [attachment.BlobStore].
func (hashes) Put(_ context.Context, r io.Reader, most int64) (string, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, most))
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// Content implements [attachment.BlobStore].
func (hashes) Content(string) (attachment.Content, error) { return nil, os.ErrNotExist }

// workflowMany measures templates, patterns and merging for many attachments.
func (b *bench) workflowMany(ctx context.Context) ([]measure.Figure, error) {
	const count, files = 10_000, 8_000
	dir := filepath.Join(b.dir, "many")
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("d%02d", i%40), fmt.Sprintf("f%05d.txt", i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600)); err != nil {
			return nil, err
		}
	}
	text := "- {type: file, paths: ['{{ .input.dir }}**/*.txt'], name: 'n {{ .workflow.id }}', meta: {a: '{{ .workflow.id }}'}}\n"
	for i := range count - files {
		text += fmt.Sprintf("- {type: image, url: 'https://example.com/{{ .workflow.id }}/%d.png'}\n", i)
	}
	entries, err := decodeEntries(text)
	if err != nil {
		return nil, err
	}
	var all measure.Series
	for round := range b.o.Rounds + 1 {
		took, err := elapsed(func() error {
			list, folder, err := expanded(ctx, dir, entries, count)
			if err != nil {
				return err
			}
			folder.close()
			if len(list) != count {
				return fmt.Errorf("%d attachments", len(list))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		walk, err := elapsed(func() error { return filepath.WalkDir(dir, func(string, os.DirEntry, error) error { return nil }) })
		if err != nil {
			return nil, err
		}
		if round > 0 {
			all.AddBoth(walk, took)
		}
	}
	m := all.Figure("workflow", "10,000 attachments: templates, patterns, merging of three scopes", "ms", measure.AtMost(150).Beside(4.45))
	m.Note = "8,000 files by one pattern, 2,000 addresses; beside filepath.WalkDir of the folder"
	return []measure.Figure{m}, os.RemoveAll(dir)
}
