package app

import (
	"fmt"
	"testing"
	"time"

	"belay/internal/bus"
	"belay/internal/config"
	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
	"belay/internal/model/upstream"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn"
	"belay/internal/workflow/catalog"
	"belay/internal/workflow/run"
	"belay/internal/workspace/index"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/snapshot"
	"belay/internal/workspace/statusfile"
)

// size is a constant that people read in binary units.
type size int64

func (b size) String() string {
	for _, unit := range []struct {
		bytes size
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if b >= unit.bytes && b%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", b/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", int64(b))
}

// period is a constant that people read in the largest unit without a remainder;
// below two minutes that is seconds.
type period time.Duration

func (p period) String() string {
	d := time.Duration(p)
	switch {
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d day", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d > time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d ms", d/time.Millisecond)
}

// The message about a removed setting names the value of the constant that replaced it.
func TestRemovedSettingsNameTheirConstants(t *testing.T) {
	t.Parallel()
	tools := toolLimits(&config.Config{})
	constants := map[string]any{
		"persona.file_bytes":           size(persona.MaxFileBytes),
		"delta.interval":               period(turn.DeltaInterval),
		"delta.bytes":                  size(turn.DeltaBytes),
		"turn.message_bytes":           size(turn.MaxMessageBytes),
		"turn.answer_bytes":            size(turn.MaxAnswerBytes),
		"turn.queue_length":            turn.QueueLength,
		"turn.queue_wait":              period(turn.QueueWait),
		"turn.idempotency_ttl":         period(turn.IdempotencyTTL),
		"retry.base":                   period(model.RetryBase),
		"anthropic.header_timeout":     period(anthropic.DefaultHeaderTimeout),
		"anthropic.stream_bytes":       size(upstream.DefaultMaxAnswer),
		"anthropic.line_bytes":         size(upstream.DefaultMaxLine),
		"openai.header_timeout":        period(openai.DefaultHeaderTimeout),
		"openai.stream_bytes":          size(upstream.DefaultMaxAnswer),
		"openai.line_bytes":            size(upstream.DefaultMaxLine),
		"session.idle_close":           period(session.DefaultIdleClose),
		"session.idle_max":             session.DefaultIdleMax,
		"bus.max_age":                  period(bus.MaxAge),
		"workspace.status_bytes":       size(statusfile.DefaultBytes),
		"workspace.max_watches":        index.DefaultWatches,
		"workspace.poll":               period(index.DefaultPoll),
		"scaffold.decomposition_bytes": size(scaffold.MaxDocumentBytes),
		"snapshot.files":               snapshot.MaxFiles,
		"workflow.file_bytes":          size(catalog.Default.FileBytes),
		"workflow.retry_delay":         period(run.DefaultRetryDelay),
		"tools.read_bytes":             size(tools.ReadBytes),
		"tools.write_bytes":            size(tools.WriteBytes),
		"tools.matches":                tools.Matches,
		"tools.fetch_bytes":            size(tools.FetchBytes),
		"tools.fetch_timeout":          period(tools.FetchTime),
		"bash.output_bytes":            size(tool.MaxCommandOutput),
	}
	for _, c := range config.Constants() {
		if want, ok := constants[c.Key]; ok && fmt.Sprint(want) != c.Value {
			t.Errorf("%s: the message says %q, the constant is %v", c.Key, c.Value, want)
		}
		delete(constants, c.Key)
	}
	for key := range constants {
		t.Errorf("%s is not a removed setting", key)
	}
}
