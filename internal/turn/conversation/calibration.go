package conversation

import "belay/internal/model"

// Tokens are estimated from bytes. What the provider counts, or its refusal, shows
// where text is denser than the estimate, as tables of numbers are.
const (
	// refusalFactor is how much more caution one refusal teaches, maxCalibration the
	// most.
	refusalFactor  = 1.25
	maxCalibration = 2.5
)

func (w *Window) factor() float64 { return max(w.calibration, 1) }

// CountedTokens is what the provider is likely to count of the next request's input.
func (w *Window) CountedTokens() int64 { return w.Calibrated(w.inputTokens) }

// Calibrated is what the provider is likely to count for an estimate.
func (w *Window) Calibrated(tokens int64) int64 { return int64(float64(tokens) * w.factor()) }

// Calibrate compares what the provider counted of a request's input with the estimate.
// Short input proves nothing, and neither does more than the context holds.
func (w *Window) Calibrate(u model.Usage) {
	real := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	if most := w.prefix.Limits.ContextTokens; real < most/4 || real > most {
		return
	}
	w.calibration = min(max(w.calibration, float64(real)/float64(w.inputTokens)), maxCalibration)
}

// CalibrateRefusal notes that the provider found a request too long that was thought to
// fit. It is false where more caution would not help.
func (w *Window) CalibrateRefusal() bool {
	w.calibration = w.factor() * refusalFactor
	return w.calibration <= maxCalibration
}
