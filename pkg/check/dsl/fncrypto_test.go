package dsl

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// The values are those of openssl and of Python's hmac.
func TestCryptoFunctions(t *testing.T) {
	const claims = `"{\"role\":\"admin\"}"`
	for _, row := range []struct{ src, want string }{
		{`hex_encode(aes_cbc("lab", "0123456789abcdef", "fedcba9876543210"))`, "162ee263f87d8b2fd42af15faa5dcacd"},
		{
			`generate_jwt(` + claims + `, "hs256", "k")`,
			"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb2xlIjoiYWRtaW4ifQ.y73GtTNalww5bpvJWH1pRaf4C64CDXisWWSvFF4luQE",
		},
		{
			`generate_jwt(` + claims + `, "HS512", "k")`,
			"eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJyb2xlIjoiYWRtaW4ifQ.-Cz32FbFpRV6u3_D1cwTrzXN__VOVwSK8KUKdGg6jDUVu7cdJpT79ictCi--xtily7dKfqsb8p5wf4OsDjIyBw",
		},
		{`generate_jwt(` + claims + `, "nOnE")`, "eyJhbGciOiJuT25FIiwidHlwIjoiSldUIn0.eyJyb2xlIjoiYWRtaW4ifQ."},
		{`base64_decode(split(generate_jwt(` + claims + `, ""), ".")[1])`, ""},
		{`contains(base64_decode(index(split(generate_jwt(` + claims + `, "", "", "2030-01-01"), "."), 1)), '"exp":1893456000,"iat":')`, "true"},
		{`hex_encode(xor("abc", "ABC"))`, "202020"}, {`hex_encode(xor("abcd", "AB", "a"))`, "414143" + "47"},
		{`inflate(deflate("abc"))`, "abc"}, {`contains(zip("a.txt", "x", "b.txt", "y"), "b.txt")`, "true"}, {`substr(zip("a", "b"), 0, 2)`, "PK"},
		{`gzip_mtime(gzip("a"))`, "0"}, {`gzip_mtime(hex_decode("1f8b080001000000000003000000ffff0300000000000000000000"))`, "1"},
		{`count("banana", "an")`, "2"}, {`count("banana", "x")`, "0"},
		{`to_bool("true")`, "true"}, {`to_bool(1)`, "true"}, {`to_bool("2")`, "false"}, {`to_bool("")`, "false"}, {`to_bool("on")`, "false"},
	} {
		e, err := Compile(row.src)
		if row.want == "" { // not of the language
			if err == nil {
				t.Errorf("%s compiles", row.src)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.src, err)
			continue
		}
		if got, err := e.Eval(Map{}); err != nil || String(got) != row.want {
			t.Errorf("%s = %q, %v; want %q", row.src, String(got), err, row.want)
		}
	}
	for _, src := range []string{
		`aes_cbc("a", "short", "fedcba9876543210")`, `aes_cbc("a", "0123456789abcdef", "short")`, `aes_gcm("short", "a")`, `rsa_encrypt("a", "b")`,
		`generate_jwt("[]", "HS256", "k")`, `generate_jwt("{}", "RS256", "k")`, `generate_jwt("{}", "HS256", "k", "soon")`,
		`xor("a", "")`, `zip("a", "b", "c")`, `gzip_mtime("a")`,
	} {
		e, err := Compile(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if v, err := e.Eval(nil); err == nil {
			t.Errorf("%s = %v, want an error", src, v)
		}
	}
}

// What is encrypted with a nonce or a padding that is drawn is read back with the key.
func TestDrawnEncryptions(t *testing.T) {
	eval := func(src string, env Env) string {
		t.Helper()
		e, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Eval(env)
		if err != nil {
			t.Fatal(err)
		}
		return String(v)
	}
	sealed := eval(`aes_gcm("0123456789abcdef", "lab")`, nil)
	block, err := aes.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := gcm.Open(nil, []byte(sealed[:12]), []byte(sealed[12:]), nil); err != nil || string(text) != "lab" {
		t.Errorf("aes_gcm: %q, %v", text, err)
	}

	key, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	env := Map{"key": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))}
	bytes, err := base64.StdEncoding.DecodeString(eval(`rsa_encrypt("lab", key)`, env))
	if err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 the counterpart of what is tested
	if text, err := rsa.DecryptPKCS1v15(nil, key, bytes); err != nil || string(text) != "lab" {
		t.Errorf("rsa_encrypt: %q, %v", text, err)
	}
}

// patient notes how long it was to wait.
type patient struct {
	Map
	waited []time.Duration
	err    error
}

func (p *patient) Wait(d time.Duration) error {
	p.waited = append(p.waited, d)
	return p.err
}

func TestWaitFor(t *testing.T) {
	e, err := Compile(`wait_for(seconds) && contains("a", "a")`)
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{Map: Map{"seconds": "2.5"}}
	if ok, err := e.True(p); !ok || err != nil || !slices.Equal(p.waited, []time.Duration{2500 * time.Millisecond}) {
		t.Errorf("%v, %v after %v", ok, err, p.waited)
	}
	p.err = errors.New("over")
	if _, err := e.True(p); !errors.Is(err, p.err) {
		t.Errorf("%v, want the end of the wait", err)
	}
	for _, env := range []Env{Map{"seconds": 1}, &patient{Map: Map{"seconds": -1}}, &patient{Map: Map{"seconds": 601}}, &patient{Map: Map{"seconds": "x"}}} {
		if v, err := e.Eval(env); err == nil {
			t.Errorf("%v = %v, want an error", env, v)
		}
	}
}

func TestTextsThatVary(t *testing.T) {
	for src, want := range map[string]bool{
		"a": false, "{{x}}": false, "{{md5(x)}}": false, "{{rand_int(1, 2)}}": true, "a{{to_lower(rand_base(3))}}": true,
		"{{unix_time()}}": true, `{{md5("{{randint(1,2)}}")}}`: true, "{{wait_for(1)}}": true, "{{rand}}": false,
	} {
		text, err := CompileText(src)
		if err != nil || text.Varies() != want {
			t.Errorf("%s varies %t, %v", src, text.Varies(), err)
		}
	}
	if _, err := CompileText("{{generate_dotnet_gadget(1)}}"); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Error(err)
	}
}
