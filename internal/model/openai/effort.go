package openai

import (
	"errors"
	"strconv"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/model"
)

// noThinking is the effort of a model that is not to think.
const noThinking = "none"

// effort is how hard the model of r is asked to think. Chat completions of OpenAI's own
// host refuse function tools beside an effort from gpt-5.4 on. From gpt-5.6 on a model
// has an effort unless the request says none.
func (p *protocol) effort(r *model.Request) string {
	if word, known := p.efforts.Learnt(r); known {
		return word
	}
	if !p.own || len(r.Tools) == 0 {
		return p.efforts.Word
	}
	switch major, minor, ok := gptVersion(r.Model); {
	case !ok || major < 5 || major == 5 && minor < 4:
		return p.efforts.Word
	case major == 5 && minor < 6:
		return ""
	}
	return noThinking
}

var gptName = lazyregexp.New(`^gpt-(\d{1,2})(?:\.(\d{1,2}))?(?:-|$)`)

// gptVersion is the version in a model's name, such as 5 and 6 of gpt-5.6-terra.
func gptVersion(name string) (major, minor int, ok bool) {
	m := gptName.FindStringSubmatch(strings.ToLower(strings.TrimSpace(name)))
	if m == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(m[1]) // the pattern takes digits alone
	minor, _ = strconv.Atoi(m[2]) // "" is 0
	return major, minor, true
}

var (
	// aboutEffort is how servers name the setting in a refusal.
	aboutEffort = lazyregexp.New(`(?i)reasoning[._ ]?effort|does not support thinking`)
	// wrongWord is how they refuse a word that the model does not know.
	wrongWord = lazyregexp.New(`(?i)unsupported value|invalid value|supported values|must be one of|should be`)
)

// otherEffort is what to send in place of an effort for which alone a request was
// refused. A word of the person's own that is wrong they can correct, so it stays.
func otherEffort(err error, sent string, own bool) (word string, again bool) {
	var e *answerError
	if !errors.As(err, &e) || e.res.StatusCode != 400 && e.res.StatusCode != 422 {
		return "", false
	}
	if e.Param != "reasoning_effort" && !aboutEffort.MatchString(e.Message) {
		return "", false
	}
	switch {
	case strings.Contains(e.Message, "'"+noThinking+"'") && strings.Contains(e.Message, "unction tools"):
		return noThinking, sent != noThinking
	case own && (e.Code == "unsupported_value" || wrongWord.MatchString(e.Message)):
		return "", false
	}
	return "", sent != ""
}
