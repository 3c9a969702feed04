package requester_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "example")
		fmt.Fprintf(w, "you asked for %s", r.URL.Path)
	}))
	breaker, err := hosterrors.NewWithConfig(hosterrors.Config{MaxHostError: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := requester.New(requester.Config{Breaker: breaker})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	req, err := requester.NewRequest(server.URL + "/status")
	if err != nil {
		fmt.Println(err)
		return
	}
	req.WantBody = true

	resp, err := client.Do(context.Background(), req, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Status, resp.Get("Server"), string(resp.Body))

	// The host goes away. The idle connection is found closed, the fresh one is refused: one host error, and the breaker opens.
	server.Close()
	_, err = client.Do(context.Background(), req, nil)
	fmt.Println("host error:", hosterrors.Judge(err).Blame == hosterrors.BlameHost)

	_, err = client.Do(context.Background(), req, nil)
	held, ok := errors.AsType[*requester.NotAdmittedError](err)
	fmt.Println("not sent:", ok && held.Key == server.Listener.Addr().String())
	// Output:
	// 200 example you asked for /status
	// host error: true
	// not sent: true
}
