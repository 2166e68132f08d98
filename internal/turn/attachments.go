package turn

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// attachments takes files in and says what would become of them.
type attachments struct {
	store    *session.Store
	projects *projects
	models   *models
	dry      dryRun
}

var _ Attachments = (*attachments)(nil)

// Upload implements [Attachments]: the bytes go to disk as they arrive, then pass
// the same checks as a turn's attachment, so that what is accepted here is
// accepted there.
func (a *attachments) Upload(ctx context.Context, u Upload) (up Uploaded, err error) {
	root, err := a.projects.rootOf(ctx, a.projects.check, u.SessionID, u.ProjectRoot)
	if err != nil {
		return Uploaded{}, err
	}
	rules, err := a.projects.rulesOf(root)
	if err != nil {
		return Uploaded{}, err
	}
	name := attachment.DisplayName(u.Name)
	saved, err := a.store.SaveUpload(ctx, root, name, u.Content, rules.UploadBytes)
	if err != nil {
		return Uploaded{}, err
	}
	defer func() {
		if err != nil {
			a.store.DropUpload(root, saved)
		}
	}()
	blobs, err := a.store.Blobs(root)
	if err != nil {
		return Uploaded{}, err
	}
	policy := rules.Policy
	policy.Roots = nil
	policy.FileBytes, policy.TurnBytes = rules.UploadBytes, rules.UploadBytes
	r, err := attachment.Resolve(ctx, []string{saved}, policy, blobs)
	if err != nil {
		return Uploaded{}, err
	}
	if len(r.Refused) > 0 {
		refused := r.Refused[0]
		refused.Path = name // the person knows it; the internal path is not shown
		return Uploaded{}, attachment.UploadFailure(refused)
	}
	it := r.Items[0]
	return Uploaded{Path: saved, SHA256: it.SHA256, MIMEType: it.MIMEType, Bytes: it.Bytes, Name: it.Name}, nil
}

// Inspect implements [Attachments]: every check and plan that the session's next turn
// would make of the files, without a record. Where attachments are confined to
// the project, files cannot be asked about without a session or a project.
func (a *attachments) Inspect(ctx context.Context, r InspectRequest) ([]Inspection, error) {
	rules, root := a.projects.rules, ""
	if r.SessionID != "" || r.ProjectRoot != "" {
		var err error
		if root, err = a.projects.rootOf(ctx, a.projects.look, r.SessionID, r.ProjectRoot); err != nil {
			return nil, err
		}
		if rules, err = a.projects.rulesOf(root); err != nil {
			return nil, err
		}
	}
	limits, err := a.models.limits(Choice{Model: r.Model}, rules)
	if err != nil {
		return nil, err
	}
	var out []Inspection
	err = a.dry.aside(func(blobs *session.Blobs) error {
		resolution, err := attachment.Resolve(ctx, r.Attachments, rules.policy(root), blobs)
		if err != nil {
			return err
		}
		out, err = a.dry.verdicts(ctx, r.Attachments, resolution, blobs, limits.Attachments)
		return err
	})
	return out, err
}

// InspectItems is [Attachments.Inspect] of what gather accepts into the store that it is
// given: how a model would get each item.
func (a *attachments) InspectItems(ctx context.Context, c Choice, gather func(attachment.BlobStore) ([]attachment.Item, error)) ([]Inspection, error) {
	limits, err := a.models.limits(c, a.projects.rules)
	if err != nil {
		return nil, err
	}
	var out []Inspection
	err = a.dry.aside(func(blobs *session.Blobs) error {
		var r attachment.Resolution
		if r.Items, err = gather(blobs); err != nil {
			return err
		}
		paths := make([]string, len(r.Items))
		for i, it := range r.Items {
			paths[i] = it.Origin
			r.Accepted = append(r.Accepted, true)
		}
		out, err = a.dry.verdicts(ctx, paths, r, blobs, limits.Attachments)
		return err
	})
	return out, err
}

