package check

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func TestTitle(t *testing.T) {
	long := strings.Repeat("ü", MaxTitle)
	for _, row := range []struct{ doc, want string }{
		{"", ""},
		{"no markup", ""},
		{"<title></title>", ""},
		{"<title>T</title>", "T"},
		{"<TITLE>T</Title >", "T"},
		{"<title lang=en\n>T</title\n>", "T"},
		{`<title data-x="a>b">T</title>`, "T"},
		{"<title> a \r\n\t b\u00a0&nbsp;\u3000c </title>", "a b c"},
		{"<title>a &amp; b &lt;c&gt; &#x41;&#66; &eacute; &unknown; &amp;lt;</title>", "a & b <c> AB é &unknown; &lt;"},
		{"<title>a <b>b</b> </ti c</title>", "a <b>b</b> </ti c"},
		{"<title>first</title><title>second</title>", "first"},
		{"<title></title><title>second</title>", ""},
		{"<titles>no</titles><title>T</title>", "T"},
		{"< title>no</title><title>T</title>", "T"},
		{"<title>cut short", "cut short"},
		{"<title>unclosed<body><p>text", "unclosed"},
		{"<title>unclosed</titl", "unclosed"},
		{"<title", ""},
		{"<title ", ""},
		{"<", ""},
		{"</", ""},
		{"<!", ""},
		{"<!-- <title>no</title> --><title>T</title>", "T"},
		{"<!--><title>T</title>", "T"},
		{"<!---><title>T</title>", "T"},
		{"<!-- <title>no</title>", ""},
		{"<!DOCTYPE html><?xml version='1'?><![if !IE]><title>T</title>", "T"},
		{"<script>x='<title>no</title>'</script><title>T</title>", "T"},
		{"<SCRIPT src=a>'</scripts>'<title>no</title></Script\t><title>T</title>", "T"},
		{"<script>never closed <title>no</title>", ""},
		{"<style>/*<title>no</title>*/</style><noscript><title>no</title></noscript><title>T</title>", "T"},
		{"<textarea><title>no</title></textarea><title>T</title>", "T"},
		{`<meta content="<title>no</title>"><meta content = '<title>no'><title>T</title>`, "T"},
		{`<a "b><title>T</title>`, "T"}, // only a quote behind an equals sign is one
		{`<a b="><title>no</title>`, ""},
		{"</p x='>'><title>T</title>", "T"},
		{"<rss><channel><title><![CDATA[News & more]]></title>", "News & more"},
		{"<title>" + long + "</title>", long},
		{"<title>" + long + "x</title>", long},
		{"<title>" + long[2:] + " x</title>", long[2:]},
		{"<title>" + long[4:] + " xy</title>", long[4:] + " x"},
		{"<title>" + strings.Repeat(" ", 1000) + "T</title>", "T"},
		{"<title>" + strings.Repeat("T", maxTitleBytes) + "</title>", strings.Repeat("T", MaxTitle)},
		{"<title>\x1b[31m\x00</title>", "\x1b[31m\x00"},
		{"<title>a\xffb</title>", "aÿb"}, // nothing else is said, so it is windows-1252
	} {
		if got := title([]byte(row.doc), "text/html"); got != row.want {
			t.Errorf("%.100q: got %q, want %q", row.doc, got, row.want)
		}
	}
}

// Whatever pieces a document is made of, the title is the one that a full parser finds. The end tag at the end is there because an unclosed
// title is the one thing that we read otherwise on purpose.
func TestTitleAgainstParser(t *testing.T) {
	pieces := []string{
		"<title>", "</title>", "</title >", "<TITLE a='>'>", "text ", "&amp; &lt; &#65;", "\n", "é", "<", ">", "</",
		"<!-- ", " -->", "<!-->", "<!doctype html>", "<?x ", "<script>", "</script>", "<style>", "</style>", "<noscript>", "</noscript>",
		"<textarea>", "</textarea>", "<p a=\"", "\"", "'", "<p>", "</p x=y>", "<meta charset=utf-8>", "<head>", "<body>", "</head>",
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 25).Draw(t, "pieces"), "") + "</title>"
		root, err := html.Parse(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.Data == "title" {
				if n.FirstChild != nil {
					want = fold([]byte(n.FirstChild.Data))
				}
				break
			}
		}
		if got := title([]byte(doc), "text/html; charset=utf-8"); got != want {
			t.Fatalf("%q: got %q, want %q", doc, got, want)
		}
	})
}

