package scan

import (
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/retry"
)

// Hosts that die keep no retries that were granted to them and never sent: those are for hosts that live.
func TestDeadHostsKeepNoRetries(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Resetting: 3}})
	opt := base()
	opt.Retries, opt.RetryWait, opt.RetryMaxWait = 1, time.Hour, time.Hour // none is sent before its host trips
	opt.NoRevisit = true
	var err error
	opt.Budget, err = retry.NewBudget(0, 10)
	must(t, err)
	_, ending := scanned(t, opt, paths(20), urls(l)...)
	taken, _ := opt.Budget.Retries()
	if taken != 0 || ending.SkippedBy["quarantined"] != 60 {
		t.Errorf("%d retries are taken, ending %+v; want none, and 60 skipped", taken, ending.Summary)
	}
}