// Capacity is what a model takes in the turns of a project.
type Capacity struct {
	model.Limits
	// maxTokens is what the settings let a turn answer, 0 for no limit.
	maxTokens int64
}

// Room is how many tokens of instructions and message the first request of a turn may have
// at most, beside an answer of so many tokens as its options allow; tools and the project's
// notes take some of them.
func (c Capacity) Room(maxTokens *int64) int64 {
	return conversation.Prefix{Limits: c.Limits, MaxTokens: tightest(c.maxTokens, maxTokens)}.InputTokens()
}

// Takes says what a model takes in the turns of a project.
func (a *attachments) Takes(projectRoot string, c Choice) (Capacity, error) {
	rules, err := a.projects.rulesOf(projectRoot)
	if err != nil {
		return Capacity{}, err
	}
	limits, err := a.models.limits(c, rules)
	return Capacity{limits, rules.Limits.MaxTokens}, err
}

// Blob implements [Attachments]. Only what the session's own transcript refers to is
// served.
func (a *attachments) Blob(ctx context.Context, sessionID, sha256 string) (io.ReadCloser, attachment.Item, error) {
	rec, err := a.store.Get(ctx, sessionID)
	if err != nil {
		return nil, attachment.Item{}, err
	}
	entries, err := a.store.Entries(ctx, sessionID)
	if err != nil {
		return nil, attachment.Item{}, err
	}
	missing := fault.New(fault.NotFound, "session %s has no attachment %q", sessionID, fault.Clip(sha256)).With("sha256", fault.Clip(sha256)).
		WithHint("the session's transcript names its attachments; see belay session show %s", sessionID)
	it, ok := findItem(entries, sha256)
	if !ok {
		if it, ok, err = announced(ctx, a.store, sessionID, entries, sha256); err != nil {
			return nil, it, err
		}
	}
	if !ok {
		return nil, it, missing
	}
	blobs, err := a.store.Blobs(rec.ProjectRoot)
	if err != nil {
		return nil, it, err
	}
	content, err := blobs.Content(sha256)
	if errors.Is(err, session.ErrNoBlob) {
		err = fault.New(fault.NotFound, "the bytes of %q, an attachment of session %s, are gone or were changed on disk", it.Name, sessionID).With("sha256", sha256).
			WithHint("attach the file again").Because(err)
	}
	if err != nil {
		return nil, it, err
	}
	r, err := content.Open()
	return r, it, err
}

// findItem finds a file that a transcript names.
func findItem(entries []session.Entry, sha256 string) (attachment.Item, bool) {
	for _, e := range entries {
		for _, it := range e.Files() {
			if it.SHA256 == sha256 {
				return it, true
			}
		}
	}
	return attachment.Item{}, false
}

// announced finds a file that an event of the last turn names: readers see the event
// a moment before the transcript has the result.
func announced(ctx context.Context, store *session.Store, sessionID string, entries []session.Entry, sha256 string) (it attachment.Item, ok bool, err error) {
	after := int64(0)
	for _, e := range slices.Backward(entries) {
		if e.Kind == session.EntryTurn {
			after = max(e.After, 0)
			break
		}
	}
	r, err := store.Reader(ctx, sessionID, after)
	if err != nil {
		return it, false, err
	}
	defer func() { _ = r.Close() }() // it holds nothing but a place
	for {
		events, err := r.Ready(ctx)
		if err != nil || len(events) == 0 {
			return it, false, err
		}
		for _, e := range events {
			if e.Type != event.AttachmentAdd && e.Type != event.AttachmentInput {
				continue
			}
			var f event.SentFile // an input's file has the same members
			if json.Unmarshal(e.Data, &f) == nil && f.SHA256 == sha256 {
				return attachment.Item{SHA256: f.SHA256, Name: f.Filename, MIMEType: f.MIMEType, Bytes: f.Bytes}, true, nil
			}
		}
	}
}
