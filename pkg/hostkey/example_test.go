package hostkey_test

import (
	"fmt"
	"net/url"

	"github.com/redialscan/redial/pkg/hostkey"
)

func ExampleFromURL() {
	for _, raw := range []string{
		"https://Example.COM./login",
		"http://user:secret@example.com",
		"http://bücher.example:8080",
		"http://[FE80::1%25eth0]/",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		key, err := hostkey.FromURL(u)
		fmt.Println(key, err)
	}
	// Output:
	// example.com:443 <nil>
	// example.com:80 <nil>
	// xn--bcher-kva.example:8080 <nil>
	// [fe80::1%eth0]:80 <nil>
}

func ExampleHost() {
	fmt.Println(hostkey.Host("WWW.Example.com."))
	_, err := hostkey.Host("10.0.0.256")
	fmt.Println(err)
	// Output:
	// www.example.com <nil>
	// host "10.0.0.256": the last part is a number, expected an IPv4 address of four numbers from 0 to 255, without leading zeros
}
