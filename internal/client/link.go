package client

import (
	"context"
	"net/http"
	"time"
)

// Link asks for a fresh one-time link to the server's page. It needs the
// operator's token.
func (c *Client) Link(ctx context.Context) (url string, expires time.Time, err error) {
	var answer struct {
		URL       string    `json:"url"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	if err := c.server.call(ctx, http.MethodPost, "/api/auth/link", struct{}{}, &answer); err != nil {
		return "", time.Time{}, err
	}
	return answer.URL, answer.ExpiresAt, nil
}
