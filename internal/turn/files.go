package turn

import (
	"context"
	"io"
	"os"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// Upload implements [Engine]: the bytes go to disk as they arrive, then pass
// the same checks as a turn's attachment, so that what is accepted here is
// accepted there.
func (l *Local) Upload(ctx context.Context, u Upload) (Uploaded, error) {
	root, err := l.rootOf(ctx, u.SessionID, u.ProjectRoot)
	if err != nil {
		return Uploaded{}, err
	}
	rules, err := l.projects.rulesOf(root)
	if err != nil {
		return Uploaded{}, err
	}
	name := attachment.DisplayName(u.Name)
	saved, err := l.o.Store.SaveUpload(ctx, root, name, u.Content, rules.UploadBytes)
	if err != nil {
		return Uploaded{}, err
	}
	blobs, err := l.o.Store.Blobs(root)
	if err != nil {
		return Uploaded{}, err
	}
	policy := rules.Policy
	policy.Roots = nil
	policy.FileBytes, policy.TurnBytes = rules.UploadBytes, rules.UploadBytes
	r, err := attachment.Resolve(ctx, []string{saved}, policy, blobs)
	if err == nil && len(r.Refused) > 0 {
		err = attachment.UploadFailure(r.Refused[0])
	}
	if err != nil {
		_ = os.Remove(saved) // refused: nothing to keep; a leftover is swept
		return Uploaded{}, err
	}
	it := r.Items[0]
	return Uploaded{Path: saved, SHA256: it.SHA256, MIMEType: it.MIMEType, Bytes: it.Bytes, Name: it.Name}, nil
}

// rootOf is the project of a session, or the one that is named where there is none.
func (l *Local) rootOf(ctx context.Context, sessionID, projectRoot string) (string, error) {
	if sessionID == "" {
		return l.projects.check(projectRoot)
	}
	rec, err := l.o.Store.Get(ctx, sessionID)
	if err != nil {
		return "", err
	}
	return l.projects.check(rec.ProjectRoot)
}

// Inspect implements [Engine]: every check and plan that the session's next turn
// would make of the files, without a record. Where attachments are confined to
// the project, files cannot be asked about without a session or a project.
func (l *Local) Inspect(ctx context.Context, r InspectRequest) ([]Inspection, error) {
	rules, root := l.o.Rules, ""
	if r.SessionID != "" || r.ProjectRoot != "" {
		var err error
		if root, err = l.rootOf(ctx, r.SessionID, r.ProjectRoot); err != nil {
			return nil, err
		}
		if rules, err = l.projects.rulesOf(root); err != nil {
			return nil, err
		}
	}
	limits, err := l.models.limits(Choice{Model: r.Model}, rules)
	if err != nil {
		return nil, err
	}
	var out []Inspection
	err = l.aside(func(blobs *session.Blobs) error {
		resolution, err := attachment.Resolve(ctx, r.Attachments, rules.policy(root), blobs)
		if err != nil {
			return err
		}
		out, err = l.verdicts(ctx, r.Attachments, resolution, blobs, limits.Attachments)
		return err
	})
	return out, err
}

// InspectItems is [Local.Inspect] of what gather accepts into the store that it is
// given: how a model would get each item.
func (l *Local) InspectItems(ctx context.Context, c Choice, gather func(attachment.BlobStore) ([]attachment.Item, error)) ([]Inspection, error) {
	limits, err := l.models.limits(c, l.o.Rules)
	if err != nil {
		return nil, err
	}
	var out []Inspection
	err = l.aside(func(blobs *session.Blobs) error {
		var r attachment.Resolution
		if r.Items, err = gather(blobs); err != nil {
			return err
		}
		paths := make([]string, len(r.Items))
		for i, it := range r.Items {
			paths[i] = it.Origin
			r.Accepted = append(r.Accepted, true)
		}
		out, err = l.verdicts(ctx, paths, r, blobs, limits.Attachments)
		return err
	})
	return out, err
}

// Takes says what a model takes of attachments in the turns of a project.
func (l *Local) Takes(projectRoot string, c Choice) (attachment.Limits, error) {
	rules, err := l.projects.rulesOf(projectRoot)
	if err != nil {
		return attachment.Limits{}, err
	}
	limits, err := l.models.limits(c, rules)
	return limits.Attachments, err
}

// aside lends a store that is gone afterwards.
func (l *Local) aside(use func(*session.Blobs) error) error {
	dir, err := os.MkdirTemp(l.o.ScratchDir, "inspect-")
	if err != nil {
		return fault.New(fault.StorageFailure, "no room for a dry run").Because(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // a leftover is swept with the scratch folder
	blobs, err := l.o.Store.Blobs(dir)
	if err != nil {
		return err
	}
	return use(blobs)
}

// verdicts lines items and refusals up with the paths they came from.
func (l *Local) verdicts(ctx context.Context, paths []string, r attachment.Resolution, blobs *session.Blobs, limits attachment.Limits) ([]Inspection, error) {
	many := limits.ManyImages > 0 && conversation.Images(r.Items) > limits.ManyImages
	items, refused := r.Items, r.Refused
	out := make([]Inspection, 0, len(paths))
	for i, path := range paths {
		if !r.Accepted[i] {
			out = append(out, Inspection{Path: path, Code: refused[0].Code, Reason: refused[0].Reason})
			refused = refused[1:]
			continue
		}
		it := items[0]
		items = items[1:]
		content, err := blobs.Content(it.SHA256)
		if err != nil {
			return nil, err
		}
		d, err := l.o.Planner.Plan(ctx, it, content, limits, many)
		if err != nil {
			return nil, err
		}
		out = append(out, Inspection{
			Path: path, OK: true, SHA256: it.SHA256, Kind: it.Kind, MIMEType: it.MIMEType,
			Bytes: it.Bytes, Base64Bytes: (it.Bytes + 2) / 3 * 4, Tokens: d.Tokens,
			Width: it.Width, Height: it.Height, Pages: it.Pages, Used: d.Used, Note: d.Warning,
		})
	}
	return out, nil
}

// Blob implements [Engine]. Only what the session's own transcript refers to is
// served.
func (l *Local) Blob(ctx context.Context, sessionID, sha256 string) (io.ReadCloser, attachment.Item, error) {
	rec, err := l.o.Store.Get(ctx, sessionID)
	if err != nil {
		return nil, attachment.Item{}, err
	}
	entries, err := l.o.Store.Entries(ctx, sessionID)
	if err != nil {
		return nil, attachment.Item{}, err
	}
	missing := fault.New(fault.NotFound, "session %s has no attachment %q", sessionID, sha256).With("sha256", sha256)
	it, ok := findItem(entries, sha256)
	if !ok {
		return nil, it, missing
	}
	blobs, err := l.o.Store.Blobs(rec.ProjectRoot)
	if err != nil {
		return nil, it, err
	}
	content, err := blobs.Content(sha256)
	if err != nil {
		if notStored(err) {
			err = missing
		}
		return nil, it, err
	}
	r, err := content.Open()
	return r, it, err
}

func findItem(entries []session.Entry, sha256 string) (attachment.Item, bool) {
	for _, e := range entries {
		for _, it := range e.Attachments {
			if it.SHA256 == sha256 {
				return it, true
			}
		}
	}
	return attachment.Item{}, false
}
