package proposal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/register"
)

// maxRecord caps the file that says what a proposal is, maxListed the names that
// are read of the folder.
const (
	maxRecord = 4 << 20
	maxListed = 10_000
)

// load reads one proposal's record.
func load(project *os.Root, id string) (Proposal, error) {
	var p Proposal
	if !idPattern.MatchString(id) {
		return p, notFound(id)
	}
	data, _, err := durable.ReadFile(project, Folder+"/"+id+".json", maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return p, notFound(id)
	}
	if err != nil {
		return p, fmt.Errorf("read the proposal %s: %w", id, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("%w: %v", errMalformed, err)
	}
	if p.ID != id || !slices.Contains([]State{Open, Applied, Dismissed, Superseded}, p.State) || p.Path == "." || !filepath.IsLocal(filepath.FromSlash(p.Path)) {
		return p, errMalformed
	}
	return p, nil
}

func save(project *os.Root, p Proposal) error {
	data, err := p.encode()
	if err != nil {
		return err
	}
	return durable.WriteFile(project, p.file(), data, 0o600, durable.Proposal)
}

func (p *Proposal) encode() ([]byte, error) {
	data, err := json.MarshalIndent(p, "", "  ")
	return append(data, '\n'), err
}

// file is where the record is.
func (p *Proposal) file() string { return Folder + "/" + p.ID + ".json" }

// replaces is the record's file as a change from what it holds now.
func (p *Proposal) replaces(project *os.Root) (f changeset.File, err error) {
	f.Path = p.file()
	if f.Before, _, err = durable.ReadFile(project, f.Path, maxRecord); err != nil {
		return f, unreadable(err)
	}
	f.After, err = p.encode()
	return f, err
}

// content reads a proposal's rows.
func content(project *os.Root, id string) (*register.Register, error) {
	data, _, err := durable.ReadFile(project, Folder+"/"+id+".csv", register.MaxBytes)
	if err != nil {
		return nil, fault.New(fault.WorkspaceFileReadFailed, "the proposal's rows cannot be read").With("id", id).Because(err)
	}
	return register.Parse(data), nil
}

// all are the records of a project's proposals, the oldest first, and the names of files that
// are no record.
func all(ctx context.Context, project *os.Root) (list []Proposal, malformed []string, err error) {
	names, err := names(project)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		id, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		p, err := load(project, id)
		if err == nil {
			list = append(list, p)
		} else if errors.Is(err, errMalformed) || errors.Is(err, durable.ErrNotRegular) || errors.Is(err, durable.ErrTooLarge) {
			malformed = append(malformed, name)
		}
	}
	slices.Sort(malformed)
	slices.SortFunc(list, func(a, b Proposal) int { return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return list, malformed, nil
}

// names are those of the files of a project's proposals.
func names(project *os.Root) ([]string, error) {
	f, err := project.Open(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(maxListed)
	if err != nil && len(names) == 0 && !errors.Is(err, io.EOF) {
		return nil, unreadable(err)
	}
	return names, nil
}

func unreadable(err error) error {
	return fault.New(fault.WorkspaceFileReadFailed, "the project's proposals cannot be read").Because(err)
}

// sweep removes what processes left unfinished that died. The lock is held: nobody else
// writes.
func sweep(project *os.Root) error {
	names, err := names(project)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, durable.TempPrefix) {
			if err := forget(project, name); err != nil {
				return fault.New(fault.StorageFailure, "what a crash left among the proposals cannot be removed").Because(err)
			}
		}
	}
	return nil
}
