package api

import (
	"belay/internal/model"
	"belay/internal/overview"
)

// ModelList is what can be asked for in turns.
type ModelList struct {
	// Default is the model of turns that name none.
	Default string      `json:"default"`
	Models  []ModelInfo `json:"models"`
}

// ModelInfo is what is known of a model. There may be others that the provider has.
type ModelInfo struct {
	ID string `json:"id"`
	// Name is what people are shown: the id, but of the scripted provider.
	Name     string `json:"name"`
	Provider string `json:"provider"`
	// ContextTokens bounds input and output together, OutputTokens one answer.
	ContextTokens int64 `json:"contextTokens"`
	OutputTokens  int64 `json:"outputTokens"`
	// Images and PDF are set where the model takes such attachments as they are.
	Images bool `json:"images,omitempty"`
	PDF    bool `json:"pdf,omitempty"`
	// Assumed is set where nothing is known of the model.
	Assumed bool `json:"assumed,omitempty"`
	// Price is in US dollars per million tokens, absent where it is not known.
	Price *model.Price `json:"price,omitempty"`
}

// SystemInfo is what a client has to know of a server before it shows anything.
type SystemInfo struct {
	Version string `json:"version,omitempty"`
	// Provider answers where nothing names another; ProviderName is what people are shown.
	Provider       string   `json:"provider"`
	ProviderName   string   `json:"providerName"`
	DefaultModel   string   `json:"defaultModel"`
	DefaultMode    string   `json:"defaultMode"`
	DefaultPersona string   `json:"defaultPersona"`
	Modes          []string `json:"modes"`
	// Limits bound requests.
	Limits InfoLimits `json:"limits"`
	// Features are the parts that are switched on or off.
	Features map[string]bool `json:"features"`
	// Operator is set where this caller has the operator's authority.
	Operator bool `json:"operator"`
	// States are those of sessions, for GET /api/harness/sessions.
	States []string `json:"states"`
}

// InfoLimits are limits of requests, in bytes where the name does not say otherwise.
type InfoLimits struct {
	MessageBytes         int64    `json:"messageBytes"`
	BodyBytes            int64    `json:"bodyBytes"`
	UploadBytes          int64    `json:"uploadBytes"`
	AttachmentBytes      int64    `json:"attachmentBytes"`
	TurnAttachmentBytes  int64    `json:"turnAttachmentBytes"`
	MaxAttachments       int      `json:"maxAttachments"`
	AttachmentExtensions []string `json:"attachmentExtensions"`
	// StreamSessions and StreamProjects are how many GET /api/events follows.
	StreamSessions int `json:"streamSessions"`
	StreamProjects int `json:"streamProjects"`
}

func listModels(c *call) (ModelList, error) {
	if c.o.Models == nil {
		return ModelList{}, notServed("does not say which models it has")
	}
	list, err := c.o.Models(c.ctx())
	list.Models = orEmpty(list.Models)
	return list, err
}

func systemInfo(c *call) (SystemInfo, error) {
	if c.o.Info == nil {
		return SystemInfo{}, notServed("does not report that")
	}
	info, err := c.o.Info(c.ctx())
	info.Version, info.States = c.o.Version, overview.States()
	info.Limits.BodyBytes, info.Limits.UploadBytes = c.o.BodyBytes, c.o.UploadBytes
	info.Limits.StreamSessions, info.Limits.StreamProjects = maxNamed, maxNamed
	info.Operator = c.authorize(c.r, &route{access: operator}) == nil
	return info, err
}
