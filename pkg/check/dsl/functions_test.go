package dsl

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestFunctions(t *testing.T) {
	for _, row := range []struct{ src, want string }{
		{`contains("abc", "b")`, "true"}, {`contains_all("abc", "a", "c")`, "true"}, {`contains_all("abc", "a", "x")`, "false"},
		{`contains_any("abc", "x", "c")`, "true"}, {`contains_any("abc", "x")`, "false"},
		{`starts_with("abc", "x", "ab")`, "true"}, {`ends_with("abc", "bc")`, "true"}, {`ends_with("abc", "ab")`, "false"},
		{`line_starts_with("a\nb", "b")`, "false"}, {`line_starts_with("a
b", "b")`, "true"}, {`line_ends_with("ax
b", "x")`, "true"},
		{`equals_any("a", "b", "a")`, "true"}, {`equals_any("a", "b")`, "false"},
		{`regex("^a.c$", "abc")`, "true"}, {`regex("^a" + ".c$", "abc")`, "true"}, {`regex("x", "abc")`, "false"},
		{`regex_all(("a", "b"), "abc")`, "true"}, {`regex_all(("a", "x"), "abc")`, "false"}, {`regex_any(("x", "b"), "abc")`, "true"},
		{`replace_regex("a1b2", "[0-9]", "")`, "ab"}, {`replace("aXbX", "X", "-")`, "a-b-"},
		{`to_lower("ÄB")`, "äb"}, {`tolower("AB")`, "ab"}, {`to_upper("ab")`, "AB"}, {`to_title("ab cd")`, "Ab Cd"},
		{`trim("xax", "x")`, "a"}, {`trim_left("xax", "x")`, "ax"}, {`trim_right("xax", "x")`, "xa"}, {`trim_space(" a ")`, "a"},
		{`trim_prefix("aab", "a")`, "ab"}, {`trim_suffix("abb", "b")`, "ab"}, {`remove_bad_chars("a-b", "-")`, "ab"},
		{`reverse("abç")`, "çba"}, {`reverse(hex_decode("ff00"))`, "\x00\xff"}, {`to_string(12)`, "12"}, {`to_string(1000000)`, "1000000"},
		{`len("äb")`, "3"}, {`index("abc", 1)`, "b"}, {`index(split("a,b", ","), 1)`, "b"},
		{`substr("abcdef", 2)`, "cdef"}, {`substr("abcdef", 1, 3)`, "bc"}, {`substr("abcdef", 1, -1)`, "bcde"}, {`repeat("ab", 2)`, "abab"},
		{`concat("a", 1, true)`, "a1true"}, {`join("-", "a", "b")`, "a-b"}, {`join("-", split("a b", " "))`, "a-b"},
		{`split("a,b")`, "a b"}, {`split("a-b-c", "-", 2)`, "a b-c"}, {`split("abcd", 2)`, "ab cd"},
		{`sort("cab")`, "abc"}, {`sort("c", "a")`, "a c"}, {`uniq("aabca")`, "abc"}, {`uniq("a", "b", "a")`, "a b"},
		{`padding("A", "B", 4, "suffix")`, "ABBB"}, {`padding("A", "B", 4, "prefix")`, "BBBA"},
		{`base64("ab?")`, "YWI/"}, {`base64_decode("YWI/")`, "ab?"}, {`base64_decode("YWI_")`, "ab?"}, {`base64_decode("YQ")`, "a"},
		{`base64_py("a")`, "YQ==\n"}, {`hex_encode("a~")`, "617e"}, {`hex_decode("617e")`, "a~"},
		{`url_encode("a b/ü")`, "a+b%2F%C3%BC"}, {`url_decode("a+b%2F")`, "a b/"},
		{`html_escape("<a>")`, "&lt;a&gt;"}, {`html_unescape("&lt;")`, "<"},
		{`gzip_decode(gzip("abc"))`, "abc"}, {`zlib_decode(zlib("abc"))`, "abc"},
		{`json_minify("{ \"a\" : 1 }")`, `{"a":1}`}, {`json_prettify("{}")`, "{}"},
		{`md5("a")`, "0cc175b9c0f1b6a831c399e269772661"}, {`sha1("a")`, "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"},
		{`sha256("a")`, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
		{`substr(sha512("a"), 0, 8)`, "1f40fc92"}, {`hmac("sha1", "a", "k")`, "5a4a8bb5bd3e2a1ea5cf7e4bde6d8b1b4b7b5dbd"},
		{`mmh3("foo")`, "-156908512"},
		{`to_number("2") + 1`, "3"}, {`hex_to_dec("ff")`, "255"}, {`hex_to_dec("0xff")`, "255"}, {`oct_to_dec("17")`, "15"},
		{`bin_to_dec("101")`, "5"}, {`dec_to_hex(255)`, "ff"},
		{`compare_versions("2.4.10", "> 2.4.9")`, "true"}, {`compare_versions("2.4.10", "< 2.4.9")`, "false"},
		{`compare_versions("v1.0", ">= 1.0", "< 2")`, "true"}, {`compare_versions("1.2", concat("< ", "1.10"))`, "true"},
		{`to_unix_time("2022-01-13T16:30:10+00:00")`, "1642091410"}, {`to_unix_time("1642091410")`, "1642091410"},
		{`date_time("%Y-%M-%D %H:%m:%S", 1642091410)`, "2022-01-13 16:30:10"}, {`date_time("Jan 2, 2006", 1642091410)`, "Jan 13, 2022"},
	} {
		if strings.Contains(row.src, "hmac") {
			row.want = digestOfHMAC
		}
		e, err := Compile(row.src)
		if err != nil {
			t.Errorf("%s: %v", row.src, err)
			continue
		}
		if got, err := e.Eval(Map{}); err != nil || String(got) != row.want {
			t.Errorf("%s = %q, %v; want %q", row.src, String(got), err, row.want)
		}
	}
}

// digestOfHMAC is what openssl dgst -sha1 -hmac k gives for "a".
const digestOfHMAC = "40e7d441cadb17b07f050341aa23a6820ed81c8b"

// A long favicon is hashed over lines of 76 characters.
func TestBase64Lines(t *testing.T) {
	lines := strings.SplitAfter(base64Lines(strings.Repeat("x", 58)), "\n")
	if len(lines) != 3 || len(lines[0]) != 77 || lines[1] != "eA==\n" || lines[2] != "" {
		t.Errorf("lines %q", lines)
	}
}

func TestRandomFunctions(t *testing.T) {
	for src, want := range map[string]string{
		`rand_base(5)`: `^[a-zA-Z0-9]{5}$`, `rand_base(5, "ab")`: `^[ab]{5}$`, `rand_char()`: `^[a-zA-Z0-9]$`, `rand_char("x")`: `^x$`,
		`rand_text_alpha(9)`: `^[a-zA-Z]{9}$`, `rand_text_alphanumeric(9, "abc")`: `^[d-zA-Z0-9]{9}$`, `rand_text_numeric(4)`: `^\d{4}$`,
		`rand_int(5, 7)`: `^[567]$`, `rand_int()`: `^\d+$`, `rand_ip("192.168.0.0/24")`: `^192\.168\.0\.\d+$`, `rand_ip("fd00::/64")`: `^fd00::`,
	} {
		e, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			v, err := e.Eval(nil)
			if err != nil || !regexp.MustCompile(want).MatchString(String(v)) {
				t.Fatalf("%s = %v, %v; want %s", src, v, err, want)
			}
		}
	}
}

