package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// firstView measures how soon a page answers input, and how much it loads for that.
func (b *bench) firstView(ctx context.Context) (_ []figure, err error) {
	s, err := b.startServer(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	bare, err := startBare(0)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	var took, bytes series
	one := func(isBare bool) error {
		t, err := b.browser.open()
		if err != nil {
			return err
		}
		defer t.close()
		base := "http://" + bare.addr
		if !isBare {
			base = "http://" + s.Addr
			if err := s.enter(ctx, t); err != nil {
				return err
			}
		}
		if err := errors.Join(t.do(chromedp.Navigate("about:blank")), t.clearCache(), t.before(firstInput), t.do(chromedp.Navigate(base+"/"))); err != nil {
			return err
		}
		if err := t.until("window.benchFirst"); err != nil {
			return err
		}
		first, err := value[struct{ Ms, Bytes float64 }](t, "window.benchFirst")
		took.add(isBare, first.Ms)
		bytes.add(isBare, first.Bytes/1000)
		return err
	}
	if err := b.rounds(ctx, one); err != nil {
		return nil, err
	}
	return []figure{
		bytes.figure("loaded until the first view answers input", "kB").atMost(250),
		took.figure("the first view answers input after", "ms").atMost(1000),
	}, nil
}

// rounds has both sides take turns. The first round does not count where its figures would be
// those of files that are read for the first time: callers measure it like the others.
func (b *bench) rounds(ctx context.Context, one func(bare bool) error) error {
	for range b.o.rounds {
		for _, bare := range []bool{true, false} {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := one(bare); err != nil {
				return fmt.Errorf("bare %v: %w", bare, err)
			}
		}
	}
	return nil
}

// Of the live sessions.
const (
	liveSessions = 50
	livePace     = 35 * time.Millisecond
	liveTime     = 8 * time.Second
)

// live measures the longest frame while many sessions are at work.
func (b *bench) live(ctx context.Context) (_ []figure, err error) {
	s, err := b.startServer(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	bare, err := startBare(0)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	var longest series
	one := func(isBare bool) error {
		t, err := b.browser.open()
		if err != nil {
			return err
		}
		defer t.close()
		if isBare {
			err = bareLive(ctx, bare, t)
		} else {
			err = s.live(ctx, t)
		}
		if err != nil {
			return err
		}
		seen, err := value[struct{ Count, Longest float64 }](t, "(window.benchFrames.stop = true, window.benchFrames)")
		if err == nil && seen.Count < 10 {
			err = fmt.Errorf("only %v frames were drawn", seen.Count)
		}
		longest.add(isBare, seen.Longest)
		return err
	}
	if err := b.rounds(ctx, one); err != nil {
		return nil, err
	}
	return []figure{longest.figure("50 live sessions in one stream, longest frame", "ms").atMost(100)}, nil
}

// live shows one of many sessions that are at work.
func (s *server) live(ctx context.Context, t *tab) error {
	if err := s.enter(ctx, t); err != nil {
		return err
	}
	ids := make([]string, liveSessions)
	for i := range ids {
		var err error
		if ids[i], err = s.session(ctx); err != nil {
			return err
		}
	}
	if err := t.do(chromedp.Navigate("http://" + s.Addr + "/s/" + ids[0])); err != nil {
		return err
	}
	if err := t.until("document.querySelector('#message:enabled')"); err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.turn(ctx, id, "speak"); err != nil {
			return err
		}
	}
	if err := t.until("document.querySelector('.answer')"); err != nil {
		return err
	}
	if err := t.frames(ctx); err != nil {
		return err
	}
	// They were at work for the whole time; they need not go on.
	for _, id := range ids {
		var said any
		if err := s.call(ctx, "POST", "/api/harness/interrupt", map[string]any{"sessionId": id}, &said); err != nil {
			return fmt.Errorf("a session was not at work to the end: %w", err)
		}
	}
	return nil
}

// bareLive shows pieces of many texts.
func bareLive(ctx context.Context, bare *bareServer, t *tab) error {
	if err := t.do(chromedp.Navigate("http://" + bare.addr + "/")); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		tick := time.NewTicker(livePace / liveSessions)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				ended <- nil
				return
			case <-tick.C:
			}
			if err := bare.say(ctx, fmt.Sprintf(`{"id":%d,"text":"The words of an answer "}`, i%liveSessions)); err != nil {
				ended <- err
				return
			}
		}
	}()
	err := t.frames(ctx)
	stop()
	return errors.Join(err, <-ended)
}

// frames watches frames for some time.
func (t *tab) frames(ctx context.Context) error {
	if _, err := value[bool](t, watchFrames); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(liveTime):
		return nil
	}
}

// scrollStep is how far scrollUp goes per frame.
const scrollStep = 200

// longTurns are the turns of a session of 5,000 messages.
const longTurns = 2_500

