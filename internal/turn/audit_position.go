package turn

import (
	"belay/internal/permit"
	"belay/internal/session"
)

// auditPosition is how far the audit log is known to reach, nil where this process
// does not know.
func auditPosition(log *permit.Audit) *session.AuditPosition {
	return (*session.AuditPosition)(log.Position())
}
