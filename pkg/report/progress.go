package report

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// drawEvery is how often the bar moves.
	drawEvery = 200 * time.Millisecond
	// barRate is the time over which the bar's rate is taken, so that it does not flicker.
	barRate = 3 * time.Second
	// barWidth leaves room for the numbers on 80 columns.
	barWidth = 16

	clearLine = "\r\x1b[2K"
)

// Progress is a bar on a terminal, and the keeper of that terminal while the bar is shown:
// what else is written there goes through [Progress.Writer], which lifts the bar out of
// the way. It is safe for concurrent use; make one with [NewProgress].
type Progress struct {
	width func() int // columns of the terminal; 0 is unknown

	mu      sync.Mutex
	term    io.Writer
	line    string // the bar as it was drawn last, empty when there is none
	visible bool   // the bar stands on the terminal's last line
	midLine bool   // somebody's line has no end yet: no place for a bar
	meter   meter
	bar     *progressbar.ProgressBar
}

// NewProgress makes a bar for the terminal term. width gives its columns at any time;
// nil, or 0, is taken for 80.
func NewProgress(term io.Writer, width func() int) *Progress {
	return &Progress{
		width: width,
		term:  term,
		meter: meter{span: barRate},
		// The bar is rendered by the library and drawn by us: it would write between the lines of others.
		bar: progressbar.NewOptions(100,
			progressbar.OptionSetWriter(io.Discard),
			progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetTheme(progressbar.ThemeASCII),
		),
	}
}

// Run draws the bar until ctx ends, then once more as it ended, and leaves it there.
// sample is called on this goroutine.
func (p *Progress) Run(ctx context.Context, sample func() Status) {
	watch(ctx, drawEvery, func(final bool) {
		s := sample()
		s.Final = final
		p.draw(s)
	})
}

// Writer gives a writer to w, which shows on the same terminal as the bar. Each Write is
// passed on whole, with the bar taken away before it and drawn again behind it.
func (p *Progress) Writer(w io.Writer) io.Writer { return &besideBar{progress: p, w: w} }

func (p *Progress) draw(s Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Rate = p.meter.rate(s)
	p.line = p.renderLocked(s)
	p.showLocked()
	if s.Final {
		if p.visible {
			io.WriteString(p.term, "\n")
		}
		p.line, p.visible = "", false
	}
}

// renderLocked makes the line. The library gets the percentage and not the counts: a bar whose
// total was reached is finished for it, even when the total grows afterwards.
func (p *Progress) renderLocked(s Status) string {
	_ = p.bar.Set(s.Percent())
	_ = p.bar.RenderBlank() // Set leaves a bar at 0 % alone
	line := fmt.Sprintf("%s %s %.0f/s hosts %d open %d dead %d",
		strings.TrimRight(strings.TrimPrefix(p.bar.String(), "\r"), " "), s.count(), s.Rate, s.Hosts, s.Open, s.Dead)

	columns := 0
	if p.width != nil {
		columns = p.width()
	}
	if columns <= 0 {
		columns = textColumns
	}
	// A line that reaches the last column wraps, and could not be cleared any more.
	return cut(line, columns-1)
}

func (p *Progress) showLocked() {
	if p.midLine || p.line == "" {
		return
	}
	io.WriteString(p.term, clearLine+p.line)
	p.visible = true
}

// besideBar writes around the bar.
type besideBar struct {
	progress *Progress
	w        io.Writer
}

func (b *besideBar) Write(text []byte) (int, error) {
	p := b.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.visible {
		io.WriteString(p.term, clearLine)
		p.visible = false
	}
	n, err := b.w.Write(text)
	if len(text) > 0 {
		p.midLine = text[len(text)-1] != '\n'
	}
	p.showLocked()
	return n, err
}
