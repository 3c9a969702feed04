package flow

import (
	"testing"
	"time"
)

// At half a request per second (github.com/alibaba/sentinel-golang takes 0.5 for 0):
// s = 2 s; with a warm-up of 8 s and factor 3: c = 6 s, threshold = 2 permits,
// max = 4, slope = 2 s per permit. The first permits cost 5 s and 3 s, then 2 s each.

func TestHalfReject(t *testing.T) {
	runSteps(t, mustNew(t, Rule{Rate: 0.5, Mode: Reject}), []step{
		{0, true, 0},
		{0, false, 2 * time.Second},
		{time.Second, false, time.Second},
		{2*time.Second - 1, false, 1},
		{2 * time.Second, true, 0},
		{3 * time.Second, false, time.Second},
		{time.Minute, true, 0},
		{time.Minute, false, 2 * time.Second},
	})
}

func TestHalfQueue(t *testing.T) {
	runSteps(t, mustNew(t, Rule{Rate: 0.5, Mode: Queue, MaxQueueWait: 4 * time.Second}), []step{
		{0, true, 0},
		{0, true, 2 * time.Second},
		{0, true, 4 * time.Second},
		{0, false, 2 * time.Second}, // its slot is at 6 s, so it is taken from 2 s on
		{2*time.Second - 1, false, 1},
		{2 * time.Second, true, 4 * time.Second},
		{7 * time.Second, true, time.Second},
		{11 * time.Second, true, 0}, // 1 s late: the schedule moves with it
		{12 * time.Second, true, time.Second},
	})
}

func TestHalfWarmUp(t *testing.T) {
	runSteps(t, mustNew(t, Rule{Rate: 0.5, Mode: WarmUp, WarmUp: 8 * time.Second, ColdFactor: 3}), []step{
		{0, true, 0},
		{0, false, 5 * time.Second},
		{5*time.Second - 1, false, 1},
		{5 * time.Second, true, 0},
		{6 * time.Second, false, 2 * time.Second},
		{8 * time.Second, true, 0},
		{8 * time.Second, false, 2 * time.Second},
		{10 * time.Second, true, 0},
		{12 * time.Second, true, 0},
		{14 * time.Second, true, 0},
		{14 * time.Second, false, 2 * time.Second},
	})
}

func TestHalfWarmUpQueue(t *testing.T) {
	runSteps(t, mustNew(t, Rule{Rate: 0.5, Mode: WarmUpQueue, WarmUp: 8 * time.Second, ColdFactor: 3,
		MaxQueueWait: 10 * time.Second}), []step{
		{0, true, 0},
		{0, true, 5 * time.Second},
		{0, true, 8 * time.Second},
		{0, true, 10 * time.Second},
		{0, false, 2 * time.Second},
		{2 * time.Second, true, 10 * time.Second},
	})
}
