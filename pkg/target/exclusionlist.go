package target

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
)

// NewExclusion reads values, each a list with commas between them, of
//
//	example.com          this name alone
//	*.example.com        every name below it, not itself
//	10.0.0.1  ::1        an address; without a zone it covers all zones
//	10.0.0.0/8           every address of a CIDR or a range, of any size
//	http://example.com   the host
//	@file                a file of these, one a line, with comments
//
// each but the file also with :port, which excludes that port alone (a URL
// names its port only when it is written out). A value that is the path of an
// existing file is read as a file, and when it could be a host too, that host
// is excluded as well, so that a stray file cannot lift an exclusion.
//
// An entry that cannot be read is an error, never a warning: a scan must not
// begin while it is unclear what to leave alone.
func NewExclusion(values []string) (*Exclusion, error) {
	b := exclusionBuilder{x: &Exclusion{onPort: map[uint16]*hostSet{}}}
	for _, value := range values {
		if err := b.value(value); err != nil {
			return nil, err
		}
	}
	b.x.anyPort.settle()
	for _, set := range b.x.onPort {
		set.settle()
	}
	return b.x, nil
}

type exclusionBuilder struct {
	x *Exclusion
}

func (b *exclusionBuilder) value(value string) error {
	if path, ok := strings.CutPrefix(value, "@"); ok {
		return b.file(path)
	}
	for item := range strings.SplitSeq(value, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		if err := b.item(item); err != nil {
			return fmt.Errorf("exclusion %.80q: %w", item, err)
		}
	}
	return nil
}

func (b *exclusionBuilder) item(item string) error {
	if path, ok := strings.CutPrefix(item, "@"); ok {
		return b.file(path)
	}
	if info, err := os.Stat(item); err == nil && !info.IsDir() {
		if err := b.file(item); err != nil {
			return fmt.Errorf("%w (there is a file of this name; for the host alone write http://%s)", err, item)
		}
		// The error only says that the name of the file is no host.
		_ = b.entry(item)
		return nil
	}
	switch filepath.Ext(item) {
	case ".txt", ".lst", ".list", ".csv", ".conf":
		// No such top-level domain exists: this is a list that is not there.
		return errors.New("no such file, expected a host, a CIDR, a range or an existing file")
	}
	return b.entry(item)
}

func (b *exclusionBuilder) file(path string) error {
	source := File(path)
	if err := source.check(); err != nil {
		return &SourceError{File: path, Err: err}
	}
	f, err := source.open()
	if err != nil {
		return &SourceError{File: path, Err: err}
	}
	defer f.Close()
	in := lines{buf: bufio.NewReaderSize(f, readBuffer)}
	for {
		line, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &SourceError{File: path, Err: err}
		}
		text := string(content(line))
		if text == "" {
			continue
		}
		if err := b.entry(text); err != nil {
			return &LineError{File: path, Line: in.number, Text: shown(text), Err: err}
		}
	}
}

// entry adds one host, wildcard, address, CIDR or range.
func (b *exclusionBuilder) entry(text string) error {
	if below, ok := strings.CutPrefix(text, "*."); ok {
		host, port, err := hostkey.Split(below)
		if err == nil {
			host, err = hostkey.Host(host)
		}
		if err == nil && strings.IndexByte(host, ':') >= 0 || isAddress(host) {
			err = fmt.Errorf("a wildcard below the address %s, expected *.name", host)
		}
		if err != nil {
			return err
		}
		set := b.set(port)
		add(&set.under, host)
		return nil
	}
	t, addresses, err := parse(text)
	if err != nil {
		return err
	}
	if t.Path != "" && t.Path != "/" {
		return fmt.Errorf("the path %.80q, expected a host, CIDR or range: a whole host is excluded or nothing", t.Path)
	}
	set := b.set(t.Port)
	if !addresses.empty() {
		set.spans = append(set.spans, addresses)
		return nil
	}
	if addr, err := netip.ParseAddr(t.Host); err == nil && addr.Zone() == "" {
		set.spans = append(set.spans, span{first: addr, last: addr})
		return nil
	}
	add(&set.names, t.Host)
	return nil
}

func (b *exclusionBuilder) set(port uint16) *hostSet {
	if port == 0 {
		return &b.x.anyPort
	}
	set := b.x.onPort[port]
	if set == nil {
		set = &hostSet{}
		b.x.onPort[port] = set
	}
	return set
}

func add(to *map[string]struct{}, name string) {
	if *to == nil {
		*to = map[string]struct{}{}
	}
	(*to)[name] = struct{}{}
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}
