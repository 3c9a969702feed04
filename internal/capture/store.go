package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// The limits of a [Store] that are not told otherwise.
const (
	MaxFiles = 100_000
	MaxBytes = 1 << 30
)

// Limits bound a store. The zero value is MaxFiles and MaxBytes.
type Limits struct {
	Files int
	Bytes int64
}

// Store keeps responses below a folder: DIR/scheme_host_port/method_path-digest.txt, and in DIR/index.txt a line for each
// with file, method, URL and status. Later answers to the same request get -2, -3 and so on. Files of an earlier
// run are replaced, and so is its index, unless the scan of that run goes on: then the index does too, and where a request of
// it is sent again its last line counts. They can be read by their owner only, since answers hold cookies.
//
// It is a [report.Handler] too, by which its failure (a full disk) is told like that of any output: it keeps what was
// written and takes no more. Make one with [NewStore]; Keep is safe for concurrent use.
type Store struct {
	name string
	goOn bool // with the index of an earlier run
	root *os.Root
	full func(limit string) // called once, when a limit is reached

	mu      sync.Mutex
	index   *os.File
	written map[string]int // by place, how many answers; as many as files at most
	left    Limits
	err     error // the first one; set: nothing is written any more
	over    bool  // a limit is reached
}

// NewStore makes the folder where it is missing, and says now what would keep responses from being written there. goOn says that
// the scan of an earlier run goes on. full is told, once and on the goroutine of a Keep, when a limit is reached.
func NewStore(folder string, limits Limits, goOn bool, full func(limit string)) (*Store, error) {
	if limits.Files == 0 {
		limits.Files = MaxFiles
	}
	if limits.Bytes == 0 {
		limits.Bytes = MaxBytes
	}
	s := &Store{name: "stored responses " + folder, goOn: goOn, full: full, left: limits, written: map[string]int{}}
	if err := s.open(folder); err != nil {
		return nil, &report.OutputError{Name: s.name, Err: fmt.Errorf("%w, expected a folder that this user may write", cause(err))}
	}
	return s, nil
}

func (s *Store) open(folder string) (err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if s.root, err = os.OpenRoot(folder); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE
	if s.goOn {
		flags |= os.O_APPEND
	}
	if s.index, err = s.root.OpenFile("index.txt", flags, 0o600); err != nil {
		_ = s.root.Close()
	}
	return err
}

// Keep writes the response of an exchange; one without a response is passed over.
func (s *Store) Keep(e requester.Exchange) {
	if e.Response == nil || e.Method == "" {
		return
	}
	text := appendResponse(nil, e.Response)
	folder, file := place(e)
	nth, ok := s.book(folder+"/"+file, int64(len(text)))
	if !ok {
		return
	}
	if nth > 1 {
		file += "-" + strconv.Itoa(nth)
	}
	name := folder + "/" + file + ".txt"
	err := s.root.Mkdir(folder, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil {
		err = s.write(name, text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.err == nil {
		_, err = fmt.Fprintf(s.index, "%s %s %s %d\n", name, report.Sanitize(e.Method), report.Sanitize(e.URL), e.Response.Status)
	}
	s.failLocked(err)
}

// write puts a file in the place of what is there. What a full disk has left of it is taken away.
func (s *Store) write(name string, text []byte) error {
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = s.root.Remove(name) // half an answer is worth nothing
	}
	return err
}

// book takes room for an answer, and says how many there were to this request, itself included.
func (s *Store) book(place string, size int64) (nth int, ok bool) {
	s.mu.Lock()
	var reached string
	switch {
	case s.err != nil || s.over:
	case s.left.Files < 1:
		reached = "the limit of files"
	case s.left.Bytes < size:
		reached = "the limit of bytes"
	default:
		s.left.Files--
		s.left.Bytes -= size
		s.written[place]++
		nth, ok = s.written[place], true
	}
	s.over = s.over || reached != ""
	s.mu.Unlock()
	if reached != "" {
		s.full(reached)
	}
	return nth, ok
}

func (s *Store) failLocked(err error) {
	if err != nil && s.err == nil {
		s.err = &report.OutputError{Name: s.name, Err: cause(err)}
	}
}

// Start empties the index of an earlier run: not before, so that a scan that cannot begin destroys nothing.
func (s *Store) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.goOn {
		s.failLocked(s.index.Truncate(0))
	}
	return s.err
}

// Event tells of a failure as soon as anything happens in the scan.
func (s *Store) Event(report.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Finish closes the folder, and tells of a failure that no event came after. A second call does nothing more.
func (s *Store) Finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index != nil {
		s.failLocked(s.index.Close())
		s.failLocked(s.root.Close())
		s.index = nil
	}
	return s.err
}

// cause leaves out names that say nothing more to a person.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
