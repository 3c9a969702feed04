package executor

import "time"

// Stop ends the scan as a cancellation does, but for a reason of the caller's, with which the rest is skipped, and an
// error that Run returns. The first call counts, unless the scan is stopping already. It may be called from any goroutine.
func (e *Executor[T]) Stop(why Reason, err error) {
	e.mu.Lock()
	if !e.stopping {
		e.stopping, e.stopWhy, e.stopErr = true, why, err
	}
	e.mu.Unlock()
	e.kick()
}

// Halt ends the scan as Stop does, as Interrupted, and cancels the items in flight at once with err as the cause, without
// Config.Grace. It may be called from any goroutine, also after a Stop.
func (e *Executor[T]) Halt(err error) {
	e.Stop(Interrupted, err)
	select {
	case e.halted <- err:
	default:
	}
}

func (e *Executor[T]) stopError() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stopErr
}

// grace gives the channel that says that items in flight had their time; one that never does when there is no limit.
func (e *Executor[T]) grace() <-chan time.Time {
	if e.cfg.Grace <= 0 {
		return make(chan time.Time)
	}
	return time.After(e.cfg.Grace)
}

func (e *Executor[T]) stop() {
	e.mu.Lock()
	e.stopping = true
	e.mu.Unlock()
}

func (e *Executor[T]) isStopping() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stopping
}
