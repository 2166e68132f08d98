package session

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"belay/internal/fault"
)

// ListOptions say which of a project's sessions [Store.ListPage] returns, and in
// which order. The zero value is all of them, oldest first.
type ListOptions struct {
	// Limit is how many at most, 0 for all.
	Limit int
	// Cursor is the [Page.Next] of the page before, "" for the first page.
	Cursor string
	// Recent puts the session that was used last first.
	Recent bool
}

// Page is a part of a list.
type Page struct {
	Records []Record
	// Next is the cursor of the page that follows, More how many sessions are in
	// that and all later ones. They are "" and 0 on the last page.
	Next string
	More int
}

// sortKey is what orders a session in a list, in milliseconds.
type sortKey struct {
	ID      string `json:"id"`
	Created int64  `json:"created"`
	Updated int64  `json:"updated"`
}

func keyOf(rec *Record) sortKey {
	return sortKey{rec.SessionID, rec.CreatedAt.UnixMilli(), rec.UpdatedAt.UnixMilli()}
}

// compare orders two sessions of a list.
func (o ListOptions) compare(a, b sortKey) int {
	if o.Recent {
		return cmp.Or(cmp.Compare(b.Updated, a.Updated), cmp.Compare(b.Created, a.Created), strings.Compare(a.ID, b.ID))
	}
	return cmp.Or(cmp.Compare(a.Created, b.Created), strings.Compare(a.ID, b.ID))
}

// cursor is the place after a session, for the list's order.
type cursor struct {
	Recent bool `json:"recent,omitempty"`
	sortKey
}

func (o ListOptions) next(last sortKey) (string, error) {
	b, err := json.Marshal(cursor{o.Recent, last})
	if err != nil {
		return "", fmt.Errorf("encode cursor: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// after reads the cursor; nil is the beginning.
func (o ListOptions) after() (*sortKey, error) {
	if o.Cursor == "" {
		return nil, nil
	}
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(o.Cursor)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || !ValidID(c.ID) || c.Recent != o.Recent {
		return nil, fault.New(fault.InvalidRequest, "cursor must be the nextCursor of an earlier answer for the same list").With("field", "cursor")
	}
	return &c.sortKey, nil
}

// row is a session in a list. The record is there where it was read.
type row struct {
	sortKey
	rec *Record
}

// cut sorts a list and returns the part that the options ask for. Sessions that
// were used since the cursor was made moved to the list's beginning, and no later
// page has them.
func (o ListOptions) cut(all []row) (part []row, next string, more int, err error) {
	after, err := o.after()
	if err != nil {
		return nil, "", 0, err
	}
	slices.SortFunc(all, func(a, b row) int { return o.compare(a.sortKey, b.sortKey) })
	if after != nil {
		begin := slices.IndexFunc(all, func(r row) bool { return o.compare(r.sortKey, *after) > 0 })
		if begin < 0 {
			begin = len(all)
		}
		all = all[begin:]
	}
	if o.Limit <= 0 || o.Limit >= len(all) {
		return all, "", 0, nil
	}
	next, err = o.next(all[o.Limit-1].sortKey)
	return all[:o.Limit], next, len(all) - o.Limit, err
}

// PageOf is the page of records that were gathered otherwise.
func PageOf(recs []Record, o ListOptions) (page Page, err error) {
	rows := make([]row, len(recs))
	for i := range recs {
		rows[i] = row{keyOf(&recs[i]), &recs[i]}
	}
	if rows, page.Next, page.More, err = o.cut(rows); err != nil {
		return Page{}, err
	}
	for _, r := range rows {
		page.Records = append(page.Records, *r.rec)
	}
	return page, nil
}

// List returns the records of a project's sessions, oldest first. A session that
// cannot be used is in it, too, with the reason ([Record.Damaged]). Listing also
// brings sessions back into the index that are not in it or were moved.
func (s *Store) List(ctx context.Context, projectRoot string) ([]Record, error) {
	page, err := s.ListPage(ctx, projectRoot, ListOptions{})
	return page.Records, err
}

// ListPage is List of a part of the sessions. What it costs beside their number
// and a look at each session.json is that part: see [listCache].
func (s *Store) ListPage(ctx context.Context, projectRoot string, o ListOptions) (Page, error) {
	if _, err := o.after(); err != nil {
		return Page{}, err
	}
	project, err := checkRoot(projectRoot)
	if err != nil {
		return Page{}, err
	}
	ids, err := s.paths.folders(project)
	if err != nil {
		return Page{}, storage("the project's sessions cannot be listed", err)
	}
	if o.Limit <= 0 || len(ids) <= o.Limit {
		recs, _, err := s.lists.survey(ctx, project, ids)
		if err != nil {
			return Page{}, err
		}
		return PageOf(recs, o)
	}
	rows, err := s.lists.rows(ctx, project, ids)
	if err != nil {
		return Page{}, err
	}
	var page Page
	if rows, page.Next, page.More, err = o.cut(rows); err != nil {
		return Page{}, err
	}
	moved := false
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return Page{}, err
		}
		rec := rows[i].rec
		if rec == nil {
			found, err := s.lists.look(s.paths.pathIn(project, rows[i].ID), rows[i].ID)
			if err != nil {
				return Page{}, err
			}
			rec, moved = found.rec, moved || found.healed
		}
		if rec != nil {
			page.Records = append(page.Records, *rec)
		}
	}
	if moved { // so were the others, or the index was lost
		_, _, err = s.lists.survey(ctx, project, ids)
	}
	return page, err
}

// seen is a session as a list finds it.
type seen struct {
	rec *Record // nil where no session is there any more
	// problem says why it cannot be used, and then the record says that, too.
	problem error
	// healed is set where the index did not lead to it.
	healed bool
}

// in reports whether a list of the project has the session. One that cannot be
// used may be of any project where all share one folder.
func (f seen) in(p sessionPath, project string) bool {
	return f.rec != nil && (p.inProject() || f.problem != nil || f.rec.ProjectRoot == project)
}

// lists makes lists of a project's sessions.
type lists struct{ store *Store }

// look reads the record of a session for a list.
func (s *lists) look(p sessionPath, id string) (seen, error) {
	rec, err := readRecordAt(p, id)
	if missing(err) {
		return seen{}, nil // no session, or deleted meanwhile
	}
	if err != nil {
		rec := s.damaged(p, id, err)
		return seen{rec: &rec, problem: err}, nil
	}
	rec, healed, err := s.heal(p, rec)
	return seen{rec: &rec, healed: healed}, err
}

// survey reads all records of a project, oldest first, and says what is wrong
// with some.
func (s *lists) survey(ctx context.Context, project string, ids []string) ([]Record, []Problem, error) {
	var (
		recs     []Record
		problems []Problem
	)
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p := s.store.paths.pathIn(project, id)
		found, err := s.look(p, id)
		if err != nil {
			return nil, nil, err
		}
		if !found.in(p, project) {
			continue
		}
		recs = append(recs, *found.rec)
		if found.problem != nil {
			problems = append(problems, Problem{Session: id, File: fileRecord, Text: reason(found.problem)})
		}
	}
	page, err := PageOf(recs, ListOptions{})
	return page.Records, problems, err
}
