package register

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Sheet writes rows, each a map from header to value, as a register: the columns in
// their order, those that the specification does not have after them. Nothing is
// checked but the names; the owner of the register checks the rest.
func Sheet(rows []map[string]string) ([]byte, error) {
	names := map[string]bool{}
	for i, row := range rows {
		for name := range row {
			if why := badName(name); why != "" {
				return nil, fault.New(fault.InvalidRequest, "rows[%d]: the column name %q %s", i, finding.Shown(name), why).With("field", fmt.Sprintf("rows[%d]", i))
			}
			names[name] = true
		}
	}
	var columns []string
	for c := range numColumns {
		if names[c.String()] {
			columns = append(columns, c.String())
			delete(names, c.String())
		}
	}
	columns = append(columns, slices.Sorted(maps.Keys(names))...)
	var b strings.Builder
	b.WriteString(plainRecord(columns, false) + "\n")
	for _, row := range rows {
		cells := make([]string, len(columns))
		for k, name := range columns {
			cells[k] = row[name]
		}
		b.WriteString(plainRecord(cells, false) + "\n")
	}
	return []byte(b.String()), nil
}

// Host is the deliverable that proposed rows belong to.
type Host struct {
	Package, Deliverable, Name string
}

// Complete fills in what a proposed row leaves out and what follows from the rest:
// of every row the day on which it was seen; of one that the register does not have
// also its id, the host, the schema and the usual words.
func (r *Register) Complete(rows []map[string]string, host Host, today string) {
	ids := make(map[string]int, len(r.rows))
	for i := range r.rows {
		ids[r.Row(i).ID()] = i
	}
	next := r.nextNumber(rows, host)
	if len(r.rows) > 0 {
		first := r.Row(0)
		host.Package = orElse(first.Raw(FromPackageID), host.Package)
		host.Name = orElse(first.Raw(FromDeliverableName), host.Name)
	}
	for _, row := range rows {
		set := func(c Column, value string) {
			if strings.TrimSpace(row[c.String()]) == "" {
				row[c.String()] = value
			}
		}
		set(LastSeen, today)
		if _, known := ids[strings.TrimSpace(row[DependencyID.String()])]; known {
			continue
		}
		if strings.TrimSpace(row[DependencyID.String()]) == "" {
			row[DependencyID.String()] = fmt.Sprintf("DEP-%s-%03d", strings.TrimPrefix(host.Deliverable, "DEL-"), next)
			next++
		}
		set(SchemaVersion, Version)
		set(FromPackageID, host.Package)
		set(FromDeliverableID, host.Deliverable)
		set(FromDeliverableName, host.Name)
		set(FirstSeen, row[LastSeen.String()])
		set(Origin, extracted)
		set(Status, statusActive)
		switch strings.ToUpper(strings.TrimSpace(row[Class.String()])) {
		case classExecution:
			set(AnchorType, notApplicable)
			set(Satisfaction, satisfactionTBD)
		case classAnchor:
			set(Type, typeOther)
			set(Direction, upstream)
			set(Satisfaction, notApplicable)
		}
	}
}

func orElse(value, other string) string {
	if strings.TrimSpace(value) == "" {
		return other
	}
	return value
}

// nextNumber is the number after the highest of the ids of a host, those of the
// register and of the rows.
func (r *Register) nextNumber(rows []map[string]string, host Host) int {
	highest := 0
	note := func(id string) {
		id = strings.TrimSpace(id)
		if !isDependencyID(id) || !layout.IsDeliverableID(host.Deliverable) || !sameNumbers(id, host.Deliverable) {
			return
		}
		if n, err := strconv.Atoi(id[len(id)-3:]); err == nil {
			highest = max(highest, n)
		}
	}
	for i := range r.rows {
		note(r.Row(i).ID())
	}
	for _, row := range rows {
		note(row[DependencyID.String()])
	}
	return highest + 1
}
