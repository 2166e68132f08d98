package scripted

import (
	"cmp"
	"fmt"
	"strings"

	"belay/internal/model"
)

// The kinds of failure that are not an answer of the service.
const (
	failNetwork   = "network"
	failTimeout   = "timeout"
	failTruncated = "truncated"
)

// play performs the steps of one model call. Tool calls without an id of their
// own get one from their place in the conversation, so that none comes twice.
func (s *speaker) play(steps []step, messages int) {
	reason := model.StopEndTurn
	for i, st := range steps {
		if st.call != nil && st.call.ID == "" {
			c := *st.call
			c.ID = fmt.Sprintf("call_%d_%d", messages, i+1)
			st.call = &c
		}
		if !s.perform(st) {
			return
		}
		if st.call != nil {
			reason = model.StopToolUse
		}
	}
	s.stop(reason)
}

func (s *speaker) perform(st step) bool {
	switch {
	case st.say != "":
		return s.say(strings.ReplaceAll(st.say, receivedMark, s.received()))
	case st.think != "":
		return s.think(st.think)
	case st.call != nil:
		s.afford(string(st.call.Input))
		return s.emit(model.Block{Content: *st.call})
	case st.usage != nil:
		s.usage, s.fixed = *st.usage, true
		return true
	case st.fail != nil:
		return s.breakDown(*st.fail)
	case st.stop != "":
		return s.stop(st.stop)
	case st.panic != "":
		panic(st.panic)
	default:
		return s.wait(st.wait)
	}
}

// receivedMark stands in a text for a list of the files that came with the message.
const receivedMark = "{received}"

// received lists the files that came with the message, as Markdown.
func (s *speaker) received() string {
	_, files := read(&s.messages)
	if files == "" {
		return "- Received no files."
	}
	return "- " + strings.ReplaceAll(files, "\n", "\n- ")
}

// breakDown ends the answer with a failure.
func (s *speaker) breakDown(f failure) bool {
	switch f.kind {
	case failTruncated:
		return false
	case failNetwork:
		e := model.Failure(Name, 503, model.NetworkError, cmp.Or(f.message, "the connection broke"))
		return s.fail(e.Because(&model.TransientError{}))
	case failTimeout:
		return s.fail(model.Failure(Name, 504, model.RequestTimeout, cmp.Or(f.message, "the provider did not answer in time")))
	default:
		return s.fail(model.UpstreamFailure(Name, f.status, f.kind, f.message, 0, nil))
	}
}
