package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"belay/bench/measure"
	"belay/bench/proc"
	"belay/test/discordtest"
)

// What is measured in Discord: so many questions with a short answer, and a file of so many
// bytes on an answer.
const (
	discordQuestions = 20
	discordFile      = 20 << 20
)

// discordScript answers with a file where it is asked for one.
const discordScript = `{"turns": [
{"when": "the small file", "steps": [{"call": {"name": "attachment.add", "input": {"path": "small.bin"}}}, {"say": "Here."}]},
{"when": "the large file", "steps": [{"call": {"name": "attachment.add", "input": {"path": "large.bin"}}}, {"say": "Here."}]},
{"steps": [{"say": "Received."}]}]}`

// host lets the Discord of the tests run in a program.
type host struct {
	testing.TB
	ends []func()
}

func (*host) Helper()            {}
func (h *host) Cleanup(f func()) { h.ends = append(h.ends, f) }

func (h *host) close() {
	for _, f := range h.ends {
		f()
	}
}

// discord measures from a message in Discord to the first reply that people see, without the
// time in which belay gathers messages, and what a large file on an answer takes.
func (b *bench) discord(ctx context.Context) (_ []measure.Figure, err error) {
	dir, err := os.MkdirTemp(b.dir, "discord-")
	if err != nil {
		return nil, err
	}
	h := &host{}
	defer h.close()
	d := discordtest.New(h, discordtest.Options{Rate: 1000, Per: time.Second})
	channel := d.AddChannel(d.AddGuild("guild", 2), "general")
	ada := d.Person("Ada")
	project, script := filepath.Join(dir, "project"), filepath.Join(dir, "script.json")
	for _, folder := range []string{project, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
	}
	err = errors.Join(os.WriteFile(script, []byte(discordScript), 0o600), os.WriteFile(filepath.Join(project, "small.bin"), make([]byte, 1<<10), 0o600),
		os.WriteFile(filepath.Join(project, "large.bin"), make([]byte, discordFile), 0o600))
	if err != nil {
		return nil, err
	}
	server, err := proc.Start(ctx, proc.Command{
		Path: b.o.Belay, Args: []string{"serve", "--addr", "127.0.0.1:0", "--provider", "scripted", "--project", project}, Dir: project, Probe: "/healthz",
		Env: append(proc.Env(dir), "BELAY_SCRIPTED_SCRIPT="+script, "BELAY_SCRIPTED_PACE=0s", "BELAY_DISCORD_TOKEN="+d.Token, "BELAY_DISCORD_API="+d.URL,
			"BELAY_DISCORD_DEBOUNCE=0s", "BELAY_TOOLS_SEND_FILE_BYTES=32MiB", fmt.Sprintf("BELAY_DISCORD_CHANNELS={'%s': {project: '%s', deciders: ['%s'], publish: ['*.bin']}}", channel, project, ada.ID)),
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := until(ctx, d.Gateway.Connected); err != nil {
		return nil, err
	}
	// ask says something as somebody new, and waits for the answer, with so many files.
	ask := func(text string, files int) (time.Duration, error) {
		before := len(d.Own(channel))
		began := time.Now()
		d.Say(channel, d.Person("Somebody"), d.Mention()+" "+text)
		err := until(ctx, func() bool {
			own := d.Own(channel)[before:]
			shown := 0
			for _, m := range own {
				shown += len(m.Attachments)
			}
			return len(own) > 0 && shown == files
		})
		took := time.Since(began)
		if own := d.Own(channel); err != nil && len(own) > before {
			err = fmt.Errorf("%w; the channel shows %q", err, own[len(own)-1].Content)
		}
		return took, err
	}
	var (
		first measure.Series
		most  float64 // the first large file may leave room for the others
	)
	for i := range discordQuestions + 1 {
		took, err := ask("hello", 0)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first one makes the session
			first.Add(false, ms(took))
		}
	}
	if _, err := ask("the small file", 1); err != nil {
		return nil, err
	}
	for range b.o.Rounds {
		if err := wait(ctx, settled); err != nil {
			return nil, err
		}
		before, err := server.Memory()
		if err == nil {
			err = server.ForgetPeak()
		}
		if err != nil {
			return nil, err
		}
		if _, err := ask("the large file", 1); err != nil {
			return nil, err
		}
		after, err := server.Memory()
		if err != nil {
			return nil, err
		}
		most = max(most, float64(after.Peak-before.Resident)/(1<<20))
	}
	reply := first.Figure("Discord", "message in Discord to the first reply that is seen", "ms", measure.AtMost(150))
	reply.Note = "without the time in which messages are gathered (discord.debounce)"
	file := measure.Figure{
		Row: "Discord", What: "memory that a file of 20 MiB on an answer adds", Unit: "MiB", Belay: &most, Target: measure.AtMost(8),
		Note: "the most of all rounds, until the file is in Discord",
	}
	return []measure.Figure{reply, file}, nil
}

// until waits for something that happens soon.
func until(ctx context.Context, done func() bool) error {
	for end := time.Now().Add(time.Minute); !done(); {
		if time.Now().After(end) {
			return errors.New("an answer does not come")
		}
		if err := wait(ctx, 200*time.Microsecond); err != nil {
			return err
		}
	}
	return nil
}
