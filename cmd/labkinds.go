package cmd

import "github.com/redialscan/redial/internal/lab"

// labKindHelp says what hosts of a kind do.
func labKindHelp(kind lab.Kind) string {
	switch kind {
	case lab.Healthy:
		return "hosts that answer at once"
	case lab.Flaky:
		return "hosts that are down at first and come back"
	case lab.Slow:
		return "hosts that wait before they answer"
	case lab.Throttling:
		return "hosts that answer 429 above a rate"
	case lab.Unavailable:
		return "hosts that answer 503 in bursts"
	case lab.Redirecting:
		return "hosts that redirect to the first healthy one"
	case lab.Firewall:
		return "hosts that reset a request for " + lab.DefaultMarker
	case lab.OneInFive:
		return "hosts that answer one request in five and reset the others"
	case lab.Refusing:
		return "hosts where nothing listens"
	case lab.Silent:
		return "hosts that accept and never answer"
	case lab.BlackHole:
		return "hosts that swallow connects (Linux only)"
	case lab.Resetting:
		return "hosts that reset the connection after a request"
	case lab.ResetOnAccept:
		return "hosts that reset the connection at once"
	case lab.Mute:
		return "hosts that close the connection after a request, without a byte"
	case lab.Garbage:
		return "hosts that answer with something that is not HTTP"
	case lab.CutBody:
		return "hosts that close in the middle of a body"
	case lab.StalledBody:
		return "hosts that stop in the middle of a body"
	case lab.LyingLength:
		return "hosts that send more than their Content-Length"
	case lab.EndlessBody:
		return "hosts that never end a body"
	case lab.GzipBomb:
		return "hosts with a small gzip body that unpacks to 64 MiB"
	case lab.Mail:
		return "hosts that speak as a mail server, for checks of tcp"
	case lab.TLS:
		return "hosts with HTTPS and a self-signed certificate"
	case lab.ExpiredTLS:
		return "hosts with HTTPS and an expired certificate"
	case lab.WrongNameTLS:
		return "hosts with HTTPS and a certificate for another name"
	case lab.BadTLS:
		return "hosts with HTTPS and an expired certificate for another name"
	}
	return ""
}
