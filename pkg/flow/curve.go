package flow

// curve is the warm-up curve that the package doc draws. Lengths are in
// nanoseconds.
type curve struct {
	threshold float64 // permits below which the interval is 1/T
	max       float64 // permits of a cold bucket
	slope     float64 // growth of the interval per permit above the threshold
	cooling   float64 // permits that come back per idle nanosecond
}

func newCurve(r Rule) *curve {
	warm := 1e9 / r.Rate
	cold := r.ColdFactor * warm
	period := float64(r.WarmUp)
	threshold := 0.5 * period / warm
	span := 2 * period / (warm + cold)
	return &curve{
		threshold: threshold,
		max:       threshold + span,
		slope:     (cold - warm) / span,
		cooling:   (threshold + span) / period,
	}
}

// extra is what one permit out of stored costs beyond 1/T: the area of the slope
// over the unit that is taken.
func (c *curve) extra(stored float64) float64 {
	above := stored - c.threshold
	if above <= 0 {
		return 0
	}
	taken := min(above, 1)
	// The inner conversion keeps the compiler from fusing the operations: line
	// compares moments that come from two calls of this function.
	return c.slope * taken * (above - float64(taken/2))
}

// cooled is stored after idle nanoseconds without a request.
func (c *curve) cooled(stored, idle float64) float64 {
	return min(c.max, stored+idle*c.cooling)
}
