package finding

// MaxReported is how many findings of one project are listed. Nobody reads more, and one that
// was made to have millions of a few bytes each would fill the memory. All are counted.
const MaxReported = 20_000

// maxOfFile is how many of them one file may have, so that it leaves room for those of others.
const maxOfFile = MaxReported / 10

// Quota bounds the findings of one project. The zero value has room for [MaxReported].
type Quota struct {
	listed, dropped int
	ofFile          map[string]int // by path, the listed ones and those beyond its share
}

// Keep returns the first of all, as many as there is still room for: in the list, and for each file.
func (q *Quota) Keep(all []Finding) []Finding {
	if q.ofFile == nil {
		q.ofFile = map[string]int{}
	}
	kept := make([]Finding, 0, min(len(all), MaxReported-q.listed))
	for _, f := range all {
		q.ofFile[f.Path]++
		if q.listed == MaxReported || q.ofFile[f.Path] > maxOfFile {
			q.dropped++
			continue
		}
		q.listed++
		kept = append(kept, f)
	}
	return kept
}

// Dropped is how many were left out of the list: by the path of each file that had more than
// its share, and in all.
func (q *Quota) Dropped() (ofFile map[string]int, all int) {
	ofFile = map[string]int{}
	for path, n := range q.ofFile {
		if n > maxOfFile && path != "" {
			ofFile[path] = n - maxOfFile
		}
	}
	return ofFile, q.dropped
}
