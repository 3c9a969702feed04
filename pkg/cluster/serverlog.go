package cluster

import (
	"errors"
	"io/fs"
	"sync"
)

// serverLog passes on what a server has to say of its troubles, and notices when it cannot write its files: then nothing that it is
// told is kept, and it does not come to itself. It is safe for concurrent use.
type serverLog struct {
	say    func(format string, args ...any)
	broken func(error)
}

func newServerLog(cfg *EmbedConfig) serverLog {
	l := serverLog{say: cfg.Log, broken: func(error) {}}
	if cfg.Broken != nil {
		var once sync.Once
		l.broken = func(err error) { once.Do(func() { cfg.Broken(err) }) }
	}
	return l
}

func (l serverLog) tell(format string, args []any) {
	if l.say != nil {
		l.say("server: "+format, args...)
	}
}

// Noticef drops what is no trouble.
func (l serverLog) Noticef(string, ...any) {}

// Debugf drops what is no trouble.
func (l serverLog) Debugf(string, ...any) {}

// Tracef drops what is no trouble.
func (l serverLog) Tracef(string, ...any) {}

// Warnf passes on a warning.
func (l serverLog) Warnf(format string, args ...any) { l.tell(format, args) }

// Errorf passes on an error.
func (l serverLog) Errorf(format string, args ...any) {
	l.tell(format, args)
	for _, arg := range args {
		err, _ := arg.(error)
		if failed, ok := errors.AsType[*fs.PathError](err); ok && (failed.Op == "write" || failed.Op == "sync") {
			l.broken(failed)
		}
	}
}

// Fatalf passes on what the server cannot go on with.
func (l serverLog) Fatalf(format string, args ...any) { l.Errorf(format, args...) }
