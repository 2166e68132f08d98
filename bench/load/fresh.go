package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Fresh has clients make sessions, each one after another, and take one turn in
// each of them, with that body and reply.
func Fresh(ctx context.Context, addr, project string, body map[string]any, reply []byte, clients, each, lineBytes int) (Result, error) {
	create, err := json.Marshal(map[string]string{"projectRoot": project})
	if err != nil {
		return Result{}, err
	}
	request := newRequest(addr, "/api/harness/session/create", create)
	conns, err := dialAll(ctx, addr, clients, lineBytes)
	if err != nil {
		return Result{}, err
	}
	defer closeAll(conns)
	defer context.AfterFunc(ctx, func() { closeAll(conns) })()
	return gather(time.Now(), clients, func(i int) (Result, error) {
		var r Result
		for range each {
			id, err := conns[i].create(request)
			if err != nil {
				return r, errors.Join(ctx.Err(), err)
			}
			one, err := NewSession(addr, id, body, reply)
			if err != nil {
				return r, err
			}
			s, err := conns[i].Turn(one)
			if err != nil {
				return r, errors.Join(ctx.Err(), err)
			}
			r.add(s)
		}
		return r, nil
	})
}

// create sends the request that makes a session, and returns its id.
func (c *Conn) create(request []byte) (string, error) {
	body, err := c.post(request)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil {
		return "", err
	}
	id, err := sessionOf(data)
	if err != nil {
		return "", err
	}
	return id, c.finish()
}

// sessionOf reads the answer of a request that made a session.
func sessionOf(data []byte) (string, error) {
	var out struct {
		Session struct {
			SessionID string `json:"sessionId"`
		} `json:"session"`
	}
	if err := json.Unmarshal(data, &out); err != nil || out.Session.SessionID == "" {
		return "", fmt.Errorf("create a session: %s", data)
	}
	return out.Session.SessionID, nil
}
