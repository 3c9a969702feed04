package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// Share names a request that several checks of a set make of a target in the same way. The zero value is one that no other makes.
type Share struct {
	ID   int // from 1
	Uses int // requests of the set that it stands for
}

// Sharer is a [Sender] that can give several runs the same answer.
type Sharer interface {
	Sender
	// DoShared gets the answer to a request that other runs on the same target make as well: from one of them, or by send.
	DoShared(ctx context.Context, share Share, turn requester.Turn, send func() (*requester.Response, error)) (*requester.Response, error)
}

// share finds the requests that checks have in common, and puts checks that begin with the same one next to each other, so that its
// answer need not be kept for long. Those that ask nothing of the target come first: they are done before it can turn out to be dead,
// and before them the self-contained ones, see [Set.Alone].
func (s *Set) share() {
	uses := map[string]int{}
	keys := make([][]string, len(s.Checks))
	for i, c := range s.Checks {
		for _, b := range c.blocks {
			for j := range b.requests {
				key := c.identity(b, &b.requests[j])
				keys[i] = append(keys[i], key)
				uses[key]++
			}
		}
	}
	ids, place := map[string]int{}, map[string]int{}
	order := make([]int, len(s.Checks))
	for i, c := range s.Checks {
		at := 0
		for _, b := range c.blocks {
			for j := range b.requests {
				key := keys[i][at]
				at++
				if key == "" || uses[key] < 2 {
					continue
				}
				if ids[key] == 0 {
					ids[key] = len(ids) + 1
				}
				b.requests[j].share = Share{ID: ids[key], Uses: uses[key]}
			}
		}
		order[i] = i
		if first := keys[i][0]; first != "" {
			if _, known := place[first]; !known {
				place[first] = i
			}
			order[i] = place[first]
		}
	}
	ranked := make([]int, len(order))
	for i := range ranked {
		ranked[i] = i
	}
	group := func(i int) int {
		switch c := s.Checks[i]; {
		case c.alone:
			return 0
		case !c.AsksTarget():
			return 1
		}
		return 2
	}
	slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Or(group(a)-group(b), cmp.Compare(order[a], order[b])) })
	sorted := make([]*Check, len(s.Checks))
	for i, from := range ranked {
		sorted[i] = s.Checks[from]
	}
	s.Checks = sorted
}

// nobody is a target to see on what a request of a check comes to.
var nobody = target.Target{Input: "http://nobody.example:8080", Host: "nobody.example", Port: 8080, Scheme: target.SchemeHTTP}

// identity is the same for requests that are the same on every target; "" for those that are not to be shared: what has an effect, is
// drawn or found in the run, or is about how long the answer takes.
func (c *Check) identity(b *block, q *request) string {
	if q.address != nil || q.talk != nil || q.unsafe || b.timed || b.copies > 1 || q.varies() || !slices.ContainsFunc(q.names, isBuiltin) {
		return ""
	}
	for _, name := range q.names {
		if _, fixed := builtins[name]; !fixed {
			return ""
		}
	}
	s := &state{check: c, block: b, job: &Job{Target: nobody}}
	req, err := s.build(q)
	if err == nil && q.ask != nil {
		return fmt.Sprintf("dns\n%+v", *req.Query)
	}
	if err != nil || !s.home(req) || len(req.Body) > 0 || !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, Method(req)) {
		return ""
	}
	parts := []string{req.Method, req.Target, req.ServerName, strconv.Itoa(req.Redirects), strconv.FormatBool(req.SameHostRedirects), req.Timeout.String()}
	for _, f := range req.Header {
		parts = append(parts, strings.ToLower(f.Name)+": "+f.Value)
	}
	return strings.Join(parts, "\n")
}
