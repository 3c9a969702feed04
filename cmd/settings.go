package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// settings are the flags of a scan that were not typed: from the environment, and from a file. What is typed outranks the
// environment, and that the file.
type settings struct {
	file    string            // --config
	sources map[string]string // where a flag's value is from; a flag that stands at its default has none
	// warnings are about names in the environment that are almost those of flags.
	warnings []string
}

// environmentPrefix is before the names of flags in the environment: REDIAL_MAX_HOST_ERROR is --max-host-error.
const environmentPrefix = "REDIAL_"

func (s *settings) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&s.file, "config", "", "YAML `file` with flags; also in the environment, such as REDIAL_RATE_LIMIT=100 (default: see redial config show)")
}

// apply gives each flag that was not typed the value that it has elsewhere.
func (s *settings) apply(flags *pflag.FlagSet, env Env) error {
	if err := s.applyEnvironment(flags, env); err != nil {
		return err
	}
	return s.applyFile(flags, env)
}

// applyEnvironment takes the values of flags that were not typed from the environment.
func (s *settings) applyEnvironment(flags *pflag.FlagSet, env Env) error {
	s.sources = make(map[string]string)
	flags.Visit(func(f *pflag.Flag) { s.sources[f.Name] = "flag" })
	var err error
	flags.VisitAll(func(f *pflag.Flag) {
		name := environmentName(f.Name)
		value := env.Getenv(name)
		if err != nil || value == "" || s.sources[f.Name] != "" || !settable(f.Name) && f.Name != "config" {
			return
		}
		err = s.set(flags, f, strings.Split(value, "\n"), name)
	})
	if err != nil {
		return err
	}
	s.warn(flags, env)
	return nil
}

// warn finds what was probably meant for a flag. Other names may be there for other programs.
func (s *settings) warn(flags *pflag.FlagSet, env Env) {
	if env.Environ == nil {
		return
	}
	for _, pair := range env.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		word, ours := strings.CutPrefix(name, environmentPrefix)
		word = strings.ReplaceAll(strings.ToLower(word), "_", "-")
		if !ours || flags.Lookup(word) != nil || name == tokenVariable || name == nkeyVariable {
			continue
		}
		if meant := nearest(word, settableNames(flags)); meant != "" {
			s.warnings = append(s.warnings, fmt.Sprintf("%s in the environment is no flag, did you mean %s?", name, environmentName(meant)))
		}
	}
}

// settable says that a flag makes sense elsewhere than on a command line.
func settable(name string) bool { return name != "help" && name != "config" }

func environmentName(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// commaListKey is the annotation of a flag whose one value is a list with commas.
const commaListKey = "redial-comma-list"

// commaList lets a flag be a list in a file too.
func commaList(fs *pflag.FlagSet, name string) {
	_ = fs.SetAnnotation(name, commaListKey, []string{"true"}) // fails for a flag that is not there
}

// set gives a flag its values; only one that is a list takes more than one.
func (s *settings) set(flags *pflag.FlagSet, f *pflag.Flag, values []string, source string) error {
	if len(f.Annotations[commaListKey]) > 0 {
		values = []string{strings.Join(values, ",")}
	}
	if _, list := f.Value.(pflag.SliceValue); !list && len(values) != 1 {
		return fmt.Errorf("%s: %d values of %s, expected one", source, len(values), f.Name)
	}
	for _, value := range values {
		if err := flags.Set(f.Name, value); err != nil {
			if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
				err = expectation(invalid)
			}
			return fmt.Errorf("%s: %s: %q, %w", source, f.Name, value, err)
		}
	}
	s.sources[f.Name] = source
	return nil
}

// applyFile reads the file. One that nobody has named need not be there.
func (s *settings) applyFile(flags *pflag.FlagSet, env Env) error {
	name := s.file
	if name == "" {
		name = configFile(env)
	}
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if s.file == "" && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) { // as below a HOME of /dev/null
		return nil
	}
	if err != nil {
		return usageErrorf("config", "%s: %v, expected a YAML file", name, reason(err))
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("%s: %w, expected YAML", name, err)
	}
	if len(document.Content) == 0 { // nothing but comments
		return nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: no list of names and values, expected lines such as rate-limit: 100", name, root.Line)
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		source := fmt.Sprintf("%s:%d", name, key.Line)
		if err := s.applyKey(flags, key.Value, value, source, seen); err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) applyKey(flags *pflag.FlagSet, key string, value *yaml.Node, source string, seen map[string]bool) error {
	f := flags.Lookup(key)
	switch {
	case f == nil || !settable(key):
		if meant := nearest(strings.ReplaceAll(strings.ToLower(key), "_", "-"), settableNames(flags)); meant != "" {
			return fmt.Errorf("%s: unknown key %q, did you mean %s?", source, key, meant)
		}
		return fmt.Errorf("%s: unknown key %q, expected the name of a flag (see redial scan --help)", source, key)
	case seen[key]:
		return fmt.Errorf("%s: %s stands there twice, expected it once", source, key)
	}
	seen[key] = true
	var values []string
	nodes := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		nodes = value.Content
	}
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return fmt.Errorf("%s: %s has no value, expected one, or a list of them", source, key)
		}
		values = append(values, n.Value)
	}
	if s.sources[key] != "" || len(values) == 0 {
		return nil // outranked
	}
	return s.set(flags, f, values, source)
}

func settableNames(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if settable(f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}

// blame says of an error about a flag that nobody typed where its value is from.
func (s *settings) blame(err error) error {
	if usage, ok := errors.AsType[*UsageError](err); ok {
		if source := s.sources[usage.Flag]; source != "" && source != "flag" {
			return fmt.Errorf("%w (from %s)", err, source)
		}
	}
	return err
}
