package overview

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/session"
)

// The number of sessions on a page: what an answer has where the caller does not say, and
// at most.
const (
	DefaultPage = 50
	MaxPage     = 200
)

// Page is a part of the list.
type Page struct {
	Sessions []Session `json:"sessions"`
	// NextCursor leads to the next page, absent on the last one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Total is how many sessions all pages have.
	Total int `json:"total"`
	// LeftOut are projects whose sessions cannot be listed, absent where there is none.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
}

// LeftOut is a project that a list goes without.
type LeftOut struct {
	ProjectRoot string `json:"projectRoot"`
	Problem     string `json:"problem"`
}

// cursor is the place after a session, or after a happening.
type cursor struct {
	Used int64  `json:"used"`
	ID   string `json:"id"`
	// Of is the list; "" is that of sessions.
	Of string `json:"of,omitempty"`
}

// ofActivity marks a cursor of the activity.
const ofActivity = "activity"

// Sessions returns a page of the sessions of all projects, the one that was used last
// first. A session that was used since its cursor was made moved to the beginning, and no
// later page has it.
func (v *Overview) Sessions(ctx context.Context, q Query) (Page, error) {
	after, err := readCursor(q.Cursor, "")
	if err != nil {
		return Page{}, err
	}
	rows, left, err := v.rows(ctx, q.Project)
	if err != nil {
		return Page{}, err
	}
	open, err := v.questions(ctx)
	if err != nil {
		return Page{}, err
	}
	if rows, err = v.matching(ctx, rows, q, open); err != nil {
		return Page{}, err
	}
	page := Page{Sessions: []Session{}, Total: len(rows), LeftOut: left}
	slices.SortFunc(rows, byUse)
	if after != nil {
		rows = rowsAfter(rows, *after)
	}
	limit := cmp.Or(q.Limit, DefaultPage)
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = writeCursor(cursor{Used: last.Used.UnixMilli(), ID: last.ID})
	}
	for _, r := range rows {
		s, err := v.show(ctx, r, open)
		if err != nil {
			return Page{}, err
		}
		if s != nil { // it was deleted meanwhile
			page.Sessions = append(page.Sessions, *s)
		}
	}
	return page, nil
}

// rows are the sessions of one project, or of all for "". Of all, those of projects that
// cannot be read are left out.
func (v *Overview) rows(ctx context.Context, project string) (all []session.Row, left []LeftOut, err error) {
	var roots []string
	if project == "" {
		roots = v.roots()
	} else {
		roots = []string{v.named(project)}
	}
	seen := map[string]bool{}
	for _, root := range roots {
		rows, err := v.o.Sessions.Rows(ctx, root)
		if err != nil && (project != "" || ctx.Err() != nil) {
			return nil, nil, err
		}
		if err != nil {
			left = append(left, LeftOut{root, problemOf(err)})
		}
		for _, r := range rows {
			if !seen[r.ID] { // a damaged one may be of several projects, a copy has the id of its original
				seen[r.ID] = true
				all = append(all, r)
			}
		}
	}
	if project == "" {
		v.forget(all)
	}
	return all, left, nil
}

// byUse puts the session that was used last first. It compares milliseconds, since a cursor
// has no more: another order than that of the cursors would repeat sessions.
func byUse(a, b session.Row) int {
	return cmp.Or(cmp.Compare(b.Used.UnixMilli(), a.Used.UnixMilli()), strings.Compare(a.ID, b.ID))
}

// rowsAfter are the rows behind a cursor, of rows in the order of byUse.
func rowsAfter(rows []session.Row, c cursor) []session.Row {
	begin, _ := slices.BinarySearchFunc(rows, c, func(r session.Row, c cursor) int {
		return cmp.Or(cmp.Compare(c.Used, r.Used.UnixMilli()), strings.Compare(r.ID, c.ID))
	})
	if begin < len(rows) && rows[begin].ID == c.ID {
		begin++
	}
	return rows[begin:]
}

// maxCursorID caps the id in a cursor, in bytes. That of a happening is longer than any
// session's: it is made of several.
const maxCursorID = 500

func writeCursor(c cursor) string {
	b, _ := json.Marshal(c) // it always encodes
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads what writeCursor wrote for a list; nil is the beginning.
func readCursor(s, of string) (*cursor, error) {
	if s == "" {
		return nil, nil
	}
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	// That of another service's list has other fields, and is not what writeCursor makes of these.
	if err != nil || c.ID == "" || len(c.ID) > maxCursorID || c.Of != of || writeCursor(c) != s {
		return nil, fault.New(fault.InvalidRequest, "cursor must be the nextCursor of an earlier answer for the same list").With("field", "cursor").
			WithHint("leave it out to begin with the first page")
	}
	return &c, nil
}
