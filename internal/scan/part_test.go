package scan

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/target"
)

// listed gives targets from memory.
type listed []target.Target

func (l *listed) Next() (target.Target, error) {
	if len(*l) == 0 {
		return target.Target{}, io.EOF
	}
	t := (*l)[0]
	*l = (*l)[1:]
	return t, nil
}

// leftOf says what is left by number of the target; of others nothing is.
type leftOf map[int64]struct {
	from  int
	again []int
}

func (l leftOf) Left(target int64, all int) (from int, again []int) {
	if left, ok := l[target]; ok {
		return left.from, left.again
	}
	return all, nil
}

// A part of a larger scan gets its targets from whoever has them, under the numbers that they have in the whole, and with
// what is left of each.
func TestPartOfALargerScan(t *testing.T) {
	l := startLab(t, lab.Config{Hosts: []lab.Spec{{Kind: lab.Healthy}, {Kind: lab.Healthy}, {Kind: lab.Healthy}}})
	var targets listed
	for _, url := range urls(l) {
		one, err := target.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, one)
	}
	numbers := []int64{70, 7, 700}
	opt := base()
	opt.Targets, opt.Index = &targets, func(n int64) int64 { return numbers[n] }
	opt.Only = leftOf{70: {from: 2, again: []int{0}}, 700: {from: 3, again: []int{1}}}
	var err error
	if opt.Probe, err = check.NewProbe(check.ProbeOptions{Paths: []string{"/a", "/b", "/c"}}); err != nil {
		t.Fatal(err)
	}
	b := &book{}
	opt.Handlers = []report.Handler{b}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ending, err := s.Run(t.Context())
	if err != nil || ending.Items != 3 || ending.Done != 3 {
		t.Fatalf("%d items, %d done, %v; want 3 done", ending.Items, ending.Done, err)
	}
	var got [][2]int64
	for _, r := range of[*report.Result](b) {
		got = append(got, [2]int64{r.Target, int64(r.Index)})
	}
	slices.SortFunc(got, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	if want := [][2]int64{{70, 0}, {70, 2}, {700, 1}}; !slices.Equal(got, want) {
		t.Errorf("the results are of %v (target, item); want %v", got, want)
	}
}

// A scan that shares the process with others keeps to what it is given, and takes up more when it is given more.
func TestShareOfTheConcurrency(t *testing.T) {
	l := startLab(t, lab.Config{Hosts: []lab.Spec{{Kind: lab.Slow, Delay: 20 * time.Millisecond}}})
	opt := base()
	opt.Concurrency, opt.HostConcurrency = 8, 8
	var s *Scan
	b := &book{}
	done := 0
	b.on = func(e report.Event) {
		if _, ok := e.(*report.Result); ok {
			if done++; done == 20 {
				if most := l.Hosts()[0].Stats().MaxInFlight; most > 2 {
					t.Errorf("%d requests in flight with a share of 2", most)
				}
				s.Share(100, 100)
			}
		}
	}
	opt.Handlers = []report.Handler{b}
	paths := make([]string, 200)
	for i := range paths {
		paths[i] = fmt.Sprint("/", i)
	}
	var err error
	if opt.Probe, err = check.NewProbe(check.ProbeOptions{Paths: paths}); err != nil {
		t.Fatal(err)
	}
	opt.Targets = reader(t, urls(l)...)
	if s, err = New(opt); err != nil {
		t.Fatal(err)
	}
	s.Share(2, 0)
	if ending, err := s.Run(t.Context()); err != nil || ending.Done != 200 {
		t.Fatalf("%d done, %v", ending.Done, err)
	}
	if most := l.Hosts()[0].Stats().MaxInFlight; most < 3 || most > 8 {
		t.Errorf("%d requests in flight at most, after all 8 were given back", most)
	}
}
