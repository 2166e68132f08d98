package attachment

// Code says why an attachment was refused (http.md, "400 body").
type Code string

// The refusal codes.
const (
	NotAbsolute         Code = "NOT_ABSOLUTE"
	ExtensionNotAllowed Code = "EXTENSION_NOT_ALLOWED"
	NotFound            Code = "NOT_FOUND"
	NotReadable         Code = "NOT_READABLE"
	Symlink             Code = "SYMLINK"
	NotRegular          Code = "NOT_REGULAR"
	TooLarge            Code = "TOO_LARGE"
	OverBudget          Code = "OVER_BUDGET"
	KindMismatch        Code = "KIND_MISMATCH"
	NotUTF8             Code = "NOT_UTF8"
	ChangedWhileRead    Code = "CHANGED_WHILE_READ"
	OutsideRoots        Code = "OUTSIDE_ROOTS"
	// TypeNotAllowed and NotDecodable are for declared attachments only.
	TypeNotAllowed Code = "TYPE_NOT_ALLOWED"
	NotDecodable   Code = "NOT_DECODABLE"
)

// Refusal is one attachment that was not accepted. Path is as the caller wrote
// it.
type Refusal struct {
	Path   string `json:"path"`
	Code   Code   `json:"code"`
	Reason string `json:"reason"`
}
