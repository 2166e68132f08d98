package app

import (
	"io"
	"log/slog"

	"belay/internal/config"
	"belay/internal/telemetry"
)

// NewLogger returns the logger of a process that serves: each line goes to w without keys.
func NewLogger(w io.Writer, cfg *config.Config) *slog.Logger {
	return telemetry.NewLogger(w, logOptions(cfg))
}

func logOptions(cfg *config.Config) telemetry.LogOptions {
	o := telemetry.LogOptions{Format: telemetry.Format(cfg.Telemetry.LogFormat), Redact: Redactor(cfg)}
	_ = o.Level.UnmarshalText([]byte(cfg.Telemetry.LogLevel)) // the configuration knows the names
	return o
}