// scroll measures the frames of a long session that is scrolled.
func (b *bench) scroll(ctx context.Context) (_ []figure, err error) {
	s, err := b.startServer(ctx, longTurns)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	bare, err := startBare(2 * longTurns)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	var rate, longest series
	one := func(isBare bool) error {
		t, err := b.browser.open()
		if err != nil {
			return err
		}
		defer t.close()
		address, shown := "http://"+bare.addr+"/", "article"
		if !isBare {
			if err := s.enter(ctx, t); err != nil {
				return err
			}
			address, shown = "http://"+s.Addr+"/s/"+s.long, ".answer"
		}
		if err := t.do(chromedp.Navigate(address)); err != nil {
			return err
		}
		if err := t.settled(ctx, shown); err != nil {
			return err
		}
		seen, err := value[struct{ PerSecond, Longest, Moved, Count float64 }](t, scrollUp)
		if err == nil && seen.Moved < seen.Count*scrollStep/2 {
			err = fmt.Errorf("in %v frames it scrolled by %v pixels only", seen.Count, seen.Moved)
		}
		rate.add(isBare, seen.PerSecond)
		longest.add(isBare, seen.Longest)
		return err
	}
	if err := b.rounds(ctx, one); err != nil {
		return nil, err
	}
	const most = 58 // of 60, which are the most: the machine itself takes one or two per second
	return []figure{
		rate.figure("a session of 5,000 messages scrolls, frames per second", "").atLeast(most),
		longest.figure("the same, longest frame", "ms"),
	}, nil
}

// settled waits until a page shows no more of something than before.
func (t *tab) settled(ctx context.Context, selector string) error {
	before, since := 0, time.Now()
	for end := time.Now().Add(patience); ; {
		n, err := value[int](t, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
		switch {
		case err != nil:
			return err
		case n != before:
			before, since = n, time.Now()
		case n > 2 && time.Since(since) > settleTime:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("the page shows %d %s", n, selector)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// settleTime is how long nothing may be added to a page that is settled.
const settleTime = 2 * time.Second

// questions is how many are asked in a round, each in a tab of its own.
const questions = 5

// question measures how long after its event a question is on the screen.
func (b *bench) question(ctx context.Context) (_ []figure, err error) {
	s, err := b.startServer(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	bare, err := startBare(0)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	var took series
	ask := func(isBare bool) (float64, error) {
		t, err := b.browser.open()
		if err != nil {
			return 0, err
		}
		defer t.close()
		if isBare {
			return bareQuestion(ctx, bare, t)
		}
		if err := s.enter(ctx, t); err != nil {
			return 0, err
		}
		return s.question(ctx, t)
	}
	one := func(isBare bool) error {
		for range questions {
			ms, err := ask(isBare)
			if err != nil {
				return err
			}
			took.add(isBare, ms)
		}
		return nil
	}
	if err := b.rounds(ctx, one); err != nil {
		return nil, err
	}
	return []figure{took.figure("a question is on the screen after its event", "ms").atMost(200)}, nil
}

// question has a new session ask while it is shown.
func (s *server) question(ctx context.Context, t *tab) (float64, error) {
	id, err := s.session(ctx)
	if err != nil {
		return 0, err
	}
	if err := t.do(chromedp.Navigate("http://" + s.Addr + "/s/" + id)); err != nil {
		return 0, fmt.Errorf("open the session: %w", err)
	}
	if err := t.until("document.querySelector('#message:enabled')"); err != nil {
		return 0, err
	}
	if _, err := value[bool](t, awaitQuestion); err != nil {
		return 0, err
	}
	if err := s.turn(ctx, id, "ask"); err != nil {
		return 0, fmt.Errorf("start the turn: %w", err)
	}
	if err := t.until("window.benchQuestion"); err != nil {
		return 0, err
	}
	shown, err := value[float64](t, "window.benchQuestion")
	if err != nil {
		return 0, err
	}
	asked, err := s.logged(id, "permission:request")
	return shown - float64(asked.UnixMicro())/1000, err
}

// bareQuestion has the bare server say something that the bare page shows.
func bareQuestion(ctx context.Context, bare *bareServer, t *tab) (float64, error) {
	if err := t.do(chromedp.Navigate("http://" + bare.addr + "/")); err != nil {
		return 0, err
	}
	if _, err := value[bool](t, awaitQuestion); err != nil {
		return 0, err
	}
	if err := t.until("stream.readyState === 1"); err != nil {
		return 0, err
	}
	asked := time.Now()
	if err := bare.say(ctx, `{"id":"q","text":"May it?","question":true}`); err != nil {
		return 0, err
	}
	if err := t.until("window.benchQuestion"); err != nil {
		return 0, err
	}
	shown, err := value[float64](t, "window.benchQuestion")
	return shown - float64(asked.UnixMicro())/1000, err
}
