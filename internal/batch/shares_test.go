package batch

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// part is a scan that notes its share.
type part struct {
	mu   sync.Mutex
	have [2]int
}

func (p *part) Share(concurrency, dials int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.have = [2]int{concurrency, dials}
}

func (p *part) want(t *testing.T, concurrency, dials int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := [2]int{concurrency, dials}; p.have != want {
		t.Errorf("a scan has the share %v, want %v", p.have, want)
	}
}

// A quarter goes to all alike, and the rest by hosts.
func TestHostsShareAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(150, 1000, 4)
		small, large, one := &part{}, &part{}, &part{}
		endSmall := s.begin(small, 10)
		<-time.After(gathering)
		synctest.Wait()
		small.want(t, 150, 1000)
		endLarge := s.begin(large, 40)
		small.want(t, 42, 275)
		large.want(t, 109, 725)
		endOne := s.begin(one, 0) // counts as one host
		one.want(t, 15, 99)
		endOne()
		endSmall()
		large.want(t, 150, 1000)
		endLarge()
	})
}

// At the start a scan leaves room for those that may come, and no longer than they are waited for.
func TestTheFirstOnesWaitForTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(160, 1600, 16)
		first, second, late := &part{}, &part{}, &part{}
		endFirst := s.begin(first, 5)
		first.want(t, 10, 100)
		endSecond := s.begin(second, 5)
		first.want(t, 10, 100)
		second.want(t, 10, 100)
		<-time.After(gathering)
		synctest.Wait()
		first.want(t, 80, 800)
		second.want(t, 80, 800)
		endFirst()
		endSecond()
		end := s.begin(late, 1)
		late.want(t, 160, 1600)
		end()
	})
}

// What began after the first scan is not left with the share of the time of gathering when that scan ends within it.
func TestGatheringEndsWithoutTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(160, 1600, 16)
		first, second := &part{}, &part{}
		endFirst := s.begin(first, 5)
		end := s.begin(second, 5)
		<-time.After(gathering / 2)
		endFirst()
		second.want(t, 10, 100)
		<-time.After(gathering / 2)
		synctest.Wait()
		second.want(t, 160, 1600)
		end()
	})
}

func TestASmallShareIsOne(t *testing.T) {
	s := newShares(1, 1, 32)
	parts := make([]part, 5)
	for i := range parts {
		defer s.begin(&parts[i], 100*i)()
	}
	for i := range parts {
		parts[i].want(t, 1, 1)
	}
}
