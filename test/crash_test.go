package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// The server is killed again and again in the middle of its work, after a random
// number of events. Whatever was accepted is found again: logs are dense, every
// turn has its end, transcripts are whole, and every session goes on.
//
// Covers: turn-api REQ-03, REQ-11, REQ-12
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	const rounds, width = 12, 6
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	p := newPlace(t)
	s := p.serve()
	var ids []string
	for range width {
		ids = append(ids, s.session())
	}
	words := strings.Repeat("word ", 100)
	for range rounds {
		s.killAfter(int64(1+random.IntN(40*width)), ids, words)
		s = p.serve()
	}
	for _, id := range ids {
		if all := s.turn(map[string]any{"sessionId": id, "message": "and on"}); last(t, all).data["exitCode"] != 0.0 {
			t.Errorf("%s does not go on: %v", id, last(t, all).data)
		} else if w := jsonOf(all[0].data["warnings"]); strings.Contains(w, "RECORD_CHANGED") {
			t.Errorf("a kill looks like tampering: %s", w)
		}
		p.checkRecord(id)
	}
}

// killAfter runs one turn after the other in every session and kills the server
// once its readers have seen so many events.
func (s *server) killAfter(events int64, ids []string, message string) {
	s.t.Helper()
	var left atomic.Int64
	left.Store(events)
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			for {
				res, err := s.post("/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": message}))
				if err != nil {
					return // killed
				}
				for next := scanner(res.Body); ; {
					if _, err := next(); err != nil {
						break
					}
					if left.Add(-1) == 0 {
						_ = s.cmd.Process.Kill()
					}
				}
				_ = res.Body.Close()
			}
		})
	}
	wg.Wait()
	_ = s.cmd.Wait() // killed: its status says nothing
}

// checkRecord reads a session's files as a person would.
func (p *place) checkRecord(id string) {
	p.t.Helper()
	folder := filepath.Join(p.project, ".belay", "sessions", id)
	begun, ended := map[string]bool{}, map[string]int{}
	for _, line := range p.lines(filepath.Join(folder, "transcript.jsonl")) {
		var e struct{ Kind, Turn string }
		must(p.t, json.Unmarshal(line, &e))
		switch e.Kind {
		case "turn":
			begun[e.Turn] = true
		case "end":
			ended[e.Turn]++
		}
	}
	exits := map[string]int{}
	names, err := filepath.Glob(filepath.Join(folder, "log", "*.jsonl"))
	must(p.t, err)
	var seq int64
	for _, name := range names {
		for _, line := range p.lines(name) {
			var e struct {
				Seq        int64
				Turn, Type string
			}
			must(p.t, json.Unmarshal(line, &e))
			if e.Type == "" && e.Seq == 0 {
				continue // the version of the file
			}
			if seq++; e.Seq != seq {
				p.t.Fatalf("%s: sequence %d where %d is expected", name, e.Seq, seq)
			}
			if exits[e.Turn] > 0 {
				p.t.Errorf("%s: turn %s goes on after its end with %s", name, e.Turn, e.Type)
			}
			if e.Type == "process:exit" {
				exits[e.Turn]++
			}
		}
	}
	for turn := range begun {
		if ended[turn] != 1 || exits[turn] != 1 {
			p.t.Errorf("turn %s has %d ends in the transcript and %d in the log", turn, ended[turn], exits[turn])
		}
	}
	if len(begun) != len(exits) {
		p.t.Errorf("%d turns are in the transcript, %d in the log", len(begun), len(exits))
	}
}

// lines returns the lines of a file, all of them whole.
func (p *place) lines(name string) [][]byte {
	p.t.Helper()
	b, err := os.ReadFile(name)
	must(p.t, err)
	whole, found := bytes.CutSuffix(b, []byte("\n"))
	if !found {
		p.t.Fatalf("%s ends in the middle of a line", name)
	}
	return bytes.Split(whole, []byte("\n"))
}

// A server that is told to stop lets its turns come to an end that their
// readers see, and leaves with 0.
//
// Covers: turn-api REQ-03
func TestStoppedUnderLoad(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_SERVER_SHUTDOWN_GRACE=300ms", "BELAY_SCRIPTED_PACE=20ms").race()
	s := p.serve()
	var ends sync.Map
	var wg sync.WaitGroup
	var ids []string
	started := make(chan struct{}, 5)
	for i := range cap(started) {
		id := s.session()
		ids = append(ids, id)
		message := strings.Repeat("word ", 1+i*200) // some end by themselves
		wg.Go(func() {
			res := s.open(context.Background(), "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": message}))
			defer res.Body.Close()
			next := scanner(res.Body)
			e, err := next()
			for started <- struct{}{}; err == nil; {
				ends.Store(id, e)
				e, err = next()
			}
		})
	}
	for range cap(started) {
		<-started
	}
	must(t, terminate(s.cmd))
	wg.Wait()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server left with %v\n%s", err, s.err)
	}
	for _, id := range ids {
		e, _ := ends.Load(id)
		if end, _ := e.(sse); end.name != "process:exit" {
			t.Errorf("the reader of %s saw as the last event %+v", id, e)
		}
		p.checkRecord(id)
	}
}

// Two servers of one operator share the sessions, and never a turn.
//
// Covers: turn-api REQ-11
func TestTwoServers(t *testing.T) {
	t.Parallel()
	p := newPlace(t).race()
	servers := []*server{p.serve(), p.serve()}
	id := servers[0].session()
	var done, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				res, err := servers[i%2].post("/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": fmt.Sprint("from ", i)}))
				if err != nil {
					t.Error(err)
					return
				}
				b, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				switch {
				case res.StatusCode == 200 && bytes.Contains(b, []byte(`{"exitCode":0}`)):
					done.Add(1)
				case res.StatusCode == 409 && bytes.Contains(b, []byte("TURN_IN_PROGRESS")):
					refused.Add(1)
				default:
					t.Errorf("%d %s", res.StatusCode, b)
				}
			}
		})
	}
	wg.Wait()
	if done.Load() == 0 || done.Load()+refused.Load() != 80 {
		t.Errorf("%d turns done, %d refused", done.Load(), refused.Load())
	}
	p.checkRecord(id)
}
