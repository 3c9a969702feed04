//go:build unix

package cmd

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is what this test needs of the definition of a GitHub Action.
type action struct {
	Inputs map[string]struct{ Description, Default string }
	Runs   struct {
		Steps []struct {
			ID, Shell, Run, Uses string
			Env                  map[string]string
		}
	}
}

func readAction(t *testing.T) (a action) {
	t.Helper()
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// What stands between ${{ and }} is put into a script before a shell reads it, so it must not stand in one.
func TestActionRunsNothingOfItsInputs(t *testing.T) {
	a := readAction(t)
	used := map[string]bool{}
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an expression stands in a script:\n%s", step.Run)
		}
		for name, value := range step.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
			if _, known := a.Inputs[input]; !known || !strings.Contains(step.Run, name) {
				t.Errorf("%s is %s, which is no input or of no use", name, value)
			}
			used[input] = true
		}
	}
	for name, input := range a.Inputs {
		if !used[name] || input.Description == "" {
			t.Errorf("the input %s is not used, or not described", name)
		}
	}
}

// The script of the action is run with the redial of this test.
func TestActionScans(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Asked", r.URL.Path)
		_, _ = w.Write([]byte("<title>Admin</title>"))
	}))
	defer host.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, list, args string
		want             int
	}{
		{"done", host.URL, "--path /admin,/b\n--max-skipped 0", 0},
		{"incomplete", host.URL + "\nhttp://127.0.0.1:1", "--linger 0 --max-skipped 0", 3},
		{"wrong usage", host.URL, "--rate-mode $(touch$IFS$9x)", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			at := func(name string) string { return filepath.Join(folder, name) }
			if err := errors.Join(os.Symlink(self, at("redial")), os.WriteFile(at("list one.txt"), []byte(tt.list+"\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
			steps := readAction(t).Runs.Steps
			c := exec.Command("bash", "-eo", "pipefail", "-c", steps[len(steps)-1].Run)
			c.Dir = folder
			c.Env = append(os.Environ(), "RUNNER_TEMP="+folder, "GITHUB_OUTPUT="+at("output"), "GITHUB_STEP_SUMMARY="+at("summary.md"),
				"INPUT_LIST=list one.txt", "INPUT_TEMPLATES=", "INPUT_FAIL_ON=", "INPUT_SARIF=out.sarif", "INPUT_EVENTS=out.events", "INPUT_ARGS="+tt.args)
			said, err := c.CombinedOutput()
			if got := c.ProcessState.ExitCode(); got != tt.want {
				t.Fatalf("exit status %d, %v, want %d:\n%s", got, err, tt.want, said)
			}
			if output, err := os.ReadFile(at("output")); err != nil || string(output) != "status="+strconv.Itoa(tt.want)+"\n" {
				t.Errorf("the output is %q, %v", output, err)
			}
			if tt.want == StatusUsage {
				return
			}
			sarif, err := os.ReadFile(at("out.sarif"))
			if err != nil || !strings.Contains(string(sarif), `"2.1.0"`) {
				t.Errorf("the SARIF report is %q, %v", sarif, err)
			}
			if summary, err := os.ReadFile(at("summary.md")); err != nil || !strings.Contains(string(summary), "## Scan finished") {
				t.Errorf("the summary is %q, %v", summary, err)
			}
		})
	}
}
