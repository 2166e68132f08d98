// Package client talks to Discord: messages over REST, events over the gateway. It
// is all that belay knows of the client library disgo, and has only the calls that
// belay makes.
//
// Every call takes a context and ends with it. A refusal is an [*Error], whose Kind
// says what the caller can do. Rate limits are waited for. Nothing is repeated
// after another failure: the caller decides, with the same nonce.
//
// Whatever the text of a message says, it notifies nobody but the people that
// [NewMessage].Ping names.
package client

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"
)

// DefaultAPI is the base of Discord's REST API.
const DefaultAPI = "https://discord.com/api/v10"

// Deadlines of one call.
const (
	callTimeout = 30 * time.Second
	// uploadTimeout is for a message with files. It allows 10 MiB at 50 KiB/s.
	uploadTimeout = 4 * time.Minute
)

// Options configure a client.
type Options struct {
	// API is the base of the REST API, "" Discord's. Another server with this API
	// works as well; the address of its gateway comes from it.
	API string
	// Logger gets warnings of the library. Nil discards them. No message has the
	// token.
	Logger *slog.Logger
}

// Client is a connection to Discord for one bot. All methods are safe for concurrent
// use.
type Client struct {
	token string
	app   snowflake.ID
	rest  rest.Client
	lanes lanes // of routes, as the rate limits are
	log   *slog.Logger
}

// New returns a client. It makes no connection. The error says that the token
// cannot be one.
func New(token string, o Options) (*Client, error) {
	app, err := appOf(token)
	if err != nil {
		return nil, err
	}
	o.API = cmp.Or(o.API, DefaultAPI)
	log := quiet(o.Logger)
	return &Client{
		token: token, app: app, log: log,
		rest: rest.NewClient(token,
			rest.WithURL(o.API),
			rest.WithUserAgent("DiscordBot (belay)"),
			rest.WithLogger(log),
			rest.WithHTTPClient(&http.Client{Transport: newTransport()}),
			rest.WithRateLimiterConfigOpts(rest.WithRateLimiterLogger(log)),
		),
	}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.rest.HTTPClient().CloseIdleConnections() }

// App is the application's id, which is in the token.
func (c *Client) App() string { return c.app.String() }

// Invite is the address at which the owner of a server adds the bot to it, with the
// permissions that belay needs: see channels, send messages, also in threads, attach
// files, embed links, read the history, add reactions.
func (c *Client) Invite() string {
	const permissions = discord.PermissionViewChannel | discord.PermissionSendMessages | discord.PermissionSendMessagesInThreads |
		discord.PermissionAttachFiles | discord.PermissionEmbedLinks | discord.PermissionReadMessageHistory | discord.PermissionAddReactions
	return "https://discord.com/oauth2/authorize?client_id=" + c.App() + "&scope=bot+applications.commands&permissions=" + permissionsText(permissions)
}

// do makes a call.
func (c *Client) do(ctx context.Context, timeout time.Duration, e *rest.CompiledEndpoint, body, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errSlow)
	defer cancel()
	leave, err := c.lanes.enter(ctx, e.Endpoint.Method+" "+e.Endpoint.Route+" "+e.MajorParams)
	if err == nil {
		err = c.rest.Do(e, body, result, rest.WithCtx(ctx))
		leave()
	}
	if err != nil && context.Cause(ctx) != nil && !errors.Is(context.Cause(ctx), errSlow) {
		return context.Cause(ctx)
	}
	return classify(e, err)
}

// snow parses an id.
func snow(id string) (snowflake.ID, error) {
	n, err := snowflake.Parse(id)
	if err != nil || n == 0 {
		return 0, &Error{Kind: Refused, Reason: "the id " + quoteShort(id) + " is none of Discord's"}
	}
	return n, nil
}

// Self is the bot's own user.
func (c *Client) Self(ctx context.Context) (id, name string, err error) {
	var u discord.OAuth2User
	if err := c.do(ctx, callTimeout, rest.GetCurrentUser.Compile(nil), nil, &u); err != nil {
		return "", "", err
	}
	return u.ID.String(), u.Username, nil
}
