package session

import (
	"cmp"
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

// row is a session in a list. The record is there where it was read. Size and changed are
// those of its [listEntry].
type row struct {
	sortKey
	rec           *Record
	size, changed int64
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
		rows[i] = row{sortKey: keyOf(&recs[i]), rec: &recs[i]}
	}
	if rows, page.Next, page.More, err = o.cut(rows); err != nil {
		return Page{}, err
	}
	for _, r := range rows {
		page.Records = append(page.Records, *r.rec)
	}
	return page, nil
}
