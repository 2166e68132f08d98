package api

import (
	"context"
	"net/http"
)

// call is one request on its way through a route.
type call struct {
	*Handler
	w *response
	r *http.Request
}

func (c *call) ctx() context.Context { return c.r.Context() }

// id is the id in the request's path.
func (c *call) id() string { return c.r.PathValue("id") }

// action is what a route does. Body and answer are zero values of the Go types on the
// wire, for the reference; nil means none.
type action struct {
	body, answer any
	serve        func(*call) error
}

// answers is a route that answers with the JSON of what f returns.
func answers[A any](f func(*call) (A, error)) action {
	var zero A
	return action{answer: zero, serve: func(c *call) error {
		a, err := f(c)
		if err != nil {
			return err
		}
		return reply(c.w, http.StatusOK, a)
	}}
}

// takes is such a route with a JSON body, which is read and checked by the tags of its
// type: see [fields.read].
func takes[B, A any](f func(*call, *B) (A, error)) action {
	var zero B
	a := answers(func(c *call) (A, error) {
		b := new(B)
		f2, err := c.fields(c.w, c.r)
		if err == nil {
			f2.read(b)
			err = f2.err()
		}
		if err != nil {
			var none A
			return none, err
		}
		return f(c, b)
	})
	a.body = zero
	return a
}

// done is the answer of a route that has nothing to say but that it worked.
func done(err error) (okAnswer, error) { return okAnswer{true}, err }
