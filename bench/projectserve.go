package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"

	"belay/bench/loopback"
	"belay/bench/measure"
)

// Of the rows about a server that knows a large project.
const (
	getsPerRound    = 20
	changesPerRound = 10
	atOnce          = 50
)

// project is a server that has a large project in its index.
type project struct {
	*side
	root string
}

func (b *bench) serveProject(ctx context.Context) (*project, error) {
	root, err := b.root(manyDeliverables)
	if err != nil {
		return nil, err
	}
	b.pairs++
	s, err := b.startBelay(ctx, setup{root: root}, filepath.Join(b.dir, fmt.Sprintf("project-%d", b.pairs)))
	if err != nil {
		return nil, err
	}
	return &project{s, root}, nil
}

// listing is the address of the list of deliverables.
func (p *project) listing() string { return p.address("deliverables") }

func (p *project) address(endpoint string) string {
	return "http://" + p.server.Addr + "/api/project/" + endpoint + "?projectRoot=" + url.QueryEscape(p.root)
}

// fetched is an answer as it came.
type fetched struct {
	status int
	tag    string
	body   []byte
}

// fetch gets a compressed answer, unless its tag is the one given.
func fetch(ctx context.Context, client *http.Client, address, tag string) (f fetched, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return f, err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	resp, err := client.Do(req)
	if err != nil {
		return f, err
	}
	f.status, f.tag = resp.StatusCode, resp.Header.Get("Etag")
	f.body, err = io.ReadAll(resp.Body)
	err = errors.Join(err, resp.Body.Close())
	if err == nil && f.status != http.StatusOK && f.status != http.StatusNotModified {
		err = fmt.Errorf("%s: status %d: %s", address, f.status, f.body)
	}
	return f, err
}

// projectServe measures the list of deliverables from the index, beside a handler
// that has the same bytes in memory.
func (b *bench) projectServe(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.serveProject(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.server.Stop()) }()
	client := &http.Client{}
	first, err := fetch(ctx, client, p.listing(), "")
	if err != nil {
		return nil, err
	}
	bare, err := hold(first)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bare.Stop()) }()
	var whole, same measure.Series
	for range b.o.Rounds {
		for address, of := range map[string]func(*measure.Series) *[]float64{
			bare.URL("/"): func(s *measure.Series) *[]float64 { return &s.Bare },
			p.listing():   func(s *measure.Series) *[]float64 { return &s.Belay },
		} {
			if err := gets(ctx, client, address, "", first, of(&whole)); err != nil {
				return nil, err
			}
			if err := gets(ctx, client, address, first.tag, fetched{status: http.StatusNotModified}, of(&same)); err != nil {
				return nil, err
			}
		}
	}
	m := whole.Figure("project", "GET /api/project/deliverables, 10,000 of them, from the index, p50", "ms", measure.AtMost(25).Beside(0.977))
	m.Note = fmt.Sprintf("%s KB compressed; beside a net/http handler that has the same bytes", measure.Number(float64(len(first.body))/1000))
	together, err := p.together(ctx, first)
	return []measure.Figure{m, same.Figure("project", "the same, with the tag of what the client has (304), p50", "ms", nil), together}, err
}

// gets adds the median of a round of requests, each of which must have the answer.
func gets(ctx context.Context, client *http.Client, address, tag string, want fetched, to *[]float64) error {
	var took []float64
	for range getsPerRound {
		t, err := elapsed(func() error {
			f, err := fetch(ctx, client, address, tag)
			if err == nil && (f.status != want.status || !bytes.Equal(f.body, want.body)) {
				err = fmt.Errorf("%s: status %d and %d bytes, not %d and %d", address, f.status, len(f.body), want.status, len(want.body))
			}
			return err
		})
		if err != nil {
			return err
		}
		took = append(took, t)
	}
	*to = append(*to, measure.Median(took))
	return nil
}

// hold serves an answer from memory until it is stopped.
func hold(f fetched) (*loopback.Server, error) {
	return loopback.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.tag != "" && r.Header.Get("If-None-Match") == f.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(f.body) // the client checks it
	}))
}

// together weighs many requests at one moment, right after a change, so that the
// list has to be made anew.
func (p *project) together(ctx context.Context, first fetched) (measure.Figure, error) {
	m := measure.Figure{
		Row: "project", What: "50 of these requests at once after a change, memory that comes on top", Unit: "MB", Target: measure.AtMost(60),
		Note: "the list has 6 MB before it is compressed",
	}
	if err := wait(ctx, settled); err != nil {
		return m, err
	}
	before, err := p.server.Memory()
	if err != nil {
		return m, err
	}
	if err := errors.Join(p.server.ForgetPeak(), p.change(manyDeliverables/3, "CHECKING")); err != nil {
		return m, err
	}
	failed := make([]error, atOnce)
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() {
			f, err := fetch(ctx, &http.Client{Transport: &http.Transport{}}, p.listing(), "")
			if err == nil && f.tag == first.tag {
				err = errors.New("the list does not have the change")
			}
			failed[i] = err
		})
	}
	all.Wait()
	after, err := p.server.Memory()
	added := megabytes(after.Peak - before.Resident)
	m.Belay = &added
	return m, errors.Join(err, errors.Join(failed...))
}
