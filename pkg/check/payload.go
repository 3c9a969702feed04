package check

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
)

// attacks are the ways to combine the values of several payloads.
var attacks = [...]string{"batteringram", "pitchfork", "clusterbomb"}

const (
	maxPayloadFile = 64 << 20
	maxRounds      = 100_000_000
)

// payloads are lists of values for variables of the requests of a block, which are sent once for each combination.
type payloads struct {
	attack string
	sets   []payloadSet
}

type payloadSet struct {
	name   string
	values []string
}

// count is the number of combinations, at least 1.
func (p *payloads) count() int {
	if p == nil {
		return 1
	}
	n := 0
	for i, set := range p.sets {
		switch {
		case i == 0:
			n = len(set.values)
		case p.attack == "pitchfork":
			n = min(n, len(set.values))
		case p.attack == "clusterbomb":
			if n > math.MaxInt32/len(set.values) {
				return math.MaxInt32
			}
			n *= len(set.values)
		default:
			n += len(set.values)
		}
	}
	return n
}

// round puts the values of the i-th combination into into.
func (p *payloads) round(i int, into map[string]string) {
	clear(into)
	if p == nil {
		return
	}
	switch p.attack {
	case "pitchfork":
		for _, set := range p.sets {
			into[set.name] = set.values[i]
		}
	case "clusterbomb": // the last list turns fastest
		for at := len(p.sets) - 1; at >= 0; at-- {
			set := p.sets[at]
			into[set.name] = set.values[i%len(set.values)]
			i /= len(set.values)
		}
	default: // one list after the other
		for _, set := range p.sets {
			if i < len(set.values) {
				into[set.name] = set.values[i]
				return
			}
			i -= len(set.values)
		}
	}
}

// readPayloads reads the section, and the files that it names.
func (r *blockReader) readPayloads(n *yaml.Node, field, attack string) *payloads {
	p := &payloads{attack: attack}
	if p.attack == "" {
		p.attack = attacks[0]
	}
	r.each(n, field, func(key, value *yaml.Node, name string) {
		set := payloadSet{name: key.Value, values: r.payloadValues(value, name)}
		r.names[key.Value] = true
		if len(set.values) == 0 {
			if len(r.problems) == 0 {
				r.problem(value, name, KindPayload, "expected at least one value")
			}
			return
		}
		p.sets = append(p.sets, set)
	})
	if len(p.sets) == 0 {
		return nil
	}
	if n := p.count(); n > maxRounds {
		r.problem(nil, field, KindPayload, "expected at most %d combinations of payloads", maxRounds)
	}
	return p
}

func (r *blockReader) payloadValues(n *yaml.Node, field string) []string {
	if n.Kind == yaml.SequenceNode {
		values := r.texts(n, field, false)
		for _, v := range values {
			if text, err := dsl.CompileText(v); err == nil {
				r.noOutOfBand(n, field, text.Names())
			}
		}
		return values
	}
	text, ok := r.text(n, field)
	if !ok {
		return nil
	}
	if !strings.Contains(text, "\n") {
		b, err := r.src.payload(text)
		if err != nil {
			r.problem(n, field, KindPayload, "%v", err)
			return nil
		}
		text = string(b)
	}
	var values []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			values = append(values, line)
		}
	}
	return values
}

// payload reads a file that a template names: from the template's own folder, or else from one of those around it, up to and with the one
// that was given by the user. Nothing outside of that is read, whatever links lead there.
func (s *source) payload(name string) ([]byte, error) {
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	within, err := filepath.Rel(s.root, filepath.Dir(s.file))
	if err != nil {
		return nil, err
	}
	if filepath.IsAbs(name) || !filepath.IsLocal(filepath.Join(within, filepath.FromSlash(name))) {
		return nil, fmt.Errorf("payload file %s is not below %s", name, s.root)
	}
	for folder := within; ; folder = filepath.Dir(folder) {
		b, err := readBounded(root, filepath.Join(folder, filepath.FromSlash(name)))
		if !errors.Is(err, fs.ErrNotExist) {
			if s.read != nil {
				s.read(filepath.Join(s.root, folder, filepath.FromSlash(name)))
			}
			return b, err
		}
		if folder == "." {
			return nil, fmt.Errorf("payload file %s does not exist below %s", name, s.root)
		}
	}
}

func readBounded(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("payload file %s is no file", name)
	case info.Size() > maxPayloadFile:
		return nil, fmt.Errorf("payload file %s has %d bytes, expected at most %d", name, info.Size(), maxPayloadFile)
	}
	return root.ReadFile(name)
}
