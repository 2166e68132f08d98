package main

import (
	"time"

	"belay/bench/measure"
)

func rows() []measure.Row[*bench] {
	return []measure.Row[*bench]{
		{Name: "first-event-one", Measure: (*bench).firstEventOne},
		{Name: "first-event-fifty-paced", Measure: (*bench).firstEventPaced},
		{Name: "turns-per-second", Measure: (*bench).throughput},
		{Name: "system-calls", Measure: (*bench).systemCalls},
		{Name: "one-turn-sessions", Measure: (*bench).oneTurn},
		{Name: "thousand-at-once", Measure: (*bench).thousand},
		{Name: "attachments", Measure: (*bench).attachments},
		{Name: "reply-bytes", Measure: (*bench).replyBytes},
		{Name: "reply-bytes-gathered", Measure: (*bench).replyBytesGathered},
		{Name: "sdk", Measure: (*bench).sdk},
		{Name: "start", Measure: (*bench).start},
		{Name: "memory", Measure: (*bench).memory},
		{Name: "stuck-readers", Measure: (*bench).stuck},
		{Name: "fan-out", Measure: (*bench).fanOut},
		{Name: "tools-round", Measure: (*bench).toolRound},
		{Name: "tools-command", Measure: (*bench).command},
		{Name: "tools-command-large", Measure: (*bench).commandLarge},
		{Name: "tools-command-unwritten", Measure: (*bench).commandUnwritten},
		{Name: "tools-command-files", Measure: (*bench).commandFiles},
		{Name: "tools-command-programs", Measure: (*bench).commandPrograms},
		{Name: "tools-grep", Measure: (*bench).toolGrep},
		{Name: "tools-read", Measure: (*bench).toolRead},
		{Name: "tools-edit", Measure: (*bench).toolEdit},
		{Name: "projects-list", Measure: (*bench).projectList},
		{Name: "projects-complete", Measure: (*bench).projectComplete},
		{Name: "projects-validate", Measure: (*bench).projectValidate},
		{Name: "projects-lint", Measure: (*bench).projectLint},
		{Name: "projects-among-files", Measure: (*bench).projectAmongFiles},
		{Name: "projects-serve", Measure: (*bench).projectServe},
		{Name: "projects-change", Measure: (*bench).projectChange},
		{Name: "projects-graph", Measure: (*bench).projectGraph},
		{Name: "session-list", Measure: (*bench).sessionList},
		{Name: "session-long", Measure: (*bench).longSession},
		{Name: "workflow-items", Measure: (*bench).workflowItems},
		{Name: "workflow-many", Measure: (*bench).workflowMany},
		{Name: "workflow-fetch", Measure: (*bench).workflowFetch},
		{Name: "workflow-runs", Measure: (*bench).workflowRuns},
		{Name: "discord", Measure: (*bench).discord},
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func megabytes(n int64) float64 { return float64(n) / 1e6 }
