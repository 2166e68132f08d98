package contract

import (
	"encoding/base64"
	"strings"
)

// TextDelta is a piece of the answer. All of them together are the whole text.
type TextDelta struct {
	Delta string `json:"delta"`
	// Begins says that a paragraph begins, after calls of tools or after somebody said
	// something: the answer may go on in another place from here.
	Begins bool `json:"begins,omitempty"`
}

// ReasoningDelta is a piece of the model's reasoning.
type ReasoningDelta struct {
	Delta string `json:"delta"`
}

// ToolCall says that a tool call began or ended.
type ToolCall struct {
	ToolCallID string `json:"toolCallId"`
	Name       string `json:"name"`
	// Status is start or end.
	Status ToolStatus `json:"status"`
	// Display is one line for people: what is called, with what.
	Display string `json:"display,omitempty"`
	// OK says of an ended call whether it succeeded, Error why not.
	OK    bool   `json:"ok,omitempty"`
	Error string `json:"error,omitempty"`
	// Parent is the call that started the subagent whose call this is.
	Parent string `json:"parent,omitempty"`
}

// ToolStatus is the phase of a tool call.
type ToolStatus string

// The phases.
const (
	ToolStart ToolStatus = "start"
	ToolEnd   ToolStatus = "end"
)

// File is a file by reference: the bytes are a blob of the session, under SHA256.
type File struct {
	SHA256   string `json:"sha256"`
	Bytes    int64  `json:"bytes"`
	MIMEType string `json:"mimeType"`
	Filename string `json:"filename"`
	// DataBase64 are the bytes of a file of at most [MaxInline]; a larger file has
	// none.
	DataBase64 string `json:"dataBase64,omitempty"`
	// ToolCallID and Index tell a file from its repetition. Index counts the files
	// of the call from 0.
	ToolCallID string `json:"toolCallId"`
	Index      int    `json:"index"`
}

// ResponseBinary is a file that the agent sends people. The files of a call come
// in order, each in its place between the texts.
type ResponseBinary struct {
	File
	// Of is how many files the call sends.
	Of int `json:"of"`
}

// InputBinary is a file that a tool gave to the model. It is not for people.
type InputBinary struct{ File }

// Warning is something that people should know and that does not end the turn.
type Warning struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Paths   []string `json:"paths,omitempty"`
}

// ResponseText ends the output of a request: nothing follows it. Each request
// that ran has exactly one.
type ResponseText struct {
	// FinalText is everything that the deltas say, or its beginning with Truncated:
	// at most [MaxText] bytes.
	FinalText string `json:"finalText"`
	Truncated bool   `json:"truncated,omitempty"`
	// State is resolved, failed or cancelled, Error why it failed.
	State State    `json:"state"`
	Error *Failure `json:"error,omitempty"`
	// Note says in a line what people should know about the end, such as a limit
	// that was reached or calls that were refused.
	Note string `json:"note,omitempty"`
}

func (m *TextDelta) check(c *checker)      { c.filled("delta", m.Delta, MaxText) }
func (m *ReasoningDelta) check(c *checker) { c.filled("delta", m.Delta, MaxText) }

func (m *ToolCall) check(c *checker) {
	c.text("toolCallId", m.ToolCallID, maxLabel)
	c.filled("name", m.Name, maxLabel)
	one(c, "status", m.Status, ToolStart, ToolEnd)
	c.text("display", m.Display, maxNote)
	c.text("error", m.Error, maxNote)
	c.text("parent", m.Parent, maxLabel)
}

func (m *File) check(c *checker) {
	c.matches("sha256", m.SHA256, sha256Pattern)
	c.that(m.Bytes >= 0, "bytes", "must not be negative")
	c.matches("mimeType", m.MIMEType, mimePattern)
	c.filled("filename", m.Filename, maxPath)
	c.that(!strings.ContainsAny(m.Filename, "/\x00"), "filename", "must be a name without slashes")
	c.text("toolCallId", m.ToolCallID, maxLabel)
	c.that(m.Index >= 0, "index", "must not be negative")
	if m.DataBase64 != "" {
		data, err := base64.StdEncoding.DecodeString(m.DataBase64)
		c.that(err == nil && int64(len(data)) == m.Bytes, "dataBase64", "must hold the %d bytes of the file", m.Bytes)
		c.that(m.Bytes <= MaxInline, "dataBase64", "is for files of at most %d bytes", MaxInline)
	}
}

func (m *ResponseBinary) check(c *checker) {
	m.File.check(c)
	c.that(m.Of > m.Index, "of", "must be greater than index")
}

func (m *Warning) check(c *checker) {
	c.filled("code", m.Code, maxLabel)
	c.filled("message", m.Message, maxNote)
	c.texts("paths", m.Paths, maxPath)
}

func (m *ResponseText) check(c *checker) {
	c.text("finalText", m.FinalText, MaxText)
	one(c, "state", m.State, StateResolved, StateFailed, StateCancelled)
	c.that((m.Error != nil) == (m.State == StateFailed), "error", "belongs to the state failed")
	if m.Error != nil {
		m.Error.check(c)
	}
	c.text("note", m.Note, maxNote)
}
