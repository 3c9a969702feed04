package retry

import "testing"

// A POST that failed after its bytes left must not be sent twice by itself:
// github.com/go-resty/resty/issues/777.
func TestMayRepeat(t *testing.T) {
	for _, method := range []string{"", "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"} {
		for _, allowed := range []bool{false, true} {
			if !MayRepeat(method, allowed) {
				t.Errorf("MayRepeat(%q, %v) = false, want true", method, allowed)
			}
		}
	}
	for _, method := range []string{"POST", "PATCH", "CONNECT", "PROPFIND", "get", "GET "} {
		if MayRepeat(method, false) {
			t.Errorf("MayRepeat(%q, false) = true, want false", method)
		}
		if !MayRepeat(method, true) {
			t.Errorf("MayRepeat(%q, true) = false, want true", method)
		}
	}
}

func TestNames(t *testing.T) {
	for want, got := range map[string]string{
		"permanent":   Permanent.String(),
		"temporary":   Temporary.String(),
		"cancelled":   Cancelled.String(),
		"none":        StopNone.String(),
		"exhausted":   StopExhausted.String(),
		"bad policy":  StopBadPolicy.String(),
		"deadline":    StopDeadline.String(),
		"scan budget": StopScanBudget.String(),
		"unknown":     Stop(200).String(),
	} {
		if got != want {
			t.Errorf("name is %q, want %q", got, want)
		}
	}
	if got := StopPermanent.String() + "," + StopCancelled.String(); got != "permanent,cancelled" {
		t.Errorf("names are %q", got)
	}
}
