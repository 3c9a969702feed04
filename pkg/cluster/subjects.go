package cluster

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Everything that a scan has on a server stands under its id.
const (
	noticeBucket  = "redial-scans"
	noticeStream  = "KV_" + noticeBucket // of the bucket, and its subjects: so the form of key-value buckets says
	noticePrefix  = "$KV." + noticeBucket + "."
	nudgeSubject  = "redial.nudge"   // something has changed: look again
	statusSubject = "redial.workers" // every worker answers
)

// names are the names of a scan's streams and subjects.
type names struct{ scan string }

func (n names) work() string               { return "redial-" + n.scan + "-work" }
func (n names) events() string             { return "redial-" + n.scan + "-events" }
func (n names) hosts() string              { return "KV_redial-" + n.scan + "-hosts" }
func (n names) files() string              { return "redial-" + n.scan + "-files" }
func (n names) workSubject(p int) string   { return fmt.Sprintf("redial.%s.work.%d", n.scan, p) }
func (n names) parkedSubject(p int) string { return fmt.Sprintf("redial.%s.parked.%d", n.scan, p) }
func (n names) eventsSubject(p int) string { return fmt.Sprintf("redial.%s.events.%d", n.scan, p) }
func (n names) troubleSubject() string     { return "redial." + n.scan + ".trouble" }
func (n names) permitsSubject() string     { return "redial." + n.scan + ".permits" }
func (n names) giveSubject() string        { return "redial." + n.scan + ".give" }
func (n names) ledgerSubject() string      { return "redial." + n.scan + ".ledger" }
func (n names) consumer(p int) string      { return "p" + strconv.Itoa(p) }
func (n names) hostPrefix() string         { return "$KV.redial-" + n.scan + "-hosts." }
func (n names) every(kind string) string   { return "redial." + n.scan + "." + kind + ".*" }
func (n names) hostSubject(p int, key string) string {
	h := fnv.New128a()
	h.Write([]byte(key))
	return n.hostPrefix() + strconv.Itoa(p) + "." + hex.EncodeToString(h.Sum(nil))
}

// partitionIn reads the partition that a subject ends in.
func partitionIn(subject string, partitions int) (int, error) {
	p, err := strconv.Atoi(subject[strings.LastIndexByte(subject, '.')+1:])
	if err != nil || p < 0 || p >= partitions {
		return 0, fmt.Errorf("subject ends in no partition from 0 to %d", partitions-1)
	}
	return p, nil
}
