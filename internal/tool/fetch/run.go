package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"belay/internal/netguard"
	"belay/internal/quantity"
	"belay/internal/tool"
)

// Run implements [tool.Call].
func (c *call) Run(ctx context.Context) (tool.Result, error) {
	limited, cancel := context.WithTimeout(ctx, c.w.Limits.FetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, c.u.String(), nil)
	if err != nil {
		return tool.Result{}, tool.Refuse("%s cannot be asked for", tool.Clip(c.u.String(), 200)).Because(err)
	}
	req.Header.Set("User-Agent", c.t.agent)
	req.Header.Set("Accept", "text/html, text/plain, application/json, image/*, application/pdf, */*;q=0.5")
	res, err := c.t.client.Do(req)
	if err != nil {
		return tool.Result{}, c.failed(ctx, limited, err)
	}
	defer res.Body.Close()
	if e := res.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return tool.Result{}, tool.Refuse("%s answers in the encoding %q, which was not asked for", hostOf(c.u), tool.Clip(e, 50))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, c.w.Limits.FetchBytes+1))
	if err != nil {
		return tool.Result{}, c.failed(ctx, limited, err)
	}
	a := &answer{w: c.w, url: res.Request.URL, status: res.StatusCode, header: res.Header.Get("Content-Type"), body: body}
	if int64(len(body)) > c.w.Limits.FetchBytes {
		a.body, a.cut = body[:c.w.Limits.FetchBytes], true
	}
	return a.result(ctx)
}

// failed turns an error of a request into a refusal. Only the end of the turn is
// an error of the call. Limited is ctx with the time limit of the request.
func (c *call) failed(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var elsewhere *elsewhereError
	var violation *netguard.ViolationError
	var large *netguard.BodyTooLargeError
	var wrapped *url.Error
	switch {
	case errors.As(err, &elsewhere):
		return tool.Refuse("%s redirects to another host: %s", tool.Clip(c.u.String(), 200), tool.Clip(elsewhere.to.String(), maxURL)).
			WithHint("fetch that address if you want it")
	case errors.As(err, &violation):
		return forbidden(err)
	case errors.As(err, &large):
		return tool.Refuse("%v", large).Because(err)
	case limited.Err() != nil && errors.Is(err, context.DeadlineExceeded): // which those of a connection are as well
		return tool.Refuse("%s did not answer within %s", hostOf(c.u), quantity.Duration(c.w.Limits.FetchTime)).Because(err)
	case errors.As(err, &wrapped):
		err = wrapped.Err // the URL is known
	}
	return tool.Refuse("%s cannot be reached: %s", hostOf(c.u), tool.Clip(fmt.Sprint(err), 300)).Because(err)
}
