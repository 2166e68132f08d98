package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Event is one event of a turn as a client saw it.
type Event struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// Record runs one turn and returns its events.
func Record(ctx context.Context, addr string, s *Session, lineBytes int) ([]Event, error) {
	c, err := Dial(ctx, addr, lineBytes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }() // the turn is over or has failed
	var events []Event
	_, err = c.turn(s, time.Now(), func(name string, data []byte) {
		events = append(events, Event{Type: name, Data: bytes.Clone(data)})
	})
	return events, err
}

// CreateSessions makes n sessions of a project.
func CreateSessions(ctx context.Context, addr, project string, n int) ([]string, error) {
	const workers = 8
	ids, errs := make([]string, n), make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil; i += workers {
				ids[i], errs[w] = createSession(ctx, addr, project)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func createSession(ctx context.Context, addr, project string) (string, error) {
	body, err := json.Marshal(map[string]string{"projectRoot": project})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/api/harness/session/create", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	data, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("create a session: status %d: %s", resp.StatusCode, data)
	}
	return sessionOf(data)
}

// Follow opens n event streams at the ends of the sessions' logs and keeps them
// open until the returned function is called. Each has answered with its headers.
func Follow(ctx context.Context, addr string, sessions []*Session, n int) (end func(), err error) {
	conns, err := dialAll(ctx, addr, n, 0)
	if err != nil {
		return nil, err
	}
	// All requests first: a server may keep headers back for a moment.
	for i, c := range conns {
		s := sessions[i%len(sessions)]
		if err := c.follow(addr, s.ID, s.Last); err != nil {
			closeAll(conns)
			return nil, fmt.Errorf("stream %d: %w", i+1, err)
		}
	}
	for i, c := range conns {
		status, _, err := c.head()
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d", status)
		}
		if err != nil {
			closeAll(conns)
			return nil, fmt.Errorf("stream %d: %w", i+1, err)
		}
	}
	return func() { closeAll(conns) }, nil
}

// Stuck opens n streams of a session's whole log and reads nothing of them. They
// stay open until the returned function is called.
func Stuck(ctx context.Context, addr, id string, n int) (end func(), err error) {
	conns, err := dialAll(ctx, addr, n, 0)
	if err != nil {
		return nil, err
	}
	for i, c := range conns {
		if tcp, ok := c.conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(4 << 10) // the server's side is to notice soon
		}
		if err == nil {
			err = c.follow(addr, id, 0)
		}
		if err != nil {
			closeAll(conns)
			return nil, fmt.Errorf("stream %d: %w", i+1, err)
		}
	}
	return func() { closeAll(conns) }, nil
}

func (c *Conn) follow(addr, id string, after int64) error {
	if err := c.conn.SetDeadline(time.Now().Add(turnTimeout)); err != nil {
		return err
	}
	request := fmt.Sprintf("GET /api/harness/session/%s/events?after=%d HTTP/1.1\r\nHost: %s\r\n\r\n", id, after, addr)
	_, err := io.WriteString(c.conn, request)
	return err
}
