package chat

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A window that changed its size is asked for it once more when it rests, and drawn
// anew; the same size again ends that.
func TestAWindowThatChangesIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var waits []tea.Msg
	s.m.follower.timer = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		waits = append(waits, msg)
		return nil
	}
	s.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	if len(waits) != 1 {
		t.Fatalf("%d looks are planned, want 1", len(waits))
	}
	_, cmd := s.m.Update(waits[0])
	if cmd == nil {
		t.Fatal("the size is not asked for again")
	}
	if again := cmd(); again != (tea.WindowSizeMsg{Width: 120, Height: 40}) {
		t.Errorf("what does not tell its size has %v, want the size known", again)
	}
	s.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	if len(waits) != 1 {
		t.Error("a size that stays is asked for for ever")
	}
}

// In a small window what is asked comes before the names of the keys.
func TestAQuestionInASmallWindow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	s.log(question("1")...)
	s.send(tea.WindowSizeMsg{Width: 30, Height: 8})
	s.shows("? WORKING_ITEMS wants", "$ rm -rf docs", "│ y · s · n · N · Tab")
	s.fits()
	s.send(tea.WindowSizeMsg{Width: 60, Height: 24})
	s.shows("y allow · s allow for the session")
}

// A narrow window goes without the model's name before the session's is cut.
func TestTheLastLineOfANarrowWindow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.m.info.model, s.m.session = "claude-sonnet-4-20250514", "sess_34cbaf27-f122-4686"
	for width, want := range map[int]string{
		80: "WORKING_ITEMS · direct · claude-sonnet-4-20250514 · sess_34cbaf27          /help",
		60: "WORKING_ITEMS · direct · sess_34cbaf27                 /help",
		30: "WORKING_ITEMS · sess_34cbaf27",
		20: "WORKING_ITEMS  /help",
	} {
		s.send(tea.WindowSizeMsg{Width: width, Height: 24})
		s.shows("\n" + want)
	}
}
