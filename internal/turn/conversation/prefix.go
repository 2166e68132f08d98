package conversation

import "belay/internal/model"

// bytesPerToken is the low end of what a token holds. So estimates are high, and a
// request that fits by estimate does fit.
const bytesPerToken = 3

// Prefix is the fixed beginning of every request of an agent, and the limits of the
// model that gets it.
type Prefix struct {
	System []string
	Tools  []model.ToolSpec
	Limits model.Limits
	// MaxTokens is the most output that the turn may have, 0 for no limit.
	MaxTokens int64
}

// InputTokens is how many input tokens are left for the conversation: the context
// without the prefix and without space for the answer.
func (p Prefix) InputTokens() int64 { return p.inputTokens(1) }

func (p Prefix) inputTokens(calibration float64) int64 {
	reserve := p.Limits.OutputTokens
	if p.MaxTokens > 0 {
		reserve = min(reserve, p.MaxTokens)
	}
	// A model that may answer with most of its context would leave nothing to ask
	// with: at most half is kept free, and a call's own cap is lowered to fit.
	reserve = min(reserve, p.Limits.ContextTokens/2)
	return int64(float64(p.Limits.ContextTokens-reserve)/calibration) - p.Tokens()
}

// Tokens estimates the prefix itself.
func (p Prefix) Tokens() int64 {
	size := 0
	for _, s := range p.System {
		size += len(s)
	}
	for _, s := range p.Tools {
		size += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	return Tokens(size) + requestOverheadTokens
}

// budget is what the conversation may cost with this prefix.
func (p Prefix) budget(calibration float64) cost {
	a := p.Limits.Attachments
	system := int64(0)
	for _, s := range p.System {
		system += int64(len(s))
	}
	return cost{
		bytes:  a.RequestBytes - requestOverheadBytes - jsonBytes(system),
		tokens: p.inputTokens(calibration),
		images: a.Images, pages: a.PDFPages,
	}
}

// What a request holds beside its content, on the high side.
const (
	requestOverheadTokens = 512
	requestOverheadBytes  = 64 << 10
)

// Tokens estimates the tokens of a text of so many bytes.
func Tokens(bytes int) int64 { return int64(bytes)/bytesPerToken + 8 }
