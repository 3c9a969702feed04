package target

import (
	"fmt"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
)

// ParsePorts reads a list of ports and port ranges, such as
// "80,443,8000-8010". The order is kept; a port that comes again is dropped.
// An empty text gives no ports.
func ParsePorts(text string) ([]uint16, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var ports []uint16
	var seen [1 << 16]bool
	for item := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(item), "-")
		first, err := hostkey.Port(strings.TrimSpace(from))
		last := first
		if err == nil && isRange {
			last, err = hostkey.Port(strings.TrimSpace(to))
		}
		if err != nil {
			return nil, fmt.Errorf("ports %.80q: %w", item, err)
		}
		if first > last {
			return nil, fmt.Errorf("ports %.80q: the range ends before it begins, expected the lower port first", item)
		}
		for port := int(first); port <= int(last); port++ {
			if !seen[port] {
				seen[port] = true
				ports = append(ports, uint16(port))
			}
		}
	}
	return ports, nil
}
