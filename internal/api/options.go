package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"belay/internal/turn"
)

// Options configure a [Handler]. Engine is required; every other zero value
// works.
type Options struct {
	Engine turn.Engine
	// Logger gets failures of the server itself, and at level debug a line for each
	// request; nil discards them. Tracer begins the traces of requests that bring none;
	// nil traces nothing.
	Logger *slog.Logger
	Tracer trace.Tracer
	// Version is what healthz and the OpenAPI document report.
	Version string

	// BoundAddr is the address that the server listens on, e.g.
	// "127.0.0.1:23529". Its host is accepted in Host headers, beside the
	// loopback names.
	BoundAddr string
	// AllowedHosts are further names that requests may be addressed to and
	// that pages calling this server may come from: "name" or "name:port".
	AllowedHosts []string
	// Token is the access token; "" lets every local caller in, or with OwnUser only
	// those whose connections come from the user that the server runs as. OwnUser
	// holds for what [Serve] serves.
	Token   string
	OwnUser bool
	// Operator issues and checks the operator's authority; nil grants it to
	// nobody.
	Operator *Operator

	// KeepAlive is how long a stream may be silent before a comment line
	// shows that it lives. Default 15 s.
	KeepAlive time.Duration
	// WriteTimeout bounds each write to a client. Default 30 s.
	WriteTimeout time.Duration
	// BodyTimeout bounds reading a JSON body, and each read of an upload.
	// Default 30 s.
	BodyTimeout time.Duration
	// BodyBytes caps a JSON body, UploadBytes an uploaded file. Defaults 4 and
	// 64 MiB.
	BodyBytes, UploadBytes int64
	// MaxStreams caps the streams that are open at once. Default 8192.
	MaxStreams int

	// Metrics counts requests and streams; nil makes one that only /metrics
	// of this handler shows.
	Metrics *Metrics
	// Ready says why the server should get no work, or nil. The message of a
	// *fault.Error is shown to the caller; other errors are not.
	Ready func(context.Context) (Readiness, error)
	// Config and Doctor return what belay config show and belay doctor print,
	// as a value that encodes to JSON. Without one the endpoint is 404.
	Config, Doctor func(context.Context) (any, error)
	// Models lists what can be asked for in turns, Info what clients have to know. Without
	// one the endpoint is 404.
	Models func(context.Context) (ModelList, error)
	Info   func(context.Context) (SystemInfo, error)
	// Page answers for the paths that it has; nil serves no page.
	Page Page
	// Projects answers about the contents of project folders.
	Projects Projects
	// Workflows runs the workflows of projects.
	Workflows Workflows
	// Clock tells the time of answers; nil is the system's.
	Clock func() time.Time
	// Overview shows all projects and sessions; without one these endpoints are NOT_FOUND,
	// and no project can be named by its id.
	Overview Overview
	// Pipeline starts agents on the work of projects; without one those endpoints are NOT_FOUND.
	Pipeline Pipeline
	// Scaffolder makes projects; without one those endpoints are NOT_FOUND.
	Scaffolder Scaffolder
}

// Page is a set of static files.
type Page interface {
	http.Handler
	// Has reports whether path is one of its files.
	Has(path string) bool
}