func TestUnixTimeIsNow(t *testing.T) {
	before := float64(time.Now().Unix())
	v, err := functions["unixtime"].call([]any{60.0})
	if got, ok := v.(float64); err != nil || !ok || got < before+60 || got > float64(time.Now().Unix())+60 {
		t.Errorf("unix_time(60) = %v, %v at %v", v, err, before)
	}
}

// What a function does not take is an error of the expression, not a panic and not a value.
func TestFunctionsRefuse(t *testing.T) {
	for _, src := range []string{
		`hex_decode("x")`, `base64_decode("*")`, `gzip_decode("x")`, `zlib_decode("x")`, `url_decode("%")`, `json_minify("{")`,
		`substr("a", 2)`, `substr("a", "x")`, `index("a", 1)`, `index(split("a"), 1)`, `repeat("a", -1)`, `split("a", "b", "c")`, `split("a", 0)`,
		`hmac("none", "a", "b")`, `to_number("a")`, `hex_to_dec("g")`, `dec_to_hex("a")`, `compare_versions("a.b", "> 1")`,
		`compare_versions("1", "around 1")`, `to_unix_time("soon")`, `date_time("%Y", "soon")`, `date_time("%Y", 1e300)`, `unix_time("a")`,
		`rand_int(2, 1)`, `rand_int(0.5)`, `rand_base("x")`, `rand_text_numeric(1, "0123456789")`, `rand_ip("x")`, `regex("(" + "", "a")`,
		`regex_all(split("("), "a")`, `replace_regex("a", "(", "b")`, `padding("a", "", 3, "prefix")`, `padding("a", "b", 3, "middle")`,
	} {
		e, err := Compile(src)
		if err != nil {
			continue // 1e300 is no number of the language
		}
		if v, err := e.Eval(nil); err == nil {
			t.Errorf("%s = %v, want an error", src, v)
		}
	}
}