func TestTitleCharset(t *testing.T) {
	wide := func(text string) string {
		var b strings.Builder
		for _, r := range text {
			b.Write([]byte{byte(r), byte(r >> 8)})
		}
		return b.String()
	}
	for name, row := range map[string]struct{ contentType, doc, want string }{
		"header gbk":        {"text/html; charset=gbk", "<title>\xc4\xe3\xba\xc3</title>", "你好"},
		"header GB2312":     {"text/html;charset=GB2312", "<title>\xc4\xe3\xba\xc3</title>", "你好"},
		"quoted":            {`text/html; charset="Shift_JIS"`, "<title>\x83e\x83X\x83g</title>", "テスト"},
		"header euc-kr":     {"text/html; charset=euc-kr", "<title>\xb0\xa1</title>", "가"},
		"escapes":           {"text/html; charset=iso-2022-jp", "<title>\x1b$B%F%9%H\x1b(B</title>", "テスト"},
		"latin-1":           {"text/html; charset=iso-8859-1", "<title>caf\xe9</title>", "café"},
		"meta":              {"text/html", "<meta charset=windows-1251><title>\xcf\xf0\xe8</title>", "При"},
		"meta http-equiv":   {"text/html", `<meta http-equiv="Content-Type" content="text/html; charset=big5"><title>` + "\xa7A\xa6n</title>", "你好"},
		"header over meta":  {"text/html; charset=utf-8", "<meta charset=gbk><title>你好</title>", "你好"},
		"utf-8 undeclared":  {"text/html", "<title>你好</title>", "你好"},
		"utf-8 behind 1 KB": {"text/html", strings.Repeat("<meta x=y>\n", 200) + "<title>你好</title>", "你好"},
		"utf-8 mark":        {"text/html", "\xef\xbb\xbf<title>你好</title>", "你好"},
		"unknown label":     {"text/html; charset=nonsense", "<title>你好</title>", "你好"},
		"wide with mark":    {"text/html", "\xff\xfe" + wide("<html><title>T 你</title>"), "T 你"},
		"wide by header":    {"text/html; charset=UTF-16LE", wide("<html><title>T 你</title>"), "T 你"},
		"wide, a lie":       {"text/html; charset=utf-16", "<title>T</title>", ""},
		"entity in gbk":     {"text/html; charset=gbk", "<title>\xc4\xe3&#22909;</title>", "你好"},
		"broken utf-8":      {"text/html; charset=utf-8", "<title>a\xffb\xe4\xbd</title>", "a\ufffdb\ufffd\ufffd"},
	} {
		if got := title([]byte(row.doc), row.contentType); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// hostilePieces are what a document is filled with to make a careless scanner look at it again and again.
var hostilePieces = []string{
	"<", "</", "<!", "<!--", "<title", "<a b='", "<a b=", "<script>", "</script", "<script></scrip", "<textarea></textarea", "&", "&#", "<!-->",
	"\xff\xfe<", "<title></titl", "<a>",
}

// A scanner that looks at a byte more than a few times would not come back from these.
func TestTitleOfHostileDocuments(t *testing.T) {
	for _, piece := range hostilePieces {
		doc := bytes.Repeat([]byte(piece), (4<<20)/len(piece))
		checkTitle(t, title(doc, "text/html"))
		checkTitle(t, title(append([]byte("<title>"), doc...), "text/html"))
	}
}

func checkTitle(t *testing.T, got string) {
	t.Helper()
	switch {
	case !utf8.ValidString(got):
		t.Errorf("title %q is no UTF-8", got)
	case utf8.RuneCountInString(got) > MaxTitle:
		t.Errorf("title of %d characters, want at most %d", utf8.RuneCountInString(got), MaxTitle)
	case got != strings.Join(strings.FieldsFunc(got, unicode.IsSpace), " "):
		t.Errorf("white space of title %q is not folded", got)
	}
}

func FuzzTitle(f *testing.F) {
	f.Add([]byte("<!-- x --><title a='>'>a &amp; b</title>"), "text/html; charset=gbk")
	f.Add([]byte("\xff\xfe<\x00t\x00"), "")
	f.Add([]byte("<meta charset=utf-7><title>\x1b$B"), "text/html; charset=iso-2022-jp")
	for _, piece := range hostilePieces {
		f.Add([]byte(piece+"<title>"+piece), "text/html")
	}
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		before := bytes.Clone(doc)
		checkTitle(t, title(doc, contentType))
		if !bytes.Equal(doc, before) {
			t.Error("the document was changed")
		}
	})
}
